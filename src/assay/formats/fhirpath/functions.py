"""Functions of FHIRPath that fhirpathpy lacks, or that it gets wrong: it is handed these instead.

Its patterns have no limit, its ``single()`` gives an object that describes an error, and its ``trace()``
prints what it is called on. Each takes the context, the values, and its arguments.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from assay.formats.fhirpath.comparisons import COMPARISONS, data_of
from assay.formats.fhirpath.errors import FhirPathError
from assay.formats.field_rules.patterns import compile_pattern, replace_each, search

_GROUP: Final = re.compile(r"\\(?P<plain>.)|\$(?P<number>[0-9]{1,2})|\$\{(?P<name>\w{1,50})\}", re.DOTALL)


def _text(nodes: list[Any]) -> str | None:
    """The one text that a function is called on."""
    if not nodes:
        return None
    text = data_of(nodes[0])
    if len(nodes) > 1 or not isinstance(text, str):
        raise FhirPathError("a pattern can be matched only with one text")
    return text


def _matches(_context: Any, nodes: list[Any], pattern: str) -> list[bool]:
    text = _text(nodes)
    return [] if text is None else [search(compile_pattern(pattern, dot_is_all=True), text)]


def _replace_matches(_context: Any, nodes: list[Any], pattern: str, by: str) -> list[str]:
    text = _text(nodes)
    if text is None:
        return []

    def written(group: Callable[[int | str], str]) -> str:
        return _GROUP.sub(lambda part: _group(part, group), by)

    return [replace_each(compile_pattern(pattern, dot_is_all=True), text, written)]


def _group(part: "re.Match[str]", group: Callable[[int | str], str]) -> str:
    """What ``$1`` or ``${name}`` stands for. A backslash takes its meaning from the next character."""
    if part["plain"] is not None:
        return part["plain"]
    name = part["number"] or part["name"]
    try:
        return group(int(name) if name.isdecimal() else name)
    except LookupError as error:
        raise FhirPathError(f"replaceMatches() names the group {name}, which its pattern doesn't have") from error


def _single(_context: Any, nodes: list[Any]) -> list[Any]:
    if len(nodes) > 1:
        raise FhirPathError(f"single() was called on {len(nodes)} values")
    return nodes


def _has_value(_context: Any, nodes: list[Any]) -> list[bool]:
    return [len(nodes) == 1 and isinstance(data_of(nodes[0]), str | bool | int | float | Decimal)]


def _trace(_context: Any, nodes: list[Any], _label: str = "", _shown: Any = None) -> list[Any]:
    """With or without what should be shown, which nobody sees."""
    return nodes


FUNCTIONS: Final[dict[str, dict[str, Any]]] = {
    **COMPARISONS,
    "hasValue": {"fn": _has_value},
    "matches": {"fn": _matches, "arity": {1: ["String"]}},
    "replaceMatches": {"fn": _replace_matches, "arity": {2: ["String", "String"]}},
    "single": {"fn": _single},
    "trace": {"fn": _trace, "arity": {1: ["String"], 2: ["String", "Expr"]}},
}
