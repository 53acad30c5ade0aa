"""Read a report that is written while the tests run, one JSON object per line: ``go test -json`` and cargo.

A test that started and never ended has failed: its process ended early, perhaps with exit code 0. The same
goes for a package or a suite, because tests that never started aren't in the report.
"""

import json
from collections.abc import Iterator
from typing import Any

from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.words import ended_of

Results = Iterator[tuple[str, Ended]]

MAX_LINES = 1_000_000


def read_go(data: bytes) -> Results:
    """The tests of ``go test -json``, and packages that failed without a failed test, such as by not compiling."""
    began: dict[str, str] = {}
    failed: set[str] = set()
    packages: dict[str, None] = {}
    for event in _objects(data):
        action, package = event.get("Action"), str(event.get("Package", ""))
        name = f"{package}.{event['Test']}" if event.get("Test") else None
        if name is None and action == "start":
            packages[package] = None
        elif name is None and action in ("pass", "fail", "skip"):
            packages.pop(package, None)
        if name is not None and action == "run":
            began[name] = package
        elif name is not None and action in ("pass", "fail", "skip"):
            began.pop(name, None)
            failed |= {package} if action == "fail" else set()
            yield name, ended_of(action)
        elif name is None and action == "fail" and package not in {*failed, *began.values()}:
            yield package, Ended.FAILED
    yield from ((name, Ended.FAILED) for name in began)
    yield from ((name, Ended.FAILED) for name in packages if name not in {*failed, *began.values()})


def read_cargo(data: bytes) -> Results:
    """The tests of ``cargo test -- --format json``."""
    began: dict[str, None] = {}
    suites = failures = 0
    for event in _objects(data):
        if event.get("type") == "suite":
            suites += {"started": 1, "ok": -1, "failed": -1}.get(str(event.get("event")), 0)
            failures += event.get("event") == "failed"
        if event.get("type") != "test" or event.get("event") == "timeout":
            # Cargo's "timeout" event means that a test is slow, not that it ended.
            continue
        name = str(event["name"])
        if event.get("event") == "started":
            began[name] = None
        else:
            began.pop(name, None)
            ended = ended_of(event["event"])
            failures -= ended is Ended.FAILED
            yield name, ended
    yield from ((name, Ended.FAILED) for name in began)
    if (suites > 0 or failures > 0) and not began:
        yield "suite", Ended.FAILED


def _objects(data: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects. Other lines are output of tests."""
    if data.count(b"\n") > MAX_LINES:
        raise ValueError(f"the report must have at most {MAX_LINES} lines")
    for line in data.splitlines():
        if line.startswith(b"{"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value
