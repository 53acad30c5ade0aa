"""Reports of ``go test -json`` and of cargo: one event a line, written while the tests run."""

import json

import pytest

from assay.formats.test_reports import read
from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.read import read_report

P, S, F = Ended.PASSED, Ended.SKIPPED, Ended.FAILED

GO = """\
{"Time":"2026-01-01T10:00:00Z","Action":"start","Package":"example.org/cart"}
{"Time":"2026-01-01T10:00:00Z","Action":"run","Package":"example.org/cart","Test":"TestAdd"}
{"Time":"2026-01-01T10:00:00Z","Action":"output","Package":"example.org/cart","Test":"TestAdd","Output":"RUN\\n"}
{"Time":"2026-01-01T10:00:00Z","Action":"run","Package":"example.org/cart","Test":"TestAdd/twice"}
{"Time":"2026-01-01T10:00:00Z","Action":"pass","Package":"example.org/cart","Test":"TestAdd/twice","Elapsed":0}
{"Time":"2026-01-01T10:00:00Z","Action":"pass","Package":"example.org/cart","Test":"TestAdd","Elapsed":0}
{"Time":"2026-01-01T10:00:00Z","Action":"run","Package":"example.org/cart","Test":"TestTotal"}
{"Time":"2026-01-01T10:00:00Z","Action":"pause","Package":"example.org/cart","Test":"TestTotal"}
{"Time":"2026-01-01T10:00:00Z","Action":"cont","Package":"example.org/cart","Test":"TestTotal"}
{"Time":"2026-01-01T10:00:00Z","Action":"fail","Package":"example.org/cart","Test":"TestTotal","Elapsed":0}
{"Time":"2026-01-01T10:00:00Z","Action":"run","Package":"example.org/cart","Test":"TestLater"}
{"Time":"2026-01-01T10:00:00Z","Action":"skip","Package":"example.org/cart","Test":"TestLater","Elapsed":0}
{"Time":"2026-01-01T10:00:00Z","Action":"fail","Package":"example.org/cart","Elapsed":0.01}
"""

CARGO = """\
{ "type": "suite", "event": "started", "test_count": 4 }
{ "type": "test", "event": "started", "name": "tests::adds" }
{ "type": "test", "name": "tests::adds", "event": "ok" }
{ "type": "test", "event": "started", "name": "tests::breaks" }
{ "type": "test", "name": "tests::breaks", "event": "failed", "stdout": "panicked at src/lib.rs:4:27" }
{ "type": "test", "event": "started", "name": "tests::later" }
{ "type": "test", "name": "tests::later", "event": "ignored" }
{ "type": "test", "event": "started", "name": "tests::slow" }
{ "type": "test", "event": "timeout", "name": "tests::slow" }
{ "type": "test", "name": "tests::slow", "event": "ok" }
{ "type": "suite", "event": "failed", "passed": 2, "failed": 1, "ignored": 1, "exec_time": 0.27 }
"""


def go(*events: dict[str, str]) -> dict[str, Ended]:
    return read_report("go", "\n".join(map(json.dumps, events)).encode()).tests


def cargo(*events: str) -> dict[str, Ended]:
    lines = [json.dumps({"type": "test", "name": "tests::x", "event": event}) for event in events]
    return read_report("cargo", "\n".join(lines).encode()).tests


def test_a_report_of_go() -> None:
    assert read_report("go", GO.encode()).tests == {
        "example.org/cart.TestAdd": P,
        "example.org/cart.TestAdd/twice": P,
        "example.org/cart.TestTotal": F,
        "example.org/cart.TestLater": S,
    }


def test_a_report_of_cargo() -> None:
    assert read_report("cargo", CARGO.encode()).tests == {
        "tests::adds": P,
        "tests::breaks": F,
        "tests::later": S,
        "tests::slow": P,
    }


def test_a_package_that_fails_without_a_test_has_failed() -> None:
    """It did not compile, or its TestMain failed."""
    assert go({"Action": "fail", "Package": "a"}, {"Action": "pass", "Package": "b", "Test": "T"}) == {
        "a": F,
        "b.T": P,
    }


