"""Parts of a build by their path: modules, projects, crates and test targets that a build file lists.

What is still there and no longer listed, or listed without its harness, has tests that nobody runs. Whether it is
still there, the caller knows.
"""

import fnmatch
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from assay.detectors.settings.settings_text import json_object, table, toml
from assay.detectors.settings.weakening import Weakening, weakening

_MODULE = re.compile(r"<module>\s*([^<>\s]{1,200})\s*</module>")
_LINE_COMMENT = re.compile(r"(?m)^[ \t]*(?://|#)[^\n]*")
_COMMENT = re.compile(rf"<!--(?:[\s\S]*?-->|(?P<unclosed>[\s\S]*\Z))|{_LINE_COMMENT.pattern[4:]}", re.MULTILINE)
_INCLUDE = re.compile(r"\binclude\b\s*+\(?((?:\s*+[\"'][^\"'\n]{1,200}+[\"']\s*+,?+)++)")
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,200})[\"']")
_PROJECT = re.compile(r"^Project\([^)\n]*\)\s*=\s*\"[^\"\n]*\",\s*\"([^\"\n]{1,300}proj)\"", re.MULTILINE)
_SLNX = re.compile(r"<Project\s[^>]{0,200}?Path=\"([^\"\n]{1,300})\"")
_USE = re.compile(r"(?m)^[ \t]*(?:use[ \t]+)?(\.{0,2}/[^\s()]*|\.)[ \t]*(?://.*)?$")


def left_out(path: str, before: str | None, after: str | None) -> Iterator[tuple[str, Weakening]]:
    """Paths below the folder of a build file that it no longer has tested, each with what to say of it."""
    name = PurePosixPath(path).name
    for pattern, parts in _LISTS:
        if before and after and fnmatch.fnmatchcase(name, pattern):
            for gone in sorted(parts(before) - parts(after)):
                if not any(fnmatch.fnmatchcase(gone, other) for other in parts(after)):
                    yield gone, weakening("tests_excluded", after, "", gone, None)
    if name == "Cargo.toml" and after:
        yield from _cargo_targets(before or "", after)


def is_list(path: str) -> bool:
    """Whether a file lists parts of a build."""
    return any(fnmatch.fnmatchcase(PurePosixPath(path).name, pattern) for pattern, _ in _LISTS)


def _modules(text: str) -> set[str]:
    return set(_MODULE.findall(_without_comments(text)))


def _gradle_projects(text: str) -> set[str]:
    listed = (part for found in _INCLUDE.findall(_without_comments(text)) for part in _QUOTED.findall(found))
    return {part.strip(":").replace(":", "/") for part in listed}


def _without_comments(text: str) -> str:
    """A comment that nothing closes is none, and then nothing behind it can be one that reaches over lines."""
    kept, at, pattern = [], 0, _COMMENT
    while (comment := pattern.search(text, at)) is not None:
        if pattern is _COMMENT and comment["unclosed"] is not None:
            pattern = _LINE_COMMENT
            continue
        kept.append(text[at : comment.start()])
        at = comment.end()
    return "".join(kept) + text[at:]


def _dotnet_projects(text: str) -> set[str]:
    return {part.replace("\\", "/") for pattern in (_PROJECT, _SLNX) for part in pattern.findall(text)}


def _go_modules(text: str) -> set[str]:
    return {part.removeprefix("./") or "." for part in _USE.findall(text)}


def _crates(text: str) -> set[str]:
    workspace = table(toml(text), "workspace") or {}
    members, exclude = (workspace.get(key) for key in ("members", "exclude"))
    return set(map(str, members if isinstance(members, list) else ())) - set(
        map(str, exclude if isinstance(exclude, list) else ())
    )


def _packages(text: str) -> set[str]:
    listed = json_object(text).get("workspaces")
    listed = listed.get("packages") if isinstance(listed, dict) else listed
    return {str(part) for part in listed} if isinstance(listed, list) else set()


def _cargo_targets(before: str, after: str) -> Iterator[tuple[str, Weakening]]:
    """Test targets that cargo found by itself, and that a table now switches off or turns into something else."""
    known = {str(target.get("name")) for target in test_targets(before)}
    for target in test_targets(after):
        name, path = str(target.get("name")), target.get("path")
        found = f"tests/{name}.rs"
        switched = [key for key in ("test", "harness") if target.get(key) is False]
        switched += ["required-features"] if target.get("required-features") else []
        switched += ["path"] if path is not None and path != found else []
        if name not in known and switched:
            yield found, weakening("tests_not_collected", after, f'"{name}"', None, f"{name}: {switched[0]}")


def test_targets(text: str) -> list[dict[str, object]]:
    """The test targets that a manifest of cargo lists."""
    targets = (toml(text) or {}).get("test")
    return [one for one in targets if isinstance(one, dict)] if isinstance(targets, list) else []


_LISTS: tuple[tuple[str, Callable[[str], set[str]]], ...] = (
    ("pom.xml", _modules),
    ("settings.gradle*", _gradle_projects),
    ("*.sln", _dotnet_projects),
    ("*.slnx", _dotnet_projects),
    ("go.work", _go_modules),
    ("Cargo.toml", _crates),
    ("package.json", _packages),
)
