"""Assertions that a check understands, but that can't hold."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

from assay.engine.schema_errors import Place, Remark
from assay.formats.field_rules.operators import ABOUT_ALL, ABOUT_ONE
from assay.formats.field_rules.rule import FieldRule
from assay.formats.field_rules.values import same
from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.x12.guides import GUIDES
from assay.formats.x12.path import parse_path, why_never

DEMANDS: Final = ("fields", "assertions", "segments", "envelope")
OPPOSITES: Final = (
    {"equals", "notEquals"},
    {"in", "notIn"},
    {"contains", "notContains"},
    {"exists", "notExists"},
    {"empty", "notEmpty"},
)
PRESENCE: Final = ("exists", "notExists", "empty", "notEmpty")
TOLERANT: Final = ("approx", "dateWithin")
SAMENESS: Final = ("equals", "notEquals", "in", "notIn")
HL7_NULL: Final = '""'
AS_TEXT: Final = ("hl7-structural", "x12-response")


def remarks(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    """All remarks on one assertion that a check understands, with its variables filled in."""
    for name in ("fields", "assertions"):
        rules = assertion.get(name)
        if isinstance(rules, list) and rules:
            yield from _rules(rules, (*place, name), assertion["assert"])
    yield from _counts(assertion, place)
    yield from _phrases(assertion, place)
    yield from _x12_paths(assertion, place)


def _rules(rules: Sequence[dict[str, Any]], place: Place, kind: str) -> Iterator[Remark]:
    for at, rule in enumerate(rules):
        yield from about_rule(rule, (*place, at), kind)
    if all(rule.get("weight", 1) == 0 for rule in rules):
        yield Remark(
            "weight", place, "all rules have weight 0, so the score is all or nothing; leave out the weights"
        )
    for (_, one), (at, other) in combinations(enumerate(rules), 2):
        why = _why_opposed(one, other, kind)
        if why is not None:
            yield Remark("impossible", (*place, at), why)


def _why_opposed(one: dict[str, Any], other: dict[str, Any], kind: str) -> str | None:
    """Why two rules about the same path can't both hold. With a match of its own, a rule may mean other values."""
    where = _where(one)
    if where != _where(other) or one.get("match") or other.get("match"):
        return None
    operators = {rule.get("operator", "equals") for rule in (one, other)}
    alike = same(one.get("expected"), other.get("expected"))
    if operators in OPPOSITES and (alike or operators <= set(PRESENCE)):
        return f"{where}: {' and '.join(sorted(operators))} can't both hold"
    if operators == {"equals"} and not alike and _is_one_value(where, kind):
        return f"{where} is one value and can't equal two"
    return None


def _where(rule: dict[str, Any]) -> object:
    return rule.get("fhirpath") or rule.get("path")


def _is_one_value(where: object, kind: str) -> bool:
    """Whether a path can't lead to several values: a dotted path of a record."""
    return kind == "portal-state-match" and not str(where).startswith("$")


def _counts(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    cardinality = assertion.get("cardinality") or {}
    if cardinality.get("max") == 0 and any(assertion.get(name) for name in DEMANDS):
        yield Remark("impossible", (*place, "cardinality"), "cardinality.max is 0, so no field can be as expected")
    for name, count in (assertion.get("segments") or {}).items():
        if isinstance(count, dict) and upside_down(count):
            yield Remark(
                "impossible", (*place, "segments", name), "the max of a count must not be less than its min"
            )


def _phrases(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    """A wanted phrase must not contain a forbidden one."""
    forbidden = [one for phrase in assertion.get("not_contains") or () for one in _alternatives(phrase)]
    wanted = assertion.get("contains") if forbidden else ()
    for at, phrase in enumerate(wanted if isinstance(wanted, list) else ()):
        if all(any(_says(one, bad) for bad in forbidden) for one in _alternatives(phrase)):
            why = f"saying {phrase!r} includes something that not_contains forbids"
            yield Remark("impossible", (*place, "contains", at), why)


def _says(spoken: str, phrase: str) -> bool:
    return find_phrase(phrase_tokens(phrase), phrase_tokens(spoken), claimed=False) is not None


def _alternatives(phrase: Any) -> list[str]:
    words = phrase.get("phrase", ()) if isinstance(phrase, dict) else phrase
    return [words] if isinstance(words, str) else list(words)


def _x12_paths(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    """Paths that find nothing in any set of the kind."""
    name = assertion.get("transaction_set")
    guides = [guide for guide in GUIDES if isinstance(name, str) and name in (guide.name, guide.name[:3])]
    for at, rule in enumerate(assertion.get("fields", ()) if guides else ()):
        reasons = [why_never(parse_path(rule["path"]), guide) for guide in guides]
        if all(reasons):
            yield Remark("impossible", (*place, "fields", at, "path"), str(reasons[0]))


def about_rule(rule: dict[str, Any], place: Place, kind: str) -> Iterator[Remark]:
    """Everything about a rule of an assertion of this kind."""
    operator = rule.get("operator", "equals")
    yield from _ignored_fields(rule, operator, place)
    if operator in ABOUT_ONE and "expected" not in rule:
        why = f"{operator} without expected compares with null; give expected, or use exists"
        yield Remark("no-expected", place, why)
    elif "expected" in rule:
        yield from _never(operator, rule["expected"], (*place, "expected"))
        if kind in AS_TEXT and operator in SAMENESS and rule.get("type") is None:
            yield from _no_text(rule["expected"], (*place, "expected"), kind)


def _ignored_fields(rule: dict[str, Any], operator: str, place: Place) -> Iterator[Remark]:
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
