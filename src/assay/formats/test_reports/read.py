"""Read a report: JUnit XML, the JSON of pytest, jest, ``go test`` and cargo, or the lines of unittest.

Raises ``ValueError`` for any other text.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from assay.formats.test_reports.events import read_cargo, read_go
from assay.formats.test_reports.junit import read_junit
from assay.formats.test_reports.model import Ended, Report, report_of
from assay.formats.test_reports.verbose import read_unittest
from assay.formats.test_reports.words import ended_of

Results = Iterator[tuple[str, Ended]]

# An agent could write a report that takes twenty times its size in memory.
MAX_PARTS = 2_000_000


def read_report(kind: str, data: bytes) -> Report:
    """The report in one of ``FORMATS``."""
    try:
        return report_of(list(FORMATS[kind](data)))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"the report must be in the format that {kind} writes") from error


def _pytest(data: bytes) -> Results:
    """The tests, files that could not be collected, and the exit code if it shows another failure."""
    report = _object(data)
    results = [(str(test["nodeid"]), ended_of(test["outcome"])) for test in report["tests"]]
    results += [
        (str(one["nodeid"]), Ended.FAILED) for one in report.get("collectors", []) if one["outcome"] == "failed"
    ]
    yield from results
    if report.get("exitcode") and all(ended is not Ended.FAILED for _, ended in results):
        yield f"exit code {report['exitcode']}", Ended.FAILED


def _jest(data: bytes) -> Results:
    """The tests, and files that failed without a failed test, such as one that doesn't load."""
    for suite in _object(data)["testResults"]:
        results = [(str(test["fullName"]), ended_of(test["status"])) for test in suite["assertionResults"]]
        yield from results
        if suite.get("status") == "failed" and all(ended is not Ended.FAILED for _, ended in results):
            yield str(suite["name"]), Ended.FAILED


def _object(data: bytes) -> dict[str, Any]:
    if data.count(b"[") + data.count(b"{") > MAX_PARTS or data.count(b'"') > 10 * MAX_PARTS:
        raise ValueError(f"the report must have at most {MAX_PARTS} objects and lists")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("the report must be JSON") from error
    if not isinstance(value, dict):
        raise ValueError(f"the report must be a JSON object, got {type(value).__name__}")
    return value


FORMATS: dict[str, Callable[[bytes], Results]] = {
    "junit": read_junit,
    "pytest": _pytest,
    "jest": _jest,
    "go": read_go,
    "cargo": read_cargo,
    "unittest": read_unittest,
}
