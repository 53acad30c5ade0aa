"""A route: who may call it, what it takes, and what it answers. Every route is declared with ``Routes.add``."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError, create_model

from assay.api.answers import JSON, json_answer, unchanging
from assay.core.errors import InputError
from assay.engine.criteria.stored_limits import checked_time, is_text
from assay.engine.explorer.list_slices import DEFAULT_LIMIT, MOST, SliceRequest, slice_request
from assay.engine.service.keys import Key, Scope
from assay.engine.service.storage import Between

if TYPE_CHECKING:
    from assay.api.service import Service

# The body of a route that reads JSON lines while they come.
STREAM: Final = "stream"
# The body of a route that tells of changes as they happen.
WATCH: Final = "watch"
JSON_BYTES: Final = 8 * 1024 * 1024
PAGE: Final = {
    "limit": f"how many, from 1 to {MOST} (default: {DEFAULT_LIMIT})",
    "cursor": "next or prev of an earlier page",
}
TIMES: Final = {
    "created_after": "only those that were added at this time or later",
    "created_before": "only those that were added before this time",
}
READ: Final = (Scope.ADMIN, Scope.GRADER, Scope.READER)
WRITE: Final = (Scope.ADMIN, Scope.GRADER)
_PLACE: Final = re.compile(r"\{(\w+)(?::\w+)?\}")


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One request, as far as it was read. ``request`` is its id."""

    service: "Service"
    key: Key
    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes
    body: Any = None
    request: str | None = None

    @property
    def organisation(self) -> str:
        return self.key.organisation

    @property
    def id(self) -> str:
        return self.path["id"]

    @property
    def expected(self) -> list[str] | None:
        """The tags that a caller saw, one of which must still be that of what is changed."""
        written = self.headers.get("if-match")
        return None if written in (None, "*") else [one.strip().strip('"') for one in str(written).split(",")]

    @property
    def between(self) -> Between | None:
        """The time that a list is narrowed down to. Raises ``InputError``."""
        least, end = (_time(name, self.query.get(name)) for name in TIMES)
        return None if least is None and end is None else Between(least, end)

    def filter(self, name: str) -> str | None:
        """The value of a list's filter. Raises ``InputError``."""
        written = self.query.get(name)
        if written is not None and not is_text(written):
            raise InputError(f"{name} must not contain a NUL character")
        return written

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The parameters of the address as they came, those of one name one after the other."""
        several = getattr(self.query, "multi_items", self.query.items)
        return list(several())

    @property
    def slice(self) -> SliceRequest:
        """The part of a list that is asked for. Raises ``InputError``."""
        return slice_request(self.query.get("limit"), self.query.get("cursor"))


def _time(name: str, written: str | None) -> datetime | None:
    """A moment as it is written. Raises ``InputError``."""
    try:
        # A plus that isn't quoted arrives as a space.
        at = None if written is None else datetime.fromisoformat(written.replace(" ", "+"))
        if at is None:
            return None
        return checked_time(at, name)
    except ValueError as error:
        raise InputError(f"{name} must be a time such as 2026-06-01T12:00:00Z, got {written!r}") from error


# What is answered: an ``Answer``, a part of a list, or a value to be shown with the status of the route.
Handle: TypeAlias = Callable[[ApiCall], Any]


@dataclass(frozen=True, slots=True)
class Route:
    """``body`` is the model of what it takes, or ``bytes``; ``answer`` of what it answers, or None for nothing;
    ``media`` is the type of the answer. ``secret``: it shows one. ``noted``: the audit log
    gets an entry for each request. ``location``: where what it makes is found by its id."""

    method: str
    path: str
    scopes: frozenset[Scope]
    handle: Handle
    body: Any = None
    answer: Any = None
    status: int = 200
    lists: bool = False
    query: Mapping[str, str] = field(default_factory=dict)
    also: tuple[int, ...] = ()
    most_bytes: int = JSON_BYTES
    media: str = JSON
    secret: bool = False
    noted: bool = True
    location: str = ""

    @property
    def parameters(self) -> list[str]:
        return _PLACE.findall(self.path)

    @property
    def needs_body(self) -> bool:
        """Whether something has to be said: not so where every field may be left out."""
        try:
            TypeAdapter(self.body).validate_json(b"{}")
        except ValidationError:
            return True
        return False

    @property
    def name(self) -> str:
        return self.handle.__name__


def always(_resource: Any) -> bool:
    """For resources that never change."""
    return True


class Routes:
    """The routes of one part of the API."""

    def __init__(self) -> None:
        self.all: list[Route] = []

    def add(
        self,
        method: str,
        path: str,
        *scopes: Scope,
        lists: bool = False,
        query: Mapping[str, str] | None = None,
        also: tuple[int, ...] | None = None,
        noted: bool | None = None,
        **more: Any,
    ) -> Callable[[Handle], Handle]:
        """Declare a route, with ``more`` of its fields. Without scopes it would be open to nobody: a mistake.

        ``also`` are statuses beside ``status``; unless told otherwise, what a path names may not be there. What
        changes something is ``noted``, unless told otherwise; reads of evidence say so.
        """
        if not scopes:
            raise TypeError(f"{method} {path} must say who may call it")
        known = also if also is not None else (404,) if "{" in path else ()
        shown: dict[str, Any] = {
            "lists": lists,
            "query": {**(PAGE if lists else {}), **(query or {})},
            "also": known,
            "noted": method != "GET" if noted is None else noted,
        }

        def declare(handle: Handle) -> Handle:
            self.all.append(Route(method, path, frozenset(scopes), handle, **shown, **more))
            return handle

        return declare

    def get(self, path: str, answer: Any, *scopes: Scope, **more: Any) -> Callable[[Handle], Handle]:
        """For everybody who may read, unless it says who."""
        return self.add("GET", path, *(scopes or READ), answer=answer, **more)

    def lists(self, path: str, answer: Any, *scopes: Scope, **more: Any) -> Callable[[Handle], Handle]:
        return self.get(path, answer, *scopes, lists=True, **more)

    def resource(
        self,
        path: str,
        answer: Any,
        resources: Callable[["Service"], Any],
        *scopes: Scope,
        body: Any = None,
        also: tuple[int, ...] = (),
        filters: Mapping[str, tuple[str, str]] | None = None,
        show: Callable[[Any], Any] = lambda one: one,
        check: Callable[[ApiCall], None] = lambda _call: None,
        final: Callable[[Any], bool] = lambda _resource: False,
        evidence: bool = False,
        tagged: bool = False,
        location: str | None = None,
        part: "Part | None" = None,
        time: str = "created_at",
        **routes: str,
    ) -> None:
        """The usual routes of resources: ``create_…`` with a ``body``, ``list_…``, and ``get_…``, ``replace_…``
        and ``delete_…`` or ``remove_…`` for one by its id. ``routes`` has their meanings by name.

        A path with an id is for the resources ``within`` that one. ``filters`` has what a list can be narrowed
        down by: the column, and the meaning. What is created or replaced is held against ``check`` first; ``also``
        is for these. One that is ``final`` stays as it is. Who reads ``evidence`` is noted. What is
        ``tagged`` is changed only as its caller saw it, if the caller says so (``If-Match``). A ``part``
        is shown to who asks for it. ``time`` is the column that a list is narrowed down by in time.
        """
        columns = {name: column for name, (column, _) in (filters or {}).items()}

        def with_part(call: ApiCall, found: Any) -> Any:
            return show(found) if part is None else part.shown(call, found, found.id)

        def create(call: ApiCall) -> Any:
            check(call)
            return with_part(call, resources(call.service).add(call.organisation, *call.path.values(), call.body))

        def listed(call: ApiCall) -> Any:
            known = resources(call.service)
            if call.path:
                return known.within(call.organisation, call.id, call.slice)
            wanted = {time: call.between, **{column: call.filter(name) for name, column in columns.items()}}
            return known.slice(call.organisation, call.slice, **wanted).each(show)

        def get(call: ApiCall) -> Any:
            if tagged:
                return shown(call)
            found = resources(call.service).get(call.organisation, call.id)
            told = with_part(call, found)
            return unchanging(told) if final(found) else told

        def shown(call: ApiCall) -> Any:
            found, tag = resources(call.service).tagged(call.organisation, call.id)
            return replace(json_answer(with_part(call, found)), headers={"ETag": f'"{tag}"'})

        def change(call: ApiCall) -> Any:
            check(call)
            resources(call.service).replace(call.organisation, call.id, call.body, call.expected)
            return shown(call)

        def delete(call: ApiCall) -> Any:
            resources(call.service).remove(call.organisation, call.id, *([call.expected] if tagged else []))

        one, query = f"{path}/{{id}}", {name: meaning for name, (_, meaning) in (filters or {}).items()}
        query |= {} if "{" in path else TIMES
        place = path if location is None else location
        missing = (404,) if "{" in path else ()
        outdated = (404, 412) if tagged else (404,)
        more = {} if part is None else part.query
        whole = answer if part is None else part.answer(answer)
        add = self.post(path, whole, *scopes, body=body, also=missing + also, location=place, query=more)
        remove = (delete, self.delete(one, *scopes, also=outdated))
        usual = {
            "create": (create, add),
            "list": (listed, self.lists(path, answer, *scopes, query=query, noted=evidence)),
            "get": (get, self.get(one, whole, *scopes, noted=evidence, query=more)),
            "replace": (change, self.put(one, whole, *scopes, body=body, also=outdated + also, query=more)),
            "delete": remove,
            "remove": remove,
        }
        for name, meaning in routes.items():
            handle, declare = usual[name.partition("_")[0]]
            handle.__name__, handle.__doc__ = name, meaning
            declare(handle)

    def post(
        self, path: str, answer: Any, *scopes: Scope, status: int | None = None, **more: Any
    ) -> Callable[[Handle], Handle]:
        """For everybody who may write, unless it says who. What it makes is found at its ``location``."""
        code = status or (201 if "location" in more else 200)
        return self.add("POST", path, *(scopes or WRITE), answer=answer, status=code, **more)

    def put(self, path: str, answer: Any, *scopes: Scope, **more: Any) -> Callable[[Handle], Handle]:
        return self.add("PUT", path, *(scopes or WRITE), answer=answer, **more)

    def delete(self, path: str, *scopes: Scope, **more: Any) -> Callable[[Handle], Handle]:
        return self.add("DELETE", path, *(scopes or WRITE), status=204, **more)


@dataclass(frozen=True, slots=True)
class Part:
    """More of a resource, which is shown with it to who asks for that (``?expand=``): a list of ``model``."""

    name: str
    model: type[BaseModel]
    items: Callable[[ApiCall, str], Any]

    @property
    def query(self) -> dict[str, str]:
        return {"expand": f"{self.name}: show them, too"}

    def answer(self, whole: Any) -> Any:
        """The type of a resource with or without this part."""
        more: dict[str, Any] = {self.name: (list[self.model], ...)}  # type: ignore[name-defined] # Made here.
        return whole | create_model(f"{whole.__name__}With{self.model.__name__}s", __base__=whole, **more)

    def shown(self, call: ApiCall, resource: BaseModel, identity: str) -> Any:
        """The resource, with the part if that is asked for. Raises ``InputError``."""
        wanted = call.filter("expand")
        if wanted is None:
            return resource
        if wanted != self.name:
            raise InputError(f"expand must be {self.name}, got {wanted!r}")
        return {**resource.model_dump(mode="json", by_alias=True), self.name: list(self.items(call, identity))}


def by_path(routes: Iterable[Route]) -> dict[str, dict[str, Route]]:
    """The routes of each path by their methods. A word of a path comes before what may be any word."""
    found: dict[str, dict[str, Route]] = {}
    for route in sorted(routes, key=lambda one: [part.startswith("{") for part in one.path.split("/")]):
        found.setdefault(route.path, {})[route.method] = route
    return found
