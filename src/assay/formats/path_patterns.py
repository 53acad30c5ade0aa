"""Patterns of paths: shell-style globs as ``fnmatch`` has them, case-sensitive, where ``*`` does not stop at
``/``.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from assay.evidence.workspace import EntryKind, Workspace

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
# Letters of other alphabets that nobody can tell from Latin ones by their look.
_LOOKALIKES = str.maketrans("аеіјорсухѕԁһІЕАВСНКМОРТХοανκρι", "aeijopcyxsdhIEABCHKMOPTXoavkpi")
_WILDCARD = re.compile(r"[*?\[]")
# A slash in brackets is one of several letters that may be there.
_CLASS = re.compile(r"\[!?\]?[^\]]{0,200}\]")
_ALTERNATIVES = re.compile(r"\{[^{},]*+,[^{}]*+\}")


def plain_path(path: str) -> str:
    """A path as captures have it. Raises ``ValueError`` for one that leaves the workspace or names nothing."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError(f"a path must be relative to the workspace, without '..', got {path!r}")
    return "/".join(parts)


def check_patterns(patterns: Iterable[str]) -> None:
    """Refuse a pattern that no path can match: it would guard or allow nothing, silently.

    Raises ``ValueError`` with a pattern that works.
    """
    for pattern in patterns:
        parts = _CLASS.sub("?", pattern).split("/")
        if not pattern or "\0" in pattern:
            raise ValueError(f"a pattern must have at least one character and no NUL, got {pattern!r}")
        if ".." in parts:
            raise ValueError(f"a pattern must have no '..', as no path in a workspace has one, got {pattern!r}")
        if "" in parts or "." in parts:
            meant = f"got {pattern!r} (did you mean {_live(pattern)!r}?)"
            raise ValueError(f"a pattern must be written as paths in the workspace are, {meant}")


def check_needed_patterns(patterns: Sequence[str]) -> None:
    """Like ``check_patterns``, and refuses a list that is empty."""
    if not patterns:
        raise ValueError("patterns must have at least one glob, got an empty list")
    check_patterns(patterns)


def _live(pattern: str) -> str:
    """A pattern written as paths are. One that ends like a folder means everything in the folder."""
    parts = pattern.split("/")
    names = [part for part in parts if part not in ("", ".")]
    return "/".join(names if names and parts[-1] == names[-1] else [*names, "*"])


def notes_on(patterns: Sequence[str], workspace: Workspace) -> Iterator[str]:
    """Notes on patterns that match less than their author is likely to think."""
    for pattern in patterns:
        if pattern.startswith("!"):
            yield f"{pattern!r} excludes nothing: '!' is a character of the name"
        elif _ALTERNATIVES.search(pattern):
            yield f"{pattern!r} has no alternatives: braces are characters of the name"
        elif "**/" in pattern and (without := pattern.replace("**/", "")) not in patterns:
            yield f"'**/' in {pattern!r} matches at least one folder: {without!r} also matches without one"
        elif not _WILDCARD.search(pattern) and _is_folder(pattern, workspace):
            yield f"{pattern!r} is a folder: '{pattern}/*' matches what is in it"


def _is_folder(path: str, workspace: Workspace) -> bool:
    entry = workspace.entry(path)
    return entry is not None and entry.kind is EntryKind.FOLDER


def matching(path: str, patterns: Iterable[str]) -> str | None:
    """The first pattern that a path matches as it is spelled."""
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


def fold_path(path: str) -> str:
    """A common key of paths that a careless system takes for the same file."""
    return undisguised(path).casefold()


def _names_something_hidden(pattern: str) -> bool:
    return any(part.startswith(".") and not _WILDCARD.match(part[1:2]) for part in pattern.split("/"))
