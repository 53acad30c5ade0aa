"""Where pages are and who looks at them: what every page of one server shares."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from assay.engine.service.keys import Scope

if TYPE_CHECKING:
    from assay.web.routing import PageRoute

_SAFE_NEXT = re.compile(r"[A-Za-z0-9._~/%?=&+,:@!*-]*")


@dataclass(frozen=True, slots=True)
class Site:
    """One server of pages. ``base`` is the path that every address begins with; it ends with a slash.

    ``routes`` are those of its pages; the ones that have a word for it are in the navigation.
    """

    base: str
    routes: "Sequence[PageRoute[Any]]" = ()
    name: str = ""
    signed_in: bool = False
    """Whether people sign in, so that they can sign out, too."""

    def to(self, path: str, query: Mapping[str, object] | Iterable[tuple[str, object]] = (), /) -> str:
        """The address of a path below the base, with a query; values that are None or empty are left out."""
        pairs = query.items() if isinstance(query, Mapping) else query
        each = (
            (key, one) for key, value in pairs for one in (value if isinstance(value, list | tuple) else [value])
        )
        kept = [(key, str(one)) for key, one in each if one is not None and one != ""]
        asked = f"?{urlencode(kept)}" if kept else ""
        return f"{self.base}{path.removeprefix('/')}{asked}"

    def run(self, identity: str, query: Mapping[str, object] | Iterable[tuple[str, object]] = (), /) -> str:
        """The address of a run."""
        return self.to(f"runs/{quote(identity, safe='')}", query)

    def job(self, name: str, query: Mapping[str, object] | Iterable[tuple[str, object]] = (), /) -> str:
        """The address of a job."""
        return self.to(f"jobs/{quote(name, safe='')}", query)

    def inside(self, address: str) -> str:
        """An address as it came from a form, if it leads to a page of this site; else the first page."""
        ours = address.startswith(self.base) and "//" not in address and _SAFE_NEXT.fullmatch(address)
        return address if ours else self.base


@dataclass(frozen=True, slots=True)
class Viewer:
    """The viewer of a page, and the token that their forms carry. ``name`` is that of their key."""

    scope: Scope
    name: str = ""
    token: str = ""

    @property
    def may_change(self) -> bool:
        return self.scope in (Scope.ADMIN, Scope.GRADER)
