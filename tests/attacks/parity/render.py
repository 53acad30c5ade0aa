"""Renders neutral words into a language, by the patterns of ``languages/*.yaml``.

In a pattern, ``«part»`` is where a part goes, ``«name:camel»`` spells it in a language's own way, and
``«body|pass»`` has what is written if there is nothing. Several things are written one below the other if their
place has a line to itself, and with commas otherwise. What is alone behind a comment sign is commented out line
by line. ``equal@call`` is the pattern of ``equal`` where its first part is a call. A line with ``«?os.»`` is left
out where nothing has ``os.`` in it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.attacks.parity.words import KINDS, Node
from tests.yaml_files import read_yaml

HERE = Path(__file__).resolve().parent / "languages"
_PLACE = re.compile(r"«(\w+)(?::(\w+))?(?:\|([^»]*))?»")
_ALONE = re.compile(r"(\s*(?:(?://|#) ?)?)«\w+(?::\w+)?(?:\|[^»]*)?»\Z")
_USE = re.compile(r"^(.*)«\?(.*)»\n", re.MULTILINE)
_RAW = frozenset({"name", "text", "reason", "pattern", "given"})
_ALIKE = {"subtest": "test", "ready_test": "test", "param": "name", "size_of": "length_of"}
"""Kinds that most languages write like another one."""


def _capital(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


_SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "snake": str,
    "upper": str.upper,
    "pascal": _capital,
    "camel": lambda name: name.partition("_")[0] + _capital(name.partition("_")[2]),
    "words": lambda name: name.replace("_", " "),
}


class CantApplyError(Exception):
    """The language has no such thing; the text says why."""


@dataclass(frozen=True, eq=False)
class Way:
    """A language with one of its test libraries: what each word becomes, or why there is no such thing."""

    language: str
    library: str
    paths: Mapping[str, str]
    patterns: Mapping[str, str]
    reasons: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.language}, {self.library}"

    def files(self, files: Mapping[str, Node]) -> dict[str, str]:
        """The texts of files by their paths. A file is known by a name and by what it holds."""
        return {
            self.paths[made.kind].replace("«name»", self._named(name)): _with_uses(self.write(made)).lstrip("\n")
            + "\n"
            for name, made in files.items()
        }

    def _named(self, name: str) -> str:
        return _SPELLINGS[self.paths.get("names", "snake")](name)

    def write(self, node: Node) -> str:
        pattern = self.patterns.get(f"{node.kind}@{_first(node)}") or self.patterns.get(node.kind)
        if pattern is None:
            raise CantApplyError(self.reasons[node.kind])
        lines = [self._line(line, dict(node.parts)) for line in pattern.rstrip("\n").split("\n")]
        return "\n".join(_without_gaps(lines))

    def _line(self, line: str, parts: Mapping[str, object]) -> str | None:
        alone = _ALONE.match(line)
        if alone is None:
            return _PLACE.sub(lambda place: self._part(place, parts, ", "), line)
        place = _PLACE.search(line)
        assert place is not None
        text = self._part(place, parts, self.patterns["between"] if place[1] == "items" else "\n")
        if not text:
            return None
        return "\n".join(f"{alone[1]}{each}".rstrip() if each else "" for each in text.split("\n"))

    def _part(self, place: re.Match[str], parts: Mapping[str, object], between: str) -> str:
        name, spelling, otherwise = place.groups()
        part = parts[name]
        if name in _RAW and isinstance(part, str):
            return _SPELLINGS[spelling or "snake"](part)
        if isinstance(part, tuple):
            return between.join(map(self._value, part)) or otherwise or ""
        return self._value(part)

    def _value(self, value: object) -> str:
        if isinstance(value, Node):
            return self.write(value)
        if value is None or isinstance(value, bool):
            return self.patterns[{None: "null", True: "true", False: "false"}[value]]
        if isinstance(value, str):
            return self.patterns["text"].replace("«text»", value)
        return repr(value)


def _with_uses(text: str) -> str:
    """Without the imports of what isn't used: ``import os«?os.»`` is for a text with ``os.`` in it."""
    rest = _USE.sub("", text)
    return _USE.sub(lambda line: f"{line[1]}\n" if line[2] in rest else "", text)


def _without_gaps(lines: list[str | None]) -> Iterator[str]:
    """The lines without those of nothing, each of which takes an empty line behind it along."""
    for before, line in zip([" ", *lines], lines, strict=False):
        if line is not None and (line or before is not None):
            yield line


def _first(node: Node) -> str:
    """The kind of a node's first part: some languages write ``equal@call`` otherwise than ``equal``."""
    part = node.parts[0][1] if node.parts else None
    return part.kind if isinstance(part, Node) else ""


@cache
def ways() -> tuple[Way, ...]:
    """Every language with each of its libraries."""
    found = []
    for file in sorted(HERE.glob("*.yaml")):
        told = read_yaml(file)
        base = read_yaml(HERE / f"{told['like']}.yaml") if "like" in told else {}
        for library in told.get("libraries") or base["libraries"]:
            layers = [
                base.get("common"),
                base.get("libraries", {}).get(library),
                told.get("common"),
                told.get("libraries", {}).get(library),
            ]
            found.append(_way(file.stem, library, {**base.get("paths", {}), **told.get("paths", {})}, layers))
    return tuple(found)


def _way(language: str, library: str, paths: Mapping[str, str], layers: list[Mapping[str, object] | None]) -> Way:
    said: dict[str, object] = {}
    for layer in layers:
        said |= layer or {}
    paths = {**paths, **said.pop("paths", {})}  # type: ignore[dict-item]
    reasons = {kind: str(one["never"]) for kind, one in said.items() if isinstance(one, dict)}
    patterns = {kind: str(one) for kind, one in said.items() if not isinstance(one, dict)}
    if "«top»" not in patterns["file"]:
        # A language that can't mark a whole file still says so.
        patterns["file"] = "«top»\n" + patterns["file"]
    for kind, alike in _ALIKE.items():
        patterns.setdefault(kind, patterns[alike])
    return Way(language, library, paths, patterns, reasons)


def missing(way: Way) -> list[str]:
    """The kinds for which a language has neither a pattern nor a reason."""
    return sorted(KINDS.keys() - way.patterns.keys() - way.reasons.keys())
