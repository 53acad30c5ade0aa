"""Globs of files below a prefix: ``*``, ``?`` and ``[abc]`` within a folder, ``**`` for any number of folders.

Globs are case-sensitive, and names with a leading dot are ordinary names. An accented letter may be one character
or two, as systems differ on that. The cost doesn't depend on what names look like, so an agent that chooses them
can't make a pattern slow.
"""

import re
import unicodedata
from fnmatch import fnmatchcase
from typing import Final

_ANY_FOLDERS: Final = "**"
_WILDCARDS: Final = re.compile(r"([*?\[])")


def check_glob(pattern: str) -> None:
    """Refuse a pattern that leaves the prefix or can't match. Raises ``ValueError``."""
    parts = pattern.split("/")
    if not pattern or pattern.startswith("/") or "\\" in pattern or not pattern.isprintable():
        raise ValueError(
            f"a pattern must be relative, with '/' between folders and no backslashes, got {pattern!r}"
        )
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError(
            f"the pattern {pattern!r} has an empty part, '.' or '..'; it must be a path below the prefix"
        )
    if any(_ANY_FOLDERS in part and part != _ANY_FOLDERS for part in parts):
        raise ValueError(f"in the pattern {pattern!r}, '**' must be alone between slashes")


def in_glob(value: str) -> str:
    """A value as a literal part of a pattern, without wildcards. Raises ``ValueError`` for a path."""
    if "/" in value or value in ("", ".", ".."):
        raise ValueError("a value in a pattern of files must be part of a name, without '/'")
    return literal(value)


def literal(path: str) -> str:
    """A pattern that matches exactly this path."""
    return _WILDCARDS.sub(r"[\1]", path)


def matches_glob(path: str, pattern: str) -> bool:
    """Whether a path, relative to the prefix, matches the pattern."""
    parts = _composed(pattern).split("/")
    if parts[-1] == _ANY_FOLDERS:
        parts.append("*")
    return _all_match(_composed(path).split("/"), parts)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _all_match(names: list[str], parts: list[str]) -> bool:
    """Match part by part. If a part doesn't match, the last ``**`` takes one more folder."""
    name = part = 0
    back_to: tuple[int, int] | None = None
    while name < len(names):
        if part < len(parts) and parts[part] == _ANY_FOLDERS:
            back_to = (name, part)
            part += 1
        elif part < len(parts) and fnmatchcase(names[name], parts[part]):
            name, part = name + 1, part + 1
        elif back_to is not None:
            back_to = (back_to[0] + 1, back_to[1])
            name, part = back_to[0], back_to[1] + 1
        else:
            return False
    return part == len(parts)
