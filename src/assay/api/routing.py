"""A route: who may call it, what it takes, and what it answers. Every route is declared with ``Routes.add``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError

from assay.api.answers import JSON, unchanging
from assay.core.errors import InputError
from assay.engine.criteria.stored_limits import is_text
from assay.engine.explorer.list_slices import DEFAULT_LIMIT, MOST, SliceRequest, slice_request
from assay.engine.service.keys import Key, Scope

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


# What is answered: an ``Answer``, a part of a list, or a value to be shown with the status of the route.
Handle: TypeAlias = Callable[[ApiCall], Any]


@dataclass(frozen=True, slots=True)
class Route:
    """``body`` is the model of what it takes, or ``bytes``; ``answer`` of what it answers, or None for nothing;
    ``media`` is the type of the answer. ``secret``: it shows one. ``noted``: the audit log
    gets an entry for each request."""

    method: str
    path: str
    scopes: frozenset[Scope]
    handle: Handle
    body: Any
    answer: Any
    status: int
    lists: bool
    query: Mapping[str, str]
    also: tuple[int, ...]
    most_bytes: int
    media: str = JSON
    secret: bool = False
    noted: bool = True

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
        body: type[BaseModel] | Any = None,
        answer: Any = None,
        status: int = 200,
        lists: bool = False,
        query: Mapping[str, str] | None = None,
        also: tuple[int, ...] | None = None,
        most_bytes: int = JSON_BYTES,
        media: str = JSON,
        secret: bool = False,
        noted: bool | None = None,
    ) -> Callable[[Handle], Handle]:
        """Declare a route. Without scopes it would be open to nobody, so that is a mistake.

        ``also`` are statuses beside ``status``; unless told otherwise, what a path names may not be there. What
        changes something is ``noted``, unless told otherwise; reads of evidence say so.
        """
        if not scopes:
            raise TypeError(f"{method} {path} must say who may call it")
        asked = {**(PAGE if lists else {}), **(query or {})}
        known = also if also is not None else (404,) if "{" in path else ()

        def declare(handle: Handle) -> Handle:
            told = (
                body,
                answer,
                status,
                lists,
                asked,
                known,
                most_bytes,
                media,
                secret,
                method != "GET" if noted is None else noted,
            )
            self.all.append(Route(method, path, frozenset(scopes), handle, *told))
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
        *,
        body: Any = None,
        also: tuple[int, ...] | None = None,
        filters: Mapping[str, tuple[str, str]] | None = None,
        show: Callable[[Any], Any] = lambda one: one,
        final: Callable[[Any], bool] | None = None,
        evidence: bool = False,
        **routes: str,
    ) -> None:
        """The usual routes of resources: ``create_…`` with a ``body``, ``list_…``, and ``get_…``, ``replace_…``
        and ``delete_…`` for one by its id. ``routes`` has their meanings by name.

        A path with an id is for the resources ``within`` that one. ``filters`` has what a list can be narrowed
        down by: the column, and the meaning. ``also`` is for ``create_…``. One that is ``final`` stays as it is.
        Who reads ``evidence`` is noted.
        """
        columns = {name: column for name, (column, _) in (filters or {}).items()}

        def create(call: ApiCall) -> Any:
            return show(resources(call.service).add(call.organisation, *call.path.values(), call.body))

        def listed(call: ApiCall) -> Any:
            known = resources(call.service)
            if call.path:
                return known.within(call.organisation, call.id, call.slice)
            wanted = {column: call.filter(name) for name, column in columns.items()}
            return known.slice(call.organisation, call.slice, **wanted).each(show)

        def get(call: ApiCall) -> Any:
            found = resources(call.service).get(call.organisation, call.id)
            return unchanging(found) if final is not None and final(found) else show(found)

        def replace(call: ApiCall) -> Any:
            return show(resources(call.service).replace(call.organisation, call.id, call.body))

        def delete(call: ApiCall) -> Any:
            resources(call.service).remove(call.organisation, call.id)

        one, query = f"{path}/{{id}}", {name: meaning for name, (_, meaning) in (filters or {}).items()}
        usual = {
            "create": (create, self.post(path, answer, body=body, status=201, also=also)),
            "list": (listed, self.lists(path, answer, query=query, noted=evidence)),
            "get": (get, self.get(one, answer, noted=evidence)),
            "replace": (replace, self.put(one, answer, body=body)),
            "delete": (delete, self.delete(one)),
        }
        for name, meaning in routes.items():
            handle, declare = usual[name.partition("_")[0]]
            handle.__name__, handle.__doc__ = name, meaning
            declare(handle)

    def post(self, path: str, answer: Any, *scopes: Scope, **more: Any) -> Callable[[Handle], Handle]:
        """For everybody who may write, unless it says who."""
        return self.add("POST", path, *(scopes or WRITE), answer=answer, **more)

    def put(self, path: str, answer: Any, *scopes: Scope, **more: Any) -> Callable[[Handle], Handle]:
        return self.add("PUT", path, *(scopes or WRITE), answer=answer, **more)

    def delete(self, path: str, *scopes: Scope, **more: Any) -> Callable[[Handle], Handle]:
        return self.add("DELETE", path, *(scopes or WRITE), status=204, **more)
