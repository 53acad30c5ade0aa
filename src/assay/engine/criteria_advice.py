"""Assertions that a check understands, but that may not mean what their author thinks."""

import re
from collections.abc import Iterator
from typing import Any, Final

from assay.dialects.criteria.variables import PATTERN, VARIABLE
from assay.engine.criteria import kinds
from assay.engine.criteria_places import Place, Remark

_LISTS: Final = ("fields", "assertions")
_EVENT: Final = re.compile(r"\s*[A-Z][0-9]{2}\s*(?:\^.*)?")
_ONLY_A_VARIABLE: Final = re.compile(rf"\^?\s*{VARIABLE.pattern}\s*\$?")


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
    for name in _LISTS:
        for at, rule in enumerate(_rules(assertion, name)):
            paths += [((*place, name, at, key), rule.get(key)) for key in ("path", "fhirpath")]
    correlation = assertion.get("correlate_by")
    paths += [((*place, "correlate_by", key), key) for key in correlation or () if isinstance(correlation, dict)]
    for where, path in paths:
        if isinstance(path, str) and path != path.strip():
            yield Remark("blank", where, f"{path!r} begins or ends with a blank; leave it out")


def _patterns(assertion: dict[str, Any], place: Place) -> Iterator[Remark]:
    for name in _LISTS:
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
    """Whether it says that something must not be there, old or new."""
    cardinality = assertion.get("cardinality")
    most = cardinality.get("max") if isinstance(cardinality, dict) else None
    return assertion.get("exists") is False or most == 0
