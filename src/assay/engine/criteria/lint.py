"""Likely mistakes in criteria, found by reading them and asking an empty playground."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from assay.core.grading import PlacedCheck, Placement, grade
from assay.core.outcome import Scored
from assay.dialects.criteria.models import CriteriaFile, Criterion
from assay.dialects.criteria.variables import PATTERN, VARIABLE, fill_variables, texts_in
from assay.engine.criteria.bounded_evidence import DISCRIMINATOR
from assay.engine.criteria.complete_run import check_class, check_of, kinds
from assay.engine.criteria.contradictions import remarks
from assay.engine.criteria.load_playground import EmptyPlayground
from assay.engine.schema_errors import Place, Remark, line_of, sentence, spell_place
from assay.evidence.playground import PlaygroundCheck

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
    "phrases-alone": "a call is judged by phrases alone, and a phrase is only a mention",
    "weight": "the weights make the score meaningless",
    "duplicate-label": "two criteria can't be told apart in a report",
}
LISTS: Final = ("fields", "assertions")
CALL: Final = "voice-transcript"
HARMLESS: Final = ("id", "MSH-1", "ISA01", "content")
"""A path for each language."""
_EVENT: Final = re.compile(r"\s*[A-Z][0-9]{2}\s*(?:\^.*)?")
_ONLY_A_VARIABLE: Final = re.compile(rf"\^?\s*{VARIABLE.pattern}\s*\$?")


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
        CriteriaFinding(one.rule, line_of(one.place, lines), spell_place(one.place), one.why)
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
    yield from _phrases_alone(criteria)
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


def _phrases_alone(criteria: Mapping[int, Criterion]) -> Iterator[Remark]:
    """Calls that nothing but phrases judges: no state beside them, and no judge."""
    calls = {number: one.assertion for number, one in criteria.items() if one.assertion.get("assert") == CALL}
    if len(calls) < len(criteria):
        return
    for number, assertion in calls.items():
        wanted = assertion.get("contains")
        listed = wanted if isinstance(wanted, list) else []
        if listed and not any(isinstance(phrase, dict) and phrase.get("judge") is True for phrase in listed):
            why = "a phrase is only a mention: add a criterion on a state, or judge: true to a phrase"
            yield Remark("phrases-alone", ("criteria", number, "assertion"), why)


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
    yield from remarks(fill_variables(assertion, data), place)
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
        fill_variables(f"{{{{{name}}}}}", data)
    except ValueError:
        return False
    return True


def _on_nothing(check: PlaygroundCheck, place: Place) -> Iterator[Remark]:
    outcome = grade([PlacedCheck(Placement("lint"), check)], EmptyPlayground())[0].outcome
    if isinstance(outcome, Scored) and outcome.score > 0:
        how = "passes" if outcome.passed else f"gets {outcome.score:.2f}"
        why = f"it {how} on an empty playground, so an agent that does nothing scores; require something to exist"
        yield Remark("empty-sandbox", place, why)


def why_unsupported(
    error: ValueError, assertion: dict[str, Any], place: Place, data: Mapping[str, Any]
) -> Iterator[Remark]:
    """Every reason that can be told apart; a check itself stops at the first."""
    if isinstance(error.__cause__, ValidationError):
        reasons, kind = error.__cause__.errors(include_url=False), check_class(assertion[DISCRIMINATOR])
        placed: dict[Place, list[str]] = {}
        for one in reasons:
            why, written = sentence(one, kind), _existing_place(one["loc"], assertion)
            where = (*written, *_named_at(why, written, assertion))
            # A sentence that begins with the field's name need not say it twice.
            placed.setdefault(where, []).append(why.removeprefix(f"{where[-1]} ") if where else why)
        if () not in placed:
            yield from (Remark("unsupported", (*place, *loc), ", or ".join(why)) for loc, why in placed.items())
            return
        error = ValueError(placed[()][0])
    guilty = dict(_guilty_rules(assertion, data))
    for inner, why in guilty.items():
        yield Remark("unsupported", (*place, *inner), why)
    if not guilty:
        yield Remark("unsupported", (*place, *(_named_in(str(error), assertion) or ())), str(error))


def _named_at(why: str, place: Place, part: Any) -> Place:
    """The place of the value that a message about a rule quotes, within the rule."""
    for key in place:
        part = part.get(key) if isinstance(part, dict) else part[int(key)] if isinstance(part, list) else None
    return (_named_in(why, part) or ()) if place and isinstance(part, dict) else ()


def _existing_place(loc: Place, part: Any) -> Place:
    """The place as far as it is in what was written, and one name more if that is missing.

    Where there are several ways to write something, the rest says which of them did not fit.
    """
    for at, key in enumerate(loc):
        if isinstance(part, dict) and key not in part:
            return loc[: at + 1]
        if not isinstance(part, dict) and not (isinstance(part, list) and isinstance(key, int)):
            return loc[:at]
        part = part[key]  # type: ignore[index] # A list has numbers as keys.
    return loc


def _guilty_rules(assertion: dict[str, Any], data: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """The rules that are wrong on their own. Where all are, for the same reason, the reason may be another one."""
    for name in LISTS:
        rules = assertion.get(name)
        if not isinstance(rules, list) or not rules:
            continue
        alone = [_complaint({**assertion, name: [rule]}, data) for rule in rules]
        if len(set(alone)) == 1 and not _is_right_without(assertion, name, data):
            continue
        for at, (rule, why) in enumerate(zip(rules, alone, strict=True)):
            if why is not None:
                yield (name, at, *(_named_in(why, rule) or ())), why


def _is_right_without(assertion: dict[str, Any], name: str, data: Mapping[str, Any]) -> bool:
    """Whether an assertion is supported with a rule that nobody can object to in place of its own."""
    harmless = ({"path": path, "operator": "exists"} for path in HARMLESS)
    return any(_complaint({**assertion, name: [rule]}, data) is None for rule in harmless)


def _complaint(assertion: dict[str, Any], data: Mapping[str, Any]) -> str | None:
    try:
        check_of(assertion, data)
    except ValueError as error:
        return str(error)
    return None


def _named_in(message: str, part: Any, place: Place = ()) -> Place | None:
    """The place of the value or the field that a message quotes."""
    if isinstance(part, str):
        return place if part and repr(part) in message else None
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        found = _named_in(message, value, (*place, key))
        if found is None and isinstance(key, str) and repr(key) in message:
            found = (*place, key)
        if found is not None:
            return found
    return None


def advice(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    """Remarks on an assertion as it was written."""
    yield from _message_type(assertion.get("message_type"), (*place, "message_type"))
    yield from _blanks(assertion, place)
    yield from _patterns(assertion, place)
    if assertion.get("assert") in kinds() and "since" not in assertion and not _is_about_absence(assertion):
        why = "without since: run_start, what was there before the run can pass this criterion"
        yield Remark("since", place, why)


def _message_type(written: Any, place: Place) -> Iterator[Remark]:
    if isinstance(written, str) and _EVENT.fullmatch(written):
        event = written.strip()[:3]
        why = f"{event} is an event, which stands behind the type of the message: write ADT^{event} or the like"
        yield Remark("impossible", place, why)


def _blanks(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    """Blanks around a path are hard to see, and no path needs them."""
    paths = [((*place, name), assertion.get(name)) for name in ("path", "pattern", "glob", "where")]
    for name in LISTS:
        for at, rule in enumerate(_rules(assertion, name)):
            paths += [((*place, name, at, key), rule.get(key)) for key in ("path", "fhirpath")]
    correlation = assertion.get("correlate_by")
    paths += [((*place, "correlate_by", key), key) for key in correlation or () if isinstance(correlation, dict)]
    for where, path in paths:
        if isinstance(path, str) and path != path.strip():
            yield Remark("blank", where, f"{path!r} begins or ends with a blank; leave it out")


def _patterns(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    for name in LISTS:
        for at, rule in enumerate(_rules(assertion, name)):
            pattern = rule.get("expected")
            if rule.get("operator") != PATTERN or not isinstance(pattern, str) or VARIABLE.fullmatch(pattern):
                continue
            if _ONLY_A_VARIABLE.fullmatch(pattern):
                why = f"{pattern} is only a value: write equals, startsWith or endsWith instead of a pattern"
                yield Remark("pattern", (*place, name, at, "expected"), why)


def _rules(assertion: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rules = assertion.get(name)
    return [one for one in rules if isinstance(one, dict)] if isinstance(rules, list) else []


def _is_about_absence(assertion: dict[str, Any]) -> bool:
    """True if it says that something must not be there, old or new."""
    cardinality = assertion.get("cardinality")
    most = cardinality.get("max") if isinstance(cardinality, dict) else None
    return assertion.get("exists") is False or most == 0
