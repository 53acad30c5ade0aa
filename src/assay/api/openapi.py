"""The description of the API (OpenAPI 3.1), made from the routes."""

from collections.abc import Iterable
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from assay.api.answers import ErrorAnswer
from assay.api.examples import EXAMPLES
from assay.api.record_stream import NDJSON
from assay.api.routing import STREAM, TIMES, WATCH, Route
from assay.version import VERSION

_ANY: Final = {"application/json": {"schema": {"type": "object"}}}
_KINDS: Final = {STREAM: NDJSON, WATCH: "text/event-stream"}
REF: Final = "#/components/schemas/{model}"
DESCRIPTION: Final = """Grades what agents did. Send a key as a bearer token. Lists are pages: `_meta.next` and
`_meta.prev` are cursors. Every error has the shape `{"error": {"code", "message", "details"}}`. All paths exist
without `/v1`, too."""
# What any route may answer, beside what it is for.
ALWAYS: Final = {
    401: "no key, or one that is unknown, revoked or expired",
    403: "the key is for something else",
    408: "the body came too slowly",
    413: "the body is too large",
    422: "the request can't be used; the message says why",
    429: "too many requests; Retry-After says when to come back",
    503: "a source or the store can't be reached; Retry-After says when to come back",
}
SOMETIMES: Final = {
    200: "it was done before",
    202: "accepted: a worker will do it",
    400: "the body broke off",
    404: "there is nothing that the key may see under this id",
    409: "it doesn't fit the present state",
    412: "it was changed since the caller saw it (If-Match)",
}


# Headers, by when they are sent. Those of a request are named beside the parameters of its address.
REQUEST_HEADERS: Final = {
    "Idempotency-Key": "the same request with the same key is done once; its answer is kept for 24 hours",
    "If-Match": "the ETag that the caller saw; if it was changed since, the answer is 412",
    "If-None-Match": "an ETag that the caller has; if it is still the same, the answer is 304",
    "Prefer": "respond-async: answer 202 at once, and leave it to a worker",
    "X-Request-Id": "a name for the request in the log; without one, it gets one",
}
HEADERS: Final = {
    "X-Request-Id": "the request's name in the log",
    "RateLimit-Limit": "how many requests may come at once, where the operator limits them",
    "RateLimit-Remaining": "how many are left",
    "RateLimit-Reset": "after how many seconds all are left again",
    "ETag": "another one once it has changed",
    "Location": "where it is found",
    "Retry-After": "after how many seconds to come back",
    "Preference-Applied": "respond-async",
    "Idempotent-Replayed": "true for an answer that was given before",
    "WWW-Authenticate": "Bearer",
    "Assay-File-Size": "how large the whole file is",
}
_ALWAYS_SENT: Final = ("X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_OF_STATUS: Final = {
    "202": ("Location", "Retry-After", "Preference-Applied"),
    "304": ("ETag",),
    "401": ("WWW-Authenticate",),
    "409": ("Retry-After",),
    "429": ("Retry-After",),
    "503": ("Retry-After",),
}


def _in_header(route: Route) -> list[dict[str, Any]]:
    sent = ["X-Request-Id"]
    sent += ["Idempotency-Key"] if route.method == "POST" else []
    sent += ["If-None-Match"] if route.method == "GET" else []
    sent += ["If-Match"] if 412 in route.also else []
    sent += ["Prefer"] if route.method == "POST" and 202 in route.also else []
    return [{"$ref": f"#/components/parameters/{name}"} for name in sent]


def _headers(route: Route, status: str) -> dict[str, Any]:
    sent = [*_ALWAYS_SENT, *_OF_STATUS.get(status, ())]
    sent += ["Idempotent-Replayed"] if route.method == "POST" and status < "300" else []
    if status == str(route.status):
        sent += ["Location"] if route.location else []
        sent += ["ETag"] if route.method in ("GET", "PUT") and not route.lists else []
        sent += ["Assay-File-Size"] if route.media == "application/octet-stream" else []
    return {name: {"$ref": f"#/components/headers/{name}"} for name in dict.fromkeys(sent)}


