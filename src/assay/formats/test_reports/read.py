"""Read a report: JUnit XML, the JSON of pytest, jest, ``go test`` and cargo, or the lines of unittest.

Raises ``ValueError`` for any other text.

Read what ``python3 -m unittest -v`` prints to standard error: a line for each test, and how many ran.

A test that started and never ended has failed. Raises ``ValueError`` for any other text.

Read a report that is written while the tests run, one JSON object per line: ``go test -json`` and cargo.

A test that started and never ended has failed: its process ended early, perhaps with exit code 0. The same
goes for a package or a suite, because tests that never started aren't in the report.

Read a report in JUnit's XML, which most test runners can write.

Raises ``ValueError`` for any other text. No tree is built, because an agent could write a report that fills the
memory.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree

from assay.formats.test_reports.model import Ended, Report, ended_of, report_of

Results = Iterator[tuple[str, Ended]]

# An agent could write a report that takes twenty times its size in memory.
MAX_PARTS = 2_000_000
MAX_LINES: Final = 1_000_000
_TEST: Final = re.compile(r"\s*(\w+) \((\w+(?:\.[\w<>]+)+)\)(?: [(\[].*)?(?: \.\.\. .*)?")
_END: Final = re.compile(
    r"(?:^|.*\.\.\. )(ok|FAIL|ERROR|skipped (?:'.*'|\".*\")|expected failure|unexpected success)\s*"
)
# Before Python 3.11, a test of which a part failed has no end, and the next one begins on its line.
_TOGETHER: Final = re.compile(r" \.\.\. (?=\w{1,200} \([\w.]{1,500}\) \.\.\. )")
_COUNT: Final = re.compile(r"Ran (\d+) tests? in ")
_WORDS: Final = {"ok": Ended.PASSED, "expected failure": Ended.SKIPPED}
MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 100_000
_BROKEN = ("failure", "error")
# How a test ended, in an attribute that some runners write. Other words are ignored.
_STATUS = frozenset(
    {"notrun", "skipped", "skip", "disabled", "ignored", "suppressed", "failed", "fail", "failure", "error"}
)


def read_junit(data: bytes) -> Iterator[tuple[str, Ended]]:
    """The tests by class and name, in the order of the file, and suites that failed without a failed test."""
    target = _parsed(data)
    yield from target.cases
    yield from ((name, Ended.FAILED) for name in target.suites)


def _parsed(data: bytes) -> "_JUnitReader":
    target = _JUnitReader()
    parser = ElementTree.XMLParser(target=target)  # noqa: S314 - a document type is refused when it begins
    try:
        parser.feed(data)
        parser.close()
    except (ElementTree.ParseError, LookupError) as error:
        raise ValueError(f"the report must be XML: {error}") from error
    return target


@dataclass(slots=True)
class _Suite:
    """A suite that is being read. ``says_so`` is true if its own counts say that something failed."""

    name: str
    says_so: bool
    broke: bool = False
    has_failed_test: bool = False


class _JUnitReader:
    """Goes through the elements and keeps the results of tests."""

    def __init__(self) -> None:
        self.cases: list[tuple[str, Ended]] = []
        self.suites: list[str] = []
        self.reasons: dict[str, str] = {}
        self._todo = 0
        self._elements = 0
        self._parents: list[str] = []
        self._open: list[_Suite] = []

    def doctype(self, *_: str | None) -> None:
        """Refuse a document type: reports need none, and an agent could use its entities to fill the memory."""
        raise ValueError("the report must not declare a document type")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS or len(self._parents) > MAX_DEPTH:
            raise ValueError(f"the report must have at most {MAX_ELEMENTS} elements and {MAX_DEPTH} levels")
        parent = self._parents[-1] if self._parents else ""
        self._parents.append(tag)
        if tag == "testcase":
            named = (attributes.get("classname"), attributes.get("name"))
            self.cases.append(("::".join(part for part in named if part), _stated_end(attributes)))
        elif tag.endswith("}UnitTestResult"):
            # The report of dotnet, which has the name and the outcome in attributes.
            ended = attributes.get("outcome", "").lower()
            word = "skipped" if ended == "notexecuted" else ended
            self.cases.append((attributes.get("testName", ""), ended_of(word)))
        elif tag == "testsuite":
            says_so = any(attributes.get(count, "0").strip("0") for count in ("failures", "errors"))
            self._open.append(_Suite(attributes.get("name") or "suite", says_so))
        elif parent == "testcase":
            self._within_case(tag, attributes)
        elif parent == "testsuite" and tag in _BROKEN:
            self._open[-1].broke = True

    def _within_case(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "skipped" and attributes.get("type") == "todo":
            # Node writes down why a test that is still to be done fails; that fails nothing.
            self.cases[-1] = (self.cases[-1][0], Ended.SKIPPED)
            self._todo = len(self.cases)
        elif tag in (*_BROKEN, "skipped") and self._todo != len(self.cases):
            self._worse(Ended.SKIPPED if tag == "skipped" else Ended.FAILED)
            if tag in _BROKEN:
                self.reasons.setdefault(self.cases[-1][0], attributes.get("message", ""))

    def end(self, tag: str) -> None:
        self._parents.pop()
        if tag == "testcase" and self.cases[-1][1] is Ended.FAILED:
            for suite in self._open:
                suite.has_failed_test = True
        elif tag == "testsuite":
            suite = self._open.pop()
            if suite.broke or (suite.says_so and not suite.has_failed_test):
                self.suites.append(suite.name)

    def _worse(self, ended: Ended) -> None:
        name, known = self.cases[-1]
        self.cases[-1] = (name, ended if known is not Ended.FAILED else known)


def _stated_end(attributes: dict[str, str]) -> Ended:
    words = {attributes.get(key, "").lower() for key in ("status", "result")} & _STATUS
    said = {Ended.SKIPPED if word in ("notrun", "suppressed") else ended_of(word) for word in words}
    return Ended.FAILED if Ended.FAILED in said else Ended.SKIPPED if said else Ended.PASSED


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


def read_unittest(data: bytes) -> Iterator[tuple[str, Ended]]:
    """The tests by their full name, and the run itself if it failed without a failed test."""
    if data.count(b"\n") > MAX_LINES:
        raise ValueError(f"the report must have at most {MAX_LINES} lines")
    lines = iter(_TOGETHER.sub(" ... \n", data.decode(errors="replace")).splitlines())
    found: dict[str, list[Ended]] = {}
    if not any(map(_COUNT.match, _until_count(lines, found))):
        raise ValueError("the report must say how many tests ran, as unittest does")
    results = [(name, ended) for name, ends in found.items() for ended in ends or [Ended.FAILED]]
    yield from results
    if any(line.startswith("FAILED") for line in lines) and all(end is not Ended.FAILED for _, end in results):
        yield "run", Ended.FAILED


def _until_count(lines: Iterator[str], found: dict[str, list[Ended]]) -> Iterator[str]:
    """Every line up to the count of tests, with what it says about a test noted."""
    running: list[Ended] = []
    for line in lines:
        yield line
        if line.startswith("=" * 70):
            # Behind this, failures are told at length.
            yield from lines
            return
        began = _TEST.fullmatch(line)
        if began is not None:
            running = found.setdefault(_name(began[1], began[2]), [])
        ended = _END.fullmatch(line)
        if ended is not None:
            skipped = ended[1].startswith("skipped")
            running.append(Ended.SKIPPED if skipped else _WORDS.get(ended[1], Ended.FAILED))
            running = []


def _name(test: str, place: str) -> str:
    """Before Python 3.11, the place is that of the class."""
    return place if place.endswith(f".{test}") else f"{place}.{test}"


def _tap(data: bytes) -> Results:
    """The points of the Test Anything Protocol, those of subtests included; a plan that wasn't kept has failed."""
    if data.count(b"\n") > MAX_LINES:
        raise ValueError(f"the report must have at most {MAX_LINES} lines")
    text = data.decode(errors="replace")
    group, points = "", 0
    for line in text.splitlines():
        if line.startswith("# ") and not re.match(r"# (?:tests|pass|fail|ok|skip|todo)\b", line):
            group = line[2:].strip()
        found = _POINT.match(line)
        if found is None:
            continue
        name, directive = found[3].strip(), (found[4] or "").lower()
        points += not found[1]
        ended = Ended.SKIPPED if directive else Ended.FAILED if found[2].startswith("not") else Ended.PASSED
        yield " > ".join(part for part in (group, name) if part) or f"point {points}", ended
    plan = re.search(r"^1\.\.(\d+)", text, re.MULTILINE)
    if "Bail out!" in text or plan is None or int(plan[1]) != points:
        yield "the plan", Ended.FAILED


