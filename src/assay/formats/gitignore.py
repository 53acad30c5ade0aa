"""Which paths the ``.gitignore`` files of a repository name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from assay.formats.globs import matches_glob

NAME = ".gitignore"
_ESCAPED = re.compile(r"\\(.)")
_NEGATED_CLASS = re.compile(r"\[\^")


@dataclass(frozen=True, slots=True)
class _Rule:
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


def _rules(text: str) -> tuple[_Rule, ...]:
    found = (_rule(line.removesuffix("\r")) for line in text.split("\n"))
    return tuple(rule for rule in found if rule is not None)


def _rule(line: str) -> _Rule | None:
    text = line.rstrip(" ") if not line.endswith("\\ ") else line
    includes = text.startswith("!")
    pattern = text[1:] if includes else text
    if not pattern.strip("/") or text.startswith("#"):
        return None
    bare = pattern.rstrip("/")
    anchored = "/" in bare
    glob = _ESCAPED.sub(_literal, _NEGATED_CLASS.sub("[!", bare.lstrip("/") if bare.startswith("/") else bare))
    return _Rule(text, glob, anchored, pattern.endswith("/"), includes)


def _literal(found: re.Match[str]) -> str:
    return f"[{found[1]}]" if found[1] in "*?[" else found[1]