def test_a_package_is_not_counted_beside_its_failed_test() -> None:
    assert go(
        {"Action": "run", "Package": "a", "Test": "T"},
        {"Action": "fail", "Package": "a", "Test": "T"},
        {"Action": "fail", "Package": "a"},
    ) == {"a.T": F}


def test_a_test_that_began_and_never_ended_has_failed() -> None:
    """``os.Exit(0)`` and ``std::process::exit(0)`` end the process under a test, with an exit code of success."""
    ended = {"Action": "pass", "Package": "a", "Test": "First"}
    assert go(ended, {"Action": "run", "Package": "a", "Test": "T"}) == {"a.First": P, "a.T": F}
    assert cargo("started") == {"tests::x": F}
    assert cargo("started", "ok", "started") == {"tests::x": F}


def test_the_same_name_in_two_packages_are_two_tests() -> None:
    assert go(*({"Action": "pass", "Package": name, "Test": "T"} for name in "ab")) == {"a.T": P, "b.T": P}


@pytest.mark.parametrize("word", ["failed", "allowed_failure", "exploded", ""])
def test_a_word_that_nobody_knows_is_a_failure(word: str) -> None:
    assert cargo(word) == {"tests::x": F}


def test_a_benchmark_is_no_test() -> None:
    line = b'{ "type": "bench", "name": "tests::speed", "median": 1, "deviation": 0 }'
    assert read_report("cargo", line).tests == {}


@pytest.mark.parametrize(
    "printed", ["{not json", "PASS", "ok  \texample.org/cart", "{}", "[1]", "null", "{" * 5000]
)
def test_what_tests_print_between_the_events_is_no_event(printed: str) -> None:
    assert read_report("go", f"{printed}\n{GO}\n{printed}".encode()) == read_report("go", GO.encode())
    assert read_report("cargo", f"{printed}\n{CARGO}\n{printed}".encode()) == read_report("cargo", CARGO.encode())


def test_an_event_without_a_name_is_no_event_of_cargo() -> None:
    with pytest.raises(ValueError, match="the report must be in the format that cargo writes"):
        read_report("cargo", b'{"type": "test", "event": "ok"}')


STARTED = {"Action": "start", "Package": "p"}
PASSED = [{"Action": action, "Package": "p", "Test": "TestX"} for action in ("run", "pass")]


@pytest.mark.parametrize(
    ("events", "tests"),
    [
        ([STARTED, *PASSED], {"p.TestX": P, "p": F}),
        ([STARTED, *PASSED, {"Action": "pass", "Package": "p"}], {"p.TestX": P}),
        ([STARTED, {"Action": "skip", "Package": "p"}], {}),
        ([STARTED, PASSED[0]], {"p.TestX": F}),
    ],
)
def test_a_package_that_never_ended_has_failed(events: list[dict[str, str]], tests: dict[str, Ended]) -> None:
    assert go(*events) == tests


@pytest.mark.parametrize(
    ("events", "tests"),
    [
        (["suite started", "test ok"], {"x": P, "suite": F}),
        (["suite started", "test ok", "suite ok"], {"x": P}),
        (["suite started", "test ok", "suite failed"], {"x": P, "suite": F}),
        (["suite started", "test failed", "suite failed"], {"x": F}),
        (["suite started", "test started"], {"x": F}),
        (["suite started", "suite ok", "suite started", "test ok", "suite ok"], {"x": P}),
    ],
)
def test_a_suite_of_cargo_that_never_ended_has_failed(events: list[str], tests: dict[str, Ended]) -> None:
    pairs = [event.split() for event in events]
    lines = [json.dumps({"type": kind, "name": "x", "event": event}) for kind, event in pairs]
    assert read_report("cargo", "\n".join(lines).encode()).tests == tests


@pytest.mark.parametrize("kind", ["go", "cargo"])
def test_more_lines_than_tests_write_are_refused(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(read, "MAX_LINES", 3)
    with pytest.raises(ValueError, match="must have at most 3 lines"):
        read_report(kind, b"{}\n" * 4)