def openapi(routes: Iterable[Route], title: str = "Assay") -> dict[str, Any]:
    """The whole description."""
    listed = list(routes)
    schemas, definitions = _schemas(listed)
    paths: dict[str, dict[str, Any]] = {}
    for route in listed:
        path = f"/v1{route.path}".replace(":path}", "}")
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": VERSION, "description": DESCRIPTION},
        "paths": paths,
        "components": {
            "schemas": definitions,
            "headers": {
                name: {"description": meaning, "schema": {"type": "string"}} for name, meaning in HEADERS.items()
            },
            "parameters": {
                name: {
                    "name": name,
                    "in": "header",
                    "description": meaning,
                    "schema": _HEADER_SCHEMAS.get(name, TEXT),
                }
                for name, meaning in REQUEST_HEADERS.items()
            },
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}],
    }


def _operation(route: Route, schemas: dict[int, dict[str, Any]]) -> dict[str, Any]:
    summary, _, rest = (route.handle.__doc__ or "").partition("\n")
    scopes = ", ".join(sorted(one.value for one in route.scopes))
    said = {
        "operationId": route.name,
        "summary": summary.rstrip("."),
        "description": " ".join([*rest.split(), f"Keys: {scopes}."]),
        "parameters": [*map(_in_path, route.parameters), *_in_query(route), *_in_header(route)],
        "responses": _responses(route, schemas),
    }
    if route.body is bytes:
        raw = {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}
        said["requestBody"] = {"required": True, "content": {"application/octet-stream": raw}}
    elif route.body is STREAM:
        said["requestBody"] = {"required": True, "content": {NDJSON: {"schema": {"type": "string"}}}}
    elif route.body is not None and route.body is not WATCH:
        content = {"application/json": {"schema": schemas[id(route.body)], "example": EXAMPLES[route.name]}}
        said["requestBody"] = {"required": route.needs_body, "content": content}
    return said


def _in_path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


TEXT: Final = {"type": "string"}
_TIME: Final = {"type": "string", "format": "date-time"}
_QUERIES: Final = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    **dict.fromkeys(TIMES, _TIME),
}
# As long as a key may be, and what it may be made of.
_HEADER_SCHEMAS: Final = {"Idempotency-Key": {"type": "string", "pattern": "^[ -~]{1,200}$"}}


def _in_query(route: Route) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "description": meaning,
            "schema": _QUERIES.get(name, {"const": meaning.partition(":")[0]} if name == "expand" else TEXT),
        }
        for name, meaning in route.query.items()
    ]


def _responses(route: Route, schemas: dict[int, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {str(route.status): {"description": "as asked for"}}
    if route.answer is not None:
        schema, kind = (
            schemas[id(route.answer)],
            _KINDS.get(route.body, route.media) if isinstance(route.body, str) else route.media,
        )
        found[str(route.status)]["content"] = {kind: {"schema": _page(schema) if route.lists else schema}}
    error = {"application/json": {"schema": {"$ref": REF.format(model=ErrorAnswer.__name__)}}}
    for status, meaning in sorted(
        {**ALWAYS, **{code: SOMETIMES.get(code, ALWAYS.get(code, "")) for code in route.also}}.items()
    ):
        found[str(status)] = {"description": meaning, "content": error if status >= 400 else _ANY}
    if route.method == "GET":
        found["304"] = {"description": "the caller has it already (If-None-Match)"}
    return {status: {**answer, "headers": _headers(route, status)} for status, answer in found.items()}


def _page(schema: dict[str, Any]) -> dict[str, Any]:
    cursor = {"type": ["string", "null"]}
    meta = {
        "type": "object",
        "properties": {"next": cursor, "prev": cursor, "limit": {"type": "integer"}},
        "required": ["next", "prev", "limit"],
    }
    fields = {"data": {"type": "array", "items": schema}, "_meta": meta}
    return {"type": "object", "properties": fields, "required": ["data", "_meta"]}


def _schemas(routes: list[Route]) -> tuple[dict[int, dict[str, Any]], dict[str, Any]]:
    """The schema of everything that is taken and answered, by the identity of its type."""
    taken = {id(one.body): one.body for one in routes if one.body not in (None, bytes, STREAM, WATCH)}
    given = {id(one.answer): one.answer for one in routes if one.answer is not None}
    wanted: list[tuple[Any, Any, Any]] = [(key, "validation", TypeAdapter(one)) for key, one in taken.items()]
    wanted += [(key, "serialization", TypeAdapter(one)) for key, one in given.items()]
    wanted.append(("error", "serialization", TypeAdapter(ErrorAnswer)))
    found, rest = TypeAdapter.json_schemas(wanted, ref_template=REF, schema_generator=GenerateJsonSchema)
    return {key: schema for (key, _), schema in found.items()}, rest.get("$defs", {})
