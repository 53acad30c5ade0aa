"""A page: who may see it, and what answers it. Every page is declared with ``PageRoutes.add``.

The same pages are shown by ``assay serve`` and by ``assay view``, so nothing here knows of a web framework.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, unquote

from assay.core.errors import InputError
from assay.engine.explorer.page_source import PageSource
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.keys import Scope
from assay.web.assets import asset, caching
from assay.web.rendering import render
from assay.web.site import Site, Viewer

READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)
"""Who may look at pages."""
CHANGE = (Scope.ADMIN, Scope.GRADER)
"""Who may change something."""
MOST_FIELDS = 2000
TOKEN_FIELD = "token"  # noqa: S105 - the name of a field
ONCE = "assay_once"
"""The cookie of a secret that is shown once."""
HTML = "text/html; charset=utf-8"
POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; "
    "img-src 'self'; script-src 'self'; style-src 'self'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every page is sent with."""
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """An answer: a text, bytes, or bytes one after the other."""

    body: str | bytes | Iterable[bytes]
    status: int = 200
    media_type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def chunks(self) -> Iterable[bytes]:
        """The bytes, one part after the other; a page is one part."""
        body = self.body.encode(errors="backslashreplace") if isinstance(self.body, str) else self.body
        return [body] if isinstance(body, bytes) else iter(body)


class Fields:
    """Fields of a query or a form. A field may be there several times."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    @classmethod
    def of(cls, text: str) -> "Fields":
        """Fields as an address or a form writes them. Raises ``InputError`` for too many."""
        try:
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="replace")
        except ValueError as error:
            raise InputError(f"a form must have at most {MOST_FIELDS} fields") from error
        return cls((name, value) for name, value in pairs if "\x00" not in value)

    def get(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        return self._values.get(name, [default])[-1]

    def all(self, name: str) -> list[str]:
        return list(self._values.get(name, ()))

    def whole(self, name: str, default: int = 0, most: int = 10**9) -> int:
        """A whole number from 0 on. What isn't one is the default."""
        written = self.get(name)
        return (
            min(int(written), most) if written.isascii() and written.isdecimal() and len(written) < 12 else default
        )

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All fields, in the order in which their names came first."""
        return ((name, value) for name, values in self._values.items() for value in values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __bool__(self) -> bool:
        return bool(self._values)


@dataclass(frozen=True, kw_only=True, slots=True)
class PageCall:
    """One request for a page. ``partial`` says whether a script asks for a part of the page only, ``seen`` when
    its browser was on the first page before. ``once`` is a secret that this page shows and no other one will.
    """

    site: Site
    viewer: Viewer
    path: Mapping[str, str] = field(default_factory=dict)
    query: Fields = field(default_factory=Fields)
    form: Fields = field(default_factory=Fields)
    files: Mapping[str, bytes] = field(default_factory=dict)
    place: str = ""
    partial: bool = False
    seen: str = ""
    once: str = ""
    reads: PageSource | None = None

    @property
    def source(self) -> PageSource:
        """Where runs are read from. Only pages that nobody is signed in for have none."""
        if self.reads is None:
            raise TypeError(f"{self.place} has nothing to read from")
        return self.reads

    def page(self, template: str, *, title: str, status: int = 200, **values: Any) -> PageAnswer:
        """A template as an answer."""
        shown = render(template, title=title, call=self, site=self.site, viewer=self.viewer, **values)
        gone = {"Set-Cookie": once_cookie(self.site.to(self.place), "", 0)} if self.once else {}
        return PageAnswer(shown, status, headers=gone)

    def go(self, address: str, once: str = "") -> PageAnswer:
        """On to another page, after a change. A new secret goes with it in a cookie, which that page takes away:
        loading the page again repeats neither the change nor the secret.
        """
        cookie = {"Set-Cookie": once_cookie(address, once, 60)} if once else {}
        return PageAnswer("", 303, headers={"Location": address, **cookie})


def once_cookie(address: str, secret: str, seconds: int) -> str:
    return f"{ONCE}={secret}; Path={address}; Max-Age={seconds}; HttpOnly; SameSite=Strict"


C_contra = TypeVar("C_contra", bound=PageCall, contravariant=True)


@dataclass(frozen=True, slots=True)
class PageRoute(Generic[C_contra]):
    """``path`` has names in braces, each of which stands for what is between two slashes."""

    method: str
    path: str
    scopes: frozenset[Scope]
    handle: Callable[[C_contra], PageAnswer]
    word: str | None = None

    @property
    def name(self) -> str:
        return self.handle.__name__

    def values(self, path: str) -> dict[str, str] | None:
        """The values for the names, in a path that is still quoted; None if the path is another one."""
        found = _pattern(self.path).fullmatch(path)
        return None if found is None else {name: unquote(value) for name, value in found.groupdict().items()}


@cache
def _pattern(path: str) -> re.Pattern[str]:
    parts = [f"(?P<{one[1:-1]}>[^/]+)" if _PLACE.fullmatch(one) else re.escape(one) for one in path.split("/")]
    return re.compile("/".join(parts))


def route_at(
    routes: Iterable[PageRoute[C_contra]], method: str, place: str
) -> tuple[PageRoute[C_contra], dict[str, str]] | None:
    """The page at a place, and what stands for the names in its path; None if there is no page."""
    wanted = method.replace("HEAD", "GET")
    found = ((one, one.values(f"/{place}")) for one in routes if one.method == wanted)
    return next(((one, values) for one, values in found if values is not None), None)


class PageRoutes(Generic[C_contra]):
    """The pages of one part of the site."""

    def __init__(self) -> None:
        self.all: list[PageRoute[C_contra]] = []

    def add(
        self, method: str, path: str, *scopes: Scope, word: str | None = None
    ) -> Callable[[Callable[[C_contra], PageAnswer]], Callable[[C_contra], PageAnswer]]:
        """Declare a page. ``word`` puts it into the navigation. Without scopes nobody could see it: a mistake."""
        if not scopes:
            raise TypeError(f"{method} {path} must say who may see it")

        def declare(handle: Callable[[C_contra], PageAnswer]) -> Callable[[C_contra], PageAnswer]:
            self.all.append(PageRoute(method, path, frozenset(scopes), handle, word))
            return handle

        return declare


def asset_answer(name: str, version: str, accepted: str) -> PageAnswer:
    """A file that pages load, packed where that is accepted. Pages are not: their size would tell of secrets."""
    found = asset(name)
    if found is None:
        return PageAnswer("there is no such file\n", 404, "text/plain")
    headers = {"Cache-Control": caching(found, version), "Vary": "Accept-Encoding"}
    if "gzip" not in accepted:
        return PageAnswer(found.content, 200, found.media_type, headers)
    return PageAnswer(found.packed, 200, found.media_type, {**headers, "Content-Encoding": "gzip"})


def answer_page(route: PageRoute[C_contra], call: C_contra) -> PageAnswer:
    """A page's answer. If something is missing or unusable, a page says so; other errors go on."""
    try:
        return route.handle(call)
    except NotFoundError as error:
        return trouble(call, 404, str(error))
    except ConflictError as error:
        return trouble(call, 409, str(error))
    except InputError as error:
        return trouble(call, 422, str(error))


def trouble(call: PageCall, status: int, sentence: str) -> PageAnswer:
    """A page that says what is wrong."""
    titles = {
        403: "Not allowed",
        404: "Not found",
        409: "Not possible now",
        422: "That can't be used",
        503: "Not at the moment",
    }
    return call.page("trouble.html", title=titles.get(status, "Something broke"), status=status, sentence=sentence)
