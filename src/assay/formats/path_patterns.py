"""Patterns of paths: shell-style globs as ``fnmatch`` has them, case-sensitive, where ``*`` does not stop at
``/``.
"""

import re
import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
# Letters of other alphabets that nobody can tell from Latin ones by their look.
_LOOKALIKES = str.maketrans("аеіјорсухѕԁһІЕАВСНКМОРТХοανκρι", "aeijopcyxsdhIEABCHKMOPTXoavkpi")
_WILDCARD = re.compile(r"[*?\[]")


def plain_path(path: str) -> str:
    """A path as captures have it. Raises ``ValueError`` for one that leaves the workspace or names nothing."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError(f"a path is relative to the workspace, without '..', not {path!r}")
    return "/".join(parts)


def matching(path: str, patterns: Iterable[str]) -> str | None:
    """The first pattern that a path matches, as it is written."""
    return next((pattern for pattern in patterns if fnmatchcase(path, pattern)), None)


def matching_in_disguise(path: str, patterns: Iterable[str]) -> str | None:
    """The first pattern that a path matches as written or under another spelling of the same name.

    Other systems take ``.github.``, full-width letters and composed or decomposed accents for the same name, and
    people take letters of other alphabets for the Latin ones that they look like. Upper
    and lower case are the same for names with a leading dot (``.GitHub``): tools look for these on systems that
    ignore case. Other names stay case-sensitive.
    """
    plain = undisguised(path)
    for pattern in patterns:
        if fnmatchcase(path, pattern) or fnmatchcase(plain, pattern):
            return pattern
        if _names_something_hidden(pattern) and fnmatchcase(plain.casefold(), pattern.casefold()):
            return pattern
    return None


def undisguised(path: str) -> str:
    """The plainest spelling of a path."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", path)).translate(_LOOKALIKES)
    return "/".join(part.rstrip(". ") or part for part in visible.split("/"))


def folded(path: str) -> str:
    """What paths have in common that a careless system takes for the same file."""
    return undisguised(path).casefold()


def _names_something_hidden(pattern: str) -> bool:
    return any(part.startswith(".") and not _WILDCARD.match(part[1:2]) for part in pattern.split("/"))
