"""Assertions that a check understands, but that can't hold."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

from assay.engine.criteria_places import Place, Remark
from assay.engine.criteria_rule_lint import PRESENCE, about_rule, upside_down
from assay.formats.field_rules.values import same
from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.x12.guides.choice import GUIDES
from assay.formats.x12.parse_path import parse_path
from assay.formats.x12.path_check import why_never

DEMANDS: Final = ("fields", "assertions", "segments", "envelope")
OPPOSITES: Final = (
    {"equals", "notEquals"},
    {"in", "notIn"},
    {"contains", "notContains"},
    {"exists", "notExists"},
    {"empty", "notEmpty"},
)


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
        why = _opposed(one, other, kind)
        if why is not None:
            yield Remark("impossible", (*place, at), why)


def _opposed(one: dict[str, Any], other: dict[str, Any], kind: str) -> str | None:
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
    return [phrase] if isinstance(phrase, str) else list(phrase)


def _x12_paths(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    """Paths that find nothing in any set of the kind."""
    name = assertion.get("transaction_set")
    guides = [guide for guide in GUIDES if isinstance(name, str) and name in (guide.name, guide.name[:3])]
    for at, rule in enumerate(assertion.get("fields", ()) if guides else ()):
        reasons = [why_never(parse_path(rule["path"]), guide) for guide in guides]
        if all(reasons):
            yield Remark("impossible", (*place, "fields", at, "path"), str(reasons[0]))
