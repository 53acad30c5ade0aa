"""Functions and comparisons of FHIRPath that fhirpathpy lacks, or that it gets wrong: it is handed these instead.

Its patterns have no limit, its ``single()`` gives an object that describes an error, and its ``trace()``
prints what it is called on. Each takes the context, the values, and its arguments. It can't put a Quantity of a
resource in order, takes one of 0 for none, and finds lists equal that begin alike. To be put in order, two
quantities must have the same unit: units are not converted.
"""

import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from assay.formats.fhirpath.parse import FhirPathError, library
from assay.formats.field_rules.values import compile_pattern, replace_each, search

Nodes = list[Any]
Quantity = tuple[Decimal, str]
Compare = Callable[[Decimal, Decimal], bool]


def data_of(node: Any) -> Any:
    """The value in a node of the library, which knows its place too."""
    return getattr(node, "data", node)


def _ordered(name: str, compare: Compare) -> Callable[[Any, Nodes, Nodes], Any]:
    def ordered(context: Any, left: Nodes, right: Nodes) -> Any:
        pair = _quantities(left, right)
        if pair is None:
            return getattr(library("fhirpathpy.engine.invocations.equality"), name)(context, left, right)
        (one, unit), (other, other_unit) = pair
        if unit != other_unit:
            raise FhirPathError(f"{unit!r} and {other_unit!r} are different units, which are not converted")
        return [compare(one, other)]

    return ordered


def _equal(context: Any, left: Nodes, right: Nodes) -> list[bool]:
    """Nothing where one of the answers is not known, as for a day and a month."""
    if len(left) != len(right):
        return [False]
    said = [_same(context, *pair) for pair in zip(left, right, strict=True)]
    return [False] if False in said else [] if None in said else [True]


def _same(context: Any, left: Any, right: Any) -> bool | None:
    pair = _quantities([left], [right])
    if pair is not None and pair[0][1] == pair[1][1]:
        return pair[0] == pair[1]
    same: bool | None = library("fhirpathpy.engine.invocations.equality").equality(context, [left], [right])
    return same


def _quantities(left: Nodes, right: Nodes) -> tuple[Quantity, Quantity] | None:
    """Two quantities; None if one of them isn't a quantity."""
    if len(left) != 1 or len(right) != 1:
        return None
    one, other = _quantity(data_of(left[0])), _quantity(data_of(right[0]))
    return None if one is None or other is None else (one, other)


def _quantity(value: Any) -> Quantity | None:
    if isinstance(value, Mapping):
        number, unit = value.get("value"), value.get("code") or value.get("unit")
        if isinstance(number, bool) or not isinstance(number, int | float | Decimal) or not isinstance(unit, str):
            return None
        if "comparator" in value:
            raise FhirPathError(f"a quantity that is only known as {value['comparator']} can't be compared")
        return Decimal(str(number)), unit
    # Those of a calendar, such as 2 days, the library compares.
    if type(value).__name__ == "FP_Quantity" and str(value.unit).startswith("'"):
        return Decimal(str(value.value)), str(value.unit).strip("'")
    return None


_TWO: Final = {"arity": {2: ["Any", "Any"]}, "nullable": True}
COMPARISONS: Final[dict[str, dict[str, Any]]] = {
    "=": {"fn": _equal, **_TWO},
    "!=": {"fn": lambda *given: [not same for same in _equal(*given)], **_TWO},
    "<": {"fn": _ordered("lt", operator.lt), **_TWO},
    ">": {"fn": _ordered("gt", operator.gt), **_TWO},
    "<=": {"fn": _ordered("lte", operator.le), **_TWO},
    ">=": {"fn": _ordered("gte", operator.ge), **_TWO},
}


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
    """The text that ``$1`` or ``${name}`` stands for. A backslash escapes the next character."""
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


def _trace(_context: Any, nodes: list[Any], _label: str = "", _shown: Any = None) -> list[Any]:
    """With or without what should be shown, which nobody sees."""
    return nodes


_VALUES: Final = (str, bool, int, float, Decimal)
FUNCTIONS: Final[dict[str, dict[str, Any]]] = {
    **COMPARISONS,
    "hasValue": {"fn": lambda _, nodes: [len(nodes) == 1 and isinstance(data_of(nodes[0]), _VALUES)]},
    "matches": {"fn": _matches, "arity": {1: ["String"]}},
    "replaceMatches": {"fn": _replace_matches, "arity": {2: ["String", "String"]}},
    "single": {"fn": _single},
    "trace": {"fn": _trace, "arity": {1: ["String"], 2: ["String", "Expr"]}},
}
