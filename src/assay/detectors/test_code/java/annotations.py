"""Annotations of Java's tests: which make a test, which skip it, and how often parameters make it run."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from assay.detectors.test_code.curly.constants import constant, number
from assay.detectors.test_code.curly.tokens import Tokens, arguments, split, tokens, uniform
from assay.detectors.test_code.java.grammar import ANNOTATIONS
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node, Tree

_NAME = re.compile(r"@\s*(?:[\w$]+\s*\.\s*)*([\w$]+)")
_EQUALS = frozenset({"="})
_TESTS = frozenset({"Test", "TestFactory", "TestTemplate", "Theory", "Property", "Example", "Scenario"})
_SOURCE = re.compile(r"\w+(?:Source|Sources)")
_EVERY_SYSTEM = ("LINUX", "MAC", "WINDOWS")


class Annotation(NamedTuple):
    """One annotation; an unnamed value is called ``value``."""

    name: str
    values: Mapping[str, Tokens]
    line: int
    text: str

    @property
    def makes_test(self) -> bool:
        return self.name in _TESTS or self.name.endswith("Test")

    @property
    def is_source(self) -> bool:
        return bool(_SOURCE.fullmatch(self.name))


def annotations(tree: Tree, declaration: Node) -> list[Annotation]:
    """The annotations in front of a declaration, not those of its parameters."""
    modifiers = declaration.child("modifiers")
    if modifiers is None or modifiers.start != declaration.start:
        return []
    return [_annotation(tree, node) for node in modifiers.children if node.kind in ANNOTATIONS]


def _annotation(tree: Tree, node: Node) -> Annotation:
    source = tree.source(node)
    found = _NAME.match(source)
    inside = tokens(source[found.end() :])[1:-1] if found else []
    values: dict[str, Tokens] = {}
    for argument in arguments(inside):
        pieces = split(argument, _EQUALS)
        named = len(pieces) == 2 and len(pieces[0]) == 1
        values[pieces[0][0] if named else "value"] = pieces[1] if named else argument
    name = found[1] if found else ""
    return Annotation(name, values, tree.line(node.start), f"@{name}" + (f"({uniform(inside)})" if inside else ""))


def annotation_skips(
    found: list[Annotation], names: Mapping[str, bool], conditions: Mapping[str, bool]
) -> list[Skip]:
    """The skips among annotations. ``conditions`` has the file's methods that always answer true or false."""
    skips = []
    for one in found:
        conditional = _skips(one, names, conditions)
        if conditional is not None:
            skips.append(Skip("disabled", one.line, one.text, conditional))
    return skips


def _skips(one: Annotation, names: Mapping[str, bool], conditions: Mapping[str, bool]) -> bool | None:
    """Whether it is a condition that skips; None where nothing does."""
    if one.name in ("Disabled", "Ignore", "Ignored"):
        return False
    if one.name == "Test" and "enabled" in one.values:
        enabled = constant(one.values["enabled"], names)
        return None if enabled else enabled is None
    if not one.name.startswith(
        ("DisabledIf", "EnabledIf", "DisabledOn", "EnabledOn", "DisabledFor", "EnabledFor", "DisabledIn")
    ):
        return None
    if one.name == "DisabledOnOs":
        return not all(system in one.text for system in _EVERY_SYSTEM)
    return _decided(one, conditions)


def _decided(one: Annotation, conditions: Mapping[str, bool]) -> bool | None:
    value = uniform(one.values.get("value", one.values.get("expression", []))).strip("\"'#{} ")
    answer = {"true": True, "false": False}.get(value, conditions.get(value))
    if answer is None:
        return True
    return False if answer is one.name.startswith("Disabled") else None


def cases(found: list[Annotation], provided: Mapping[str, int]) -> int | None:
    """How often a test runs. ``provided`` counts what the file's own providers give."""
    for one in found:
        if one.name == "RepeatedTest":
            times = number(one.values.get("value", []))
            return int(times) if times is not None else None
        if one.name == "Test" and "dataProvider" in one.values:
            return provided.get(uniform(one.values["dataProvider"]).strip('"'))
    counts = [_count(one, provided) for one in found if one.is_source]
    if counts:
        return _sum(counts)
    return 1 if _PARAMETRISED.isdisjoint(one.name for one in found) else None


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


_PARAMETRISED = frozenset({"TestFactory", "ParameterizedTest", "TestTemplate"})
_FIXED_COUNTS = {"NullSource": 1, "EmptySource": 1, "NullAndEmptySource": 2}
_SETTINGS = frozenset({"delimiter", "nullValues", "quoteCharacter"})


def _count(one: Annotation, provided: Mapping[str, int]) -> int | None:
    if one.name in _FIXED_COUNTS:
        return _FIXED_COUNTS[one.name]
    if one.name == "MethodSource":
        return provided.get(uniform(one.values.get("value", [])).strip('"'))
    if one.name == "EnumSource":
        listed = one.values.get("names")
        return None if listed is None or "mode" in one.values else _listed(listed)
    return _literal_count(one) if one.name in ("ValueSource", "CsvSource") else None


def _literal_count(one: Annotation) -> int | None:
    if "textBlock" in one.values:
        return _rows(one)
    literal = [value for name, value in one.values.items() if name not in _SETTINGS]
    return _listed(literal[0]) if literal else None


def _listed(value: Tokens) -> int:
    """An array has as many as it lists; a single value is an array of one."""
    return len(arguments(value[1:-1])) if value[:1] == ["{"] else 1


def _rows(one: Annotation) -> int:
    lines = [line.strip() for line in uniform(one.values["textBlock"]).strip('"').splitlines()]
    rows = sum(bool(line) and not line.startswith("#") for line in lines)
    return rows - (one.values.get("useHeadersInDisplayName") == ["true"])


_LITERALS = frozenset({"ints", "longs", "strings", "doubles", "floats", "shorts", "bytes", "chars", "booleans"})


def rows(found: list[Annotation], takes: str) -> list[list[str]]:
    """The literal values that annotations give to the parameters of a test, row by row."""
    texts = ["String" in piece for piece in arguments(tokens(takes))]
    given: list[list[str]] = []
    for one in found:
        if one.name == "ValueSource":
            given += [[uniform(value)] for value in _values(one)]
        elif one.name == "CsvSource":
            given += [_cells(row, one, texts) for row in _csv(one)]
        elif one.is_source:
            return []
    return given


def _values(one: Annotation) -> list[Tokens]:
    listed = [value for name, value in one.values.items() if name in _LITERALS]
    return _elements(listed[0]) if listed else []


def _elements(value: Tokens) -> list[Tokens]:
    return arguments(value[1:-1]) if value[:1] == ["{"] else [value]


def _csv(one: Annotation) -> list[str]:
    if "textBlock" in one.values:
        lines = uniform(one.values["textBlock"]).strip('"').splitlines()
        return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return [uniform(element).strip('"') for element in _elements(one.values.get("value", []))]


def _cells(row: str, one: Annotation, texts: list[bool]) -> list[str]:
    delimiter = uniform(one.values.get("delimiter", one.values.get("delimiterString", [","]))).strip("\"'") or ","
    cells = [cell.strip().strip("'") for cell in row.split(delimiter)]
    return [f'"{cell}"' if at < len(texts) and texts[at] else cell for at, cell in enumerate(cells)]