_POINT: Final = re.compile(r"(\s*)((?:not )?ok)\b(?: +\d+)?(?: +-)?([^#\n]*)(?:# *(skip|todo).*)?", re.IGNORECASE)
_MINITEST: Final = re.compile(r"(?:.*\s)?([\w:]+#\S.*?) = [\d.]+ s = ([.FES])\s*", re.ASCII)


def _rspec(data: bytes) -> Results:
    """The examples, and a failure outside of them, such as a file that doesn't load."""
    report = _object(data)
    yield from ((str(one["full_description"]), ended_of(one["status"])) for one in report["examples"])
    if report["summary"].get("errors_outside_of_examples_count"):
        yield "outside of examples", Ended.FAILED


def _minitest(data: bytes) -> Results:
    """The tests that ``--verbose`` lists."""
    ends = {".": Ended.PASSED, "S": Ended.SKIPPED}
    for line in data.decode(errors="replace").splitlines()[:MAX_LINES]:
        found = _MINITEST.fullmatch(line)
        if found is not None:
            yield found[1], ends.get(found[2], Ended.FAILED)


FORMATS: dict[str, Callable[[bytes], Results]] = {
    "junit": read_junit,
    "pytest": _pytest,
    "jest": _jest,
    "go": read_go,
    "cargo": read_cargo,
    "unittest": read_unittest,
    "tap": _tap,
    "rspec": _rspec,
    "minitest": _minitest,
}


_SECTION: Final = re.compile(r"^(?:ERROR|FAIL): (\w+) \((\w+(?:\.[\w<>]+)+)\).*$", re.MULTILINE)


def failure_reasons(kind: str, data: bytes) -> dict[str, str]:
    """By test, the line that says why it failed, where the format has one. It is the program's own word."""
    try:
        if kind == "junit":
            return _parsed(data).reasons
        if kind == "jest":
            tests = (test for suite in _object(data)["testResults"] for test in suite["assertionResults"])
            return {str(test["fullName"]): str((test.get("failureMessages") or [""])[0]) for test in tests}
        return _unittest_reasons(data) if kind == "unittest" else {}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _unittest_reasons(data: bytes) -> dict[str, str]:
    """The last line of each traceback."""
    parts = _SECTION.split(data.decode(errors="replace"))
    found: dict[str, str] = {}
    for test, place, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        lines = [line for line in text.split("=" * 70)[0].split("\n\n")[0].splitlines() if line.strip()]
        found[_name(test, place)] = lines[-1] if lines else ""
    return found
