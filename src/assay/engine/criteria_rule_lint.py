"""Field rules that can't hold, or with parts that have no effect."""

from collections.abc import Iterator
from typing import Any, Final

from assay.engine.criteria_places import Place, Remark
from assay.formats.field_rules.operators import ABOUT_ALL, ABOUT_ONE
from assay.formats.field_rules.rule import FieldRule

PRESENCE: Final = ("exists", "notExists", "empty", "notEmpty")
TOLERANT: Final = ("approx", "dateWithin")
SAMENESS: Final = ("equals", "notEquals", "in", "notIn")
HL7_NULL: Final = '""'
AS_TEXT: Final = ("hl7-structural", "x12-response")


def about_rule(rule: dict[str, Any], place: Place, kind: str) -> Iterator[Remark]:
    """Everything about a rule of an assertion of this kind."""
    operator = rule.get("operator", "equals")
    yield from _ignored(rule, operator, place)
    if operator in ABOUT_ONE and "expected" not in rule:
        why = f"{operator} without expected compares with null; give expected, or use exists"
        yield Remark("no-expected", place, why)
    elif "expected" in rule:
        yield from _never(operator, rule["expected"], (*place, "expected"))
        if kind in AS_TEXT and operator in SAMENESS and rule.get("type") is None:
            yield from _no_text(rule["expected"], (*place, "expected"), kind)


def _ignored(rule: dict[str, Any], operator: str, place: Place) -> Iterator[Remark]:
    if operator in PRESENCE and "expected" in rule:
        why = f"{operator} ignores expected; leave it out, or use equals"
        yield Remark("no-effect", (*place, "expected"), why)
    if rule.get("tolerance") is not None and operator not in TOLERANT:
        why = f"{operator} ignores tolerance, which is for {' and '.join(TOLERANT)}"
        yield Remark("no-effect", (*place, "tolerance"), why)
    if rule.get("match") is not None and operator in ABOUT_ALL:
        yield Remark(
            "no-effect", (*place, "match"), f"{operator} checks all values at once and ignores match; leave it out"
        )
    if operator == "notIn" and rule.get("expected") == []:
        yield Remark("no-effect", (*place, "expected"), "no value is in an empty list, so the rule always holds")


def _never(operator: str, expected: Any, place: Place) -> Iterator[Remark]:
    if operator == "between" and not FieldRule("x", expected, "between").holds([expected[0]]):
        yield Remark("impossible", place, f"nothing is between {expected[0]} and {expected[1]}; swap them")
    if operator == "count" and isinstance(expected, dict) and upside_down(expected):
        yield Remark("impossible", place, "the max of a count must not be less than its min")
    if operator == "in" and expected == []:
        yield Remark("impossible", place, "nothing is in an empty list")


def upside_down(bounds: dict[str, Any]) -> bool:
    """Whether nothing is within the bounds."""
    return bool(bounds.get("min", 0) > bounds.get("max", float("inf")))


def _no_text(expected: Any, place: Place, kind: str) -> Iterator[Remark]:
    """If all values are texts, no value equals a number. An HL7 field can also be null."""
    for one in expected if isinstance(expected, list) else [expected]:
        if not isinstance(one, str) and not (one is None and kind == "hl7-structural"):
            why = f"values of {kind} are compared as text, which {one!r} is not; put it in quotes"
            yield Remark("impossible", place, why)
        if one == HL7_NULL and kind == "hl7-structural":
            why = f"a message writes an explicit null as two quotes; expect null, not {one!r}"
            yield Remark("impossible", place, why)
