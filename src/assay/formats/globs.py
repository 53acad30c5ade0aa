"""Globs of files below a prefix: ``*``, ``?`` and ``[abc]`` within a folder, ``**`` for any number of folders.

Globs are case-sensitive, and names with a leading dot are ordinary names. An accented letter may be one character
or two, as systems differ on that. The cost doesn't depend on what names look like, so an agent that chooses them
can't make a pattern slow.
"""

import posixpath
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    parts = _compose_text(pattern).split("/")
    if parts[-1] == _ANY_FOLDERS:
        parts.append("*")
    return _all_match(_compose_text(path).split("/"), parts)


def _compose_text(text: str) -> str:
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


# The list of the Dockerfile takes precedence over that of the folder.
DOCKERIGNORES = ("Dockerfile.dockerignore", ".dockerignore")


def ignored_paths(text: str, paths: Sequence[str]) -> list[str]:
    """The paths that are excluded. A folder is not excluded as long as something in it is included."""
    patterns = _patterns(text)
    kept = {path for path in paths if not _ignored(path, patterns)}
    kept |= {parent for path in kept for parent in _with_parents(path)}
    return [path for path in paths if path not in kept]


def _patterns(text: str) -> list[tuple[str, bool]]:
    """Each pattern, and whether it includes paths again that an earlier pattern excluded."""
    lines = (line.strip() for line in text.splitlines())
    found = [(line.removeprefix("!").strip(), line.startswith("!")) for line in lines if line and line[0] != "#"]
    return [(posixpath.normpath(f"/{pattern}").strip("/"), back) for pattern, back in found]


def _ignored(path: str, patterns: list[tuple[str, bool]]) -> bool:
    """Whether a path is excluded. The last pattern that matches it, or a folder around it, decides."""
    around = _with_parents(path)
    matching = (back for pattern, back in reversed(patterns) if any(matches_glob(one, pattern) for one in around))
    return not next(matching, True)


def _with_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


NAME = ".gitignore"
_ESCAPED = re.compile(r"\\(.)")
_NEGATED_CLASS = re.compile(r"\[\^")


@dataclass(frozen=True, slots=True)
class _IgnoreRule:
    """A line of a file. ``anchored`` patterns are compared with the whole path below the file's folder."""

    text: str
    glob: str
    anchored: bool
    folders_only: bool
    includes: bool

    def matches(self, path: str, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        return matches_glob(path, self.glob) if self.anchored else fnmatchcase(path.rpartition("/")[2], self.glob)


class IgnoreRules:
    """The rules of several files, by the folder that each is in; "" is the root."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._rules = {folder: _rules(text) for folder, text in texts.items()}
        self._folders: dict[str, str | None] = {"": None}

    def rule_for(self, path: str) -> str | None:
        """The line that a file is ignored by, as it is written; None for a file that isn't ignored."""
        return self.folder_rule(path.rpartition("/")[0]) or self._deciding(path, is_folder=False)

    def folder_rule(self, folder: str) -> str | None:
        """The same for a folder. What is in an ignored folder can't be included again."""
        if folder not in self._folders:
            above = self.folder_rule(folder.rpartition("/")[0])
            self._folders[folder] = above or self._deciding(folder, is_folder=True)
        return self._folders[folder]

    def _deciding(self, path: str, is_folder: bool) -> str | None:
        """The last rule that matches counts, and a file of rules counts more than those above it."""
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            below = path[len(folder) + 1 :] if folder else path
            for rule in reversed(self._rules.get(folder, ())):
                if rule.matches(below, is_folder):
                    return None if rule.includes else rule.text
        return None


def _rules(text: str) -> tuple[_IgnoreRule, ...]:
    found = (_rule(line.removesuffix("\r")) for line in text.split("\n"))
    return tuple(rule for rule in found if rule is not None)


def _rule(line: str) -> _IgnoreRule | None:
    text = line.rstrip(" ") if not line.endswith("\\ ") else line
    includes = text.startswith("!")
    pattern = text[1:] if includes else text
    if not pattern.strip("/") or text.startswith("#"):
        return None
    bare = pattern.rstrip("/")
    anchored = "/" in bare
    glob = _ESCAPED.sub(_literal, _NEGATED_CLASS.sub("[!", bare.lstrip("/") if bare.startswith("/") else bare))
    return _IgnoreRule(text, glob, anchored, pattern.endswith("/"), includes)


def _literal(found: re.Match[str]) -> str:
    return f"[{found[1]}]" if found[1] in "*?[" else found[1]
