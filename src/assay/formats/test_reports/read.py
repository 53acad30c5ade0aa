"""Read a report: JUnit XML, or the JSON of pytest, jest, ``go test`` and cargo.

Raises ``ValueError`` for any other text.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

from assay.formats.test_reports.model import Ended, Report, report_of

_WORDS = {
    "passed": Ended.PASSED,
    "pass": Ended.PASSED,
    "ok": Ended.PASSED,
    "xpassed": Ended.PASSED,
    "skipped": Ended.SKIPPED,
    "skip": Ended.SKIPPED,
    "xfailed": Ended.SKIPPED,
    "ignored": Ended.SKIPPED,
    "pending": Ended.SKIPPED,
    "todo": Ended.SKIPPED,
    "disabled": Ended.SKIPPED,
}


def read_report(kind: str, data: bytes) -> Report:
    """The report in one of ``FORMATS``."""
    try:
        return report_of(list(FORMATS[kind](data)))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"the report is not what {kind} writes") from error


def _ended(word: object) -> Ended:
    """Whatever is not known to be a pass or a skip is a failure: an error, a time-out, a word of tomorrow."""
    return _WORDS.get(str(word), Ended.FAILED)


def _junit(data: bytes) -> Iterator[tuple[str, Ended]]:
    # Entities and document types have no place in a report, and an agent could make them explode.
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("the report declares a document type")
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - without a document type there is nothing to expand
    except ElementTree.ParseError as error:
        raise ValueError(f"the report is not XML: {error}") from error
    for case in root.iter("testcase"):
        children = {child.tag for child in case}
        ended = Ended.FAILED if children & {"failure", "error"} else Ended.PASSED
        if ended is Ended.PASSED and "skipped" in children:
            ended = Ended.SKIPPED
        yield "::".join(part for part in (case.get("classname"), case.get("name")) if part), ended


def _pytest(data: bytes) -> Iterator[tuple[str, Ended]]:
    for test in _object(data)["tests"]:
        yield str(test["nodeid"]), _ended(test["outcome"])


def _jest(data: bytes) -> Iterator[tuple[str, Ended]]:
    for suite in _object(data)["testResults"]:
        for test in suite["assertionResults"]:
            yield str(test["fullName"]), _ended(test["status"])
        if not suite["assertionResults"] and suite.get("status") == "failed":
            yield str(suite["name"]), Ended.FAILED


def _go(data: bytes) -> Iterator[tuple[str, Ended]]:
    for event in _lines(data):
        if event.get("Test") and event.get("Action") in ("pass", "fail", "skip"):
            yield f"{event.get('Package', '')}.{event['Test']}", _ended(event["Action"])


def _cargo(data: bytes) -> Iterator[tuple[str, Ended]]:
    for event in _lines(data):
        if event.get("type") == "test" and event.get("event") not in ("started", "timeout"):
            yield str(event["name"]), _ended(event["event"])


def _object(data: bytes) -> dict[str, Any]:
    value = _json(data)
    if not isinstance(value, dict):
        raise ValueError("the report is not a JSON object")
    return value


def _lines(data: bytes) -> Iterator[dict[str, Any]]:
    """One object a line. Lines that are none come from tests that print."""
    for line in data.splitlines():
        if line.startswith(b"{"):
            value = _json(line)
            if isinstance(value, dict):
                yield value


def _json(data: bytes) -> object:
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("the report is not JSON") from error
    return value


FORMATS: dict[str, Callable[[bytes], Iterator[tuple[str, Ended]]]] = {
    "junit": _junit,
    "pytest": _pytest,
    "jest": _jest,
    "go": _go,
    "cargo": _cargo,
}
