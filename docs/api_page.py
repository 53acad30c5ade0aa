"""The reference of the HTTP API, from its routes."""

import json
from collections.abc import Iterator

from assay.api.app import ROUTES
from assay.api.openapi import ALWAYS, DESCRIPTION, SOMETIMES, openapi
from assay.api.routing import Route
from docs.markdown import from_docstring, table

_INTRODUCTION = """
The same as a description for programs: [openapi.json](openapi.json) (OpenAPI 3.1), from which clients in other
languages can be generated; a running service has it at ``/openapi.json``, and pages for people at ``/docs``.
"""


def api_page() -> Iterator[str]:
    """Every route: what it does, who may call it, what it takes."""
    yield "# The HTTP API"
    yield " ".join(DESCRIPTION.split())
    yield from_docstring(_INTRODUCTION)
    rows = [(f"[`{one.method} /v1{one.path}`](#{_anchor(one)})", _summary(one), _keys(one)) for one in ROUTES]
    yield table(("route", "what it does", "keys"), rows)
    yield "## Answers that any route may give"
    yield table(("status", "meaning"), [(str(status), meaning) for status, meaning in ALWAYS.items()])
    for route in ROUTES:
        yield from _route(route)


def openapi_file() -> dict[str, str]:
    """The description for programs, by its path below docs/reference."""
    return {"openapi.json": json.dumps(openapi(ROUTES), indent=2, sort_keys=True) + "\n"}


def _route(route: Route) -> Iterator[str]:
    yield f"## {route.method} /v1{route.path}"
    yield from_docstring(route.handle.__doc__ or "")
    rows = [("keys", _keys(route)), ("answers", str(route.status))]
    rows += [(f"`{name}`", meaning) for name, meaning in route.query.items()]
    rows += [(f"answers {status}", SOMETIMES[status]) for status in route.also if status in SOMETIMES]
    yield table(("", ""), rows)


def _summary(route: Route) -> str:
    return (route.handle.__doc__ or "").partition("\n")[0].rstrip(".")


def _keys(route: Route) -> str:
    return ", ".join(sorted(scope.value for scope in route.scopes))


def _anchor(route: Route) -> str:
    kept = (
        character
        for character in f"{route.method} /v1{route.path}".lower()
        if character.isalnum() or character in " -_"
    )
    return "".join(kept).replace(" ", "-")
