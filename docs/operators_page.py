"""The page of operators: what each compares with, and examples that are tried when the page is written."""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from assay.formats.field_rules.dates import UNITS
from assay.formats.field_rules.rule import MATCHES, OPERATORS, FieldRule
from docs.markdown import table


class Operator(NamedTuple):
    """What an operator takes, and values that do and don't satisfy it. ``more`` are further fields of the rule."""

    takes: str
    meaning: str
    expected: Any
    holds: tuple[Any, ...]
    fails: tuple[Any, ...]
    more: Mapping[str, Any] = MappingProxyType({})


_DATE: Final = "a number, or a date or time as text"
DESCRIBED: Final = {
    "equals": Operator("any value", 'The same value. 1 is 1.0, but not `"1"` or true.', 1, (1.0,), ("1", True)),
    "notEquals": Operator("any value", "Another value, or none.", "booked", ("open",), ("booked",)),
    "in": Operator("a list", "One of the values.", ["a", "b"], ("b",), ("c",)),
    "notIn": Operator("a list", "None of the values.", ["a", "b"], ("c",), ("b",)),
    "contains": Operator(
        "any value", "A part of a text, an element of a list, members of an object.", "ook", ("booked",), ("open",)
    ),
    "notContains": Operator("any value", "The opposite of `contains`.", "ook", ("open",), ("booked",)),
    "matches": Operator(
        "a regular expression",
        "The pattern occurs in the text; write `^` and `$` for all of it. It has a million steps for a value.",
        "^A[0-9]+$",
        ("A17",),
        ("BA17",),
    ),
    "greaterThan": Operator(
        _DATE, "More, or later than all of a day.", "2025-07-14", ("2025-07-15",), ("2025-07-14T10:00:00Z",)
    ),
    "lessThan": Operator(_DATE, "Less, or earlier.", 5, (4.9, "4"), (5,)),
    "greaterOrEqual": Operator(_DATE, "Not less.", 5, (5,), (4,)),
    "lessOrEqual": Operator(
        _DATE, "Not more; a day includes its hours.", "2025-07-14", ("2025-07-14T10:00:00Z",), ("2025-07-15",)
    ),
    "between": Operator("a list of two", "From the first to the second, both included.", [9, 17], (9, 17), (18,)),
    "startsWith": Operator("a text", "The text begins so.", "ADT", ("ADT^A04",), ("XADT",)),
    "endsWith": Operator("a text", "The text ends so.", ".csv", ("a.csv",), ("a.csv.bak",)),
    "dateWithin": Operator(
        "a date or time, and a `tolerance`",
        "Within the tolerance around what is expected, and as precise as that, up to minutes.",
        "2025-07-14",
        ("2025-07-15", "202507131200"),
        ("2025-07-16", "2025"),
        {"tolerance": "1 day"},
    ),
    "approx": Operator(
        "a number, and perhaps a `tolerance`",
        "About the same number.",
        100,
        (95, "105.0"),
        (94.9,),
        {"tolerance": "5%"},
    ),
    "exists": Operator("nothing", "The path has a value, which may be null.", None, (None, ""), ()),
    "notExists": Operator("nothing", "The path has no value.", None, (), (None,)),
    "empty": Operator("nothing", 'There is no value, or only null, `""`, `[]` or `{}`.', None, ("", None), ("x",)),
    "notEmpty": Operator("nothing", "There is a value that isn't empty.", None, ("x",), ("",)),
    "count": Operator(
        "a whole number, or `{min, max}`",
        "So many values are at the path.",
        {"min": 1, "max": 2},
        ("one value",),
        (),
    ),
}


def operators_page() -> Iterator[str]:
    """Raises ``ValueError`` for an example that is wrong, or an operator that isn't described."""
    if set(DESCRIBED) != set(OPERATORS):
        raise ValueError(f"operators_page must describe {set(OPERATORS) ^ set(DESCRIBED)}")
    yield "# Operators of field rules"
    yield (
        "A rule compares what is at its `path` with `expected` by its `operator`, which is `equals` unless you"
        " write another one. The examples are tried whenever this page is written."
    )
    yield table(("operator", "takes", "meaning", "expected", "holds for", "fails for"), list(map(_row, OPERATORS)))
    yield "## Several values"
    yield (
        f"If a path finds several values, `match` says how many must satisfy the operator: {_plain(MATCHES)}."
        " The default is `any`, and `all` for `notEquals`, `notIn` and `notContains`. `exists`, `notExists`,"
        " `empty`, `notEmpty` and `count` look at all values at once."
    )
    yield "## Tolerance"
    yield (
        "`dateWithin` takes a number of seconds, or a number and a unit such as `2 days`. The units are"
        f" {_plain(UNITS)}, each also with an s at its end. `approx` takes a number, or a percentage of what is"
        " expected such as `5%`; without one, it allows for rounding errors only."
    )
    yield "## Types and case"
    yield (
        "`type: number` reads both sides as numbers, `type: date` as dates, `type: text` as texts. Values of HL7,"
        " X12, CSV and text files are texts otherwise. `ignore_case: true` takes upper and lower case for the"
        " same, in patterns too."
    )
    yield table(
        ("rule", "holds for"),
        [
            ("`{expected: 120, type: number}`", _tried({"expected": 120, "type": "number"}, "120.0")),
            (
                "`{expected: 2025-07-14, type: date}`",
                _tried({"expected": "2025-07-14", "type": "date"}, "20250714"),
            ),
            (
                "`{expected: smith, ignore_case: true}`",
                _tried({"expected": "smith", "ignore_case": True}, "SMITH"),
            ),
        ],
    )


def _row(name: str) -> tuple[str, ...]:
    one = DESCRIBED[name]
    rule = FieldRule("p", one.expected, name, **one.more)
    for value, right in [*((value, True) for value in one.holds), *((value, False) for value in one.fails)]:
        if rule.holds([value]) is not right:
            raise ValueError(f"the example {value!r} of {name} is wrong")
    more = "".join(f", {key} `{value}`" for key, value in one.more.items())
    expected = "" if one.takes == "nothing" else f"{_shown(one.expected)}{more}"
    return f"`{name}`", one.takes, one.meaning, expected, _words(one.holds), _words(one.fails)


def _tried(given: dict[str, Any], value: str) -> str:
    if not FieldRule("p", **given).holds([value]):
        raise ValueError(f"the example {value!r} of {given} is wrong")
    return _shown(value)


def _words(values: Any) -> str:
    return ", ".join(_shown(value) for value in values)


def _plain(words: Any) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _shown(value: Any) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"
