"""Likely mistakes in criteria, found by reading them and asking an empty playground."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from assay.core.grading import PlacedCheck, grade
from assay.core.outcome import Scored
from assay.core.placement import Placement
from assay.dialects.criteria.models import CriteriaFile, Criterion
from assay.dialects.criteria.variables import VARIABLE, filled, texts_in
from assay.engine.criteria import check_of
from assay.engine.criteria_advice import advice
from assay.engine.criteria_contradictions import remarks
from assay.engine.criteria_places import Place, Remark, line_of, spelled
from assay.engine.criteria_unsupported import why_unsupported
from assay.engine.empty_playground import EmptyPlayground
from assay.engine.mistakes import sentence
from assay.evidence.playground_check import PlaygroundCheck

RULES: Final = {
    "invalid": "the file or an entry isn't valid",
    "unsupported": "no check understands the assertion, so the criterion would fail",
    "variable": "the data lacks a value that the assertion refers to, or a variable isn't a name",
    "impossible": "the assertion can't hold, whatever the agent does",
    "no-expected": "a value is compared with null, because the rule has no expected value",
    "no-effect": "something in the assertion has no effect",
    "empty-sandbox": "an agent that does nothing gets a score for it",
    "since": "what was there before the run can pass the criterion",
    "blank": "a path begins or ends with a blank",
    "pattern": "a pattern is only a value",
    "weight": "the weights make the score meaningless",
    "duplicate-label": "two criteria can't be told apart in a report",
}


@dataclass(frozen=True, slots=True)
class CriteriaFinding:
    """A likely mistake. ``rule`` is one of ``RULES``."""

    rule: str
    line: int | None
    place: str
    why: str


def lint(value: Any, lines: Mapping[Place, int], data: Mapping[str, Any]) -> list[CriteriaFinding]:
    """All findings in a file, by line. ``data`` is added to the data in the file."""
    found = [
        CriteriaFinding(one.rule, line_of(one.place, lines), spelled(one.place), one.why)
        for one in _remarks(value, data)
    ]
    return sorted(dict.fromkeys(found), key=lambda finding: finding.line or 0)


def _remarks(value: Any, data: Mapping[str, Any]) -> Iterator[Remark]:
    invalid = list(_invalid(value))
    yield from invalid
    if not isinstance(value, dict) or not isinstance(value.get("criteria"), list):
        return
    broken = {one.place[1] for one in invalid if len(one.place) > 1}
    criteria = {
        number: Criterion.model_validate_json(json.dumps(entry))
        for number, entry in enumerate(value["criteria"])
        if number not in broken
    }
    given = value.get("data")
    known = {**(given if isinstance(given, dict) else {}), **data}
    yield from _weights(criteria)
    yield from _labels(criteria)
    for number, criterion in criteria.items():
        yield from _assertion(criterion.assertion, ("criteria", number, "assertion"), known)


def _invalid(value: Any) -> Iterator[Remark]:
    try:
        CriteriaFile.model_validate_json(json.dumps(value))
    except ValidationError as error:
        for one in error.errors(include_url=False):
            yield Remark("invalid", one["loc"], sentence(one, CriteriaFile))


def _weights(criteria: Mapping[int, Criterion]) -> Iterator[Remark]:
    if not criteria:
        yield Remark("weight", ("criteria",), "there are no criteria, so every run fails")
    elif not any(one.weight for one in criteria.values()):
        yield Remark(
            "weight", ("criteria",), "all weights are 0, so every run fails; give at least one criterion a weight"
        )


def _labels(criteria: Mapping[int, Criterion]) -> Iterator[Remark]:
    first: dict[str, int] = {}
    for number, criterion in criteria.items():
        before = first.setdefault(criterion.label, number)
        if before != number:
            why = f"{criterion.label!r} is already the label of criteria[{before}]"
            yield Remark("duplicate-label", ("criteria", number, "label"), why)


def _assertion(assertion: dict[str, Any], place: Place, data: Mapping[str, Any]) -> Iterator[Remark]:
    wrong = list(_variables(assertion, place, data))
    yield from wrong
    if wrong:
        return
    yield from advice(assertion, place)
    try:
        check = check_of(assertion, data)
    except ValueError as error:
        yield from why_unsupported(error, assertion, place, data)
        return
    yield from remarks(filled(assertion, data), place)
    yield from _on_nothing(check, place)


def _variables(assertion: dict[str, Any], place: Place, data: Mapping[str, Any]) -> Iterator[Remark]:
    for inner, text in texts_in(assertion):
        missing = [name for name in dict.fromkeys(VARIABLE.findall(text)) if not _has(data, name)]
        yield from (Remark("variable", (*place, *inner), f"the data has no {name!r}") for name in missing)
        if "{{" in VARIABLE.sub("", text):
            why = "this is not a variable and stays as it is; a variable is a dotted name, such as {{patient.mrn}}"
            yield Remark("variable", (*place, *inner), why)


def _has(data: Mapping[str, Any], name: str) -> bool:
    try:
        filled(f"{{{{{name}}}}}", data)
    except ValueError:
        return False
    return True


def _on_nothing(check: PlaygroundCheck, place: Place) -> Iterator[Remark]:
    outcome = grade([PlacedCheck(Placement("lint"), check)], EmptyPlayground())[0].outcome
    if isinstance(outcome, Scored) and outcome.score > 0:
        how = "passes" if outcome.passed else f"gets {outcome.score:.2f}"
        why = f"it {how} on an empty playground, so an agent that does nothing scores; require something to exist"
        yield Remark("empty-sandbox", place, why)
