"""Command: the exit code, the time, and, where a report is asked for, what the report says beside them."""

from collections.abc import Mapping

import pytest

from assay.checks.command import Command
from assay.core.outcome import Scored
from assay.detectors.effects.control import NotMeasuredError
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import CommandResult
from assay.formats.shell_command import MAX_TIMEOUT
from assay.formats.test_reports.rule import ReportRule
from tests.checks.fake_workspace import FakeWorkspace

RUN = "make test"
REPORT = "out/junit.xml"


def outcome(
    end: ProcessEnd,
    files: Mapping[str, bytes | None] | None = None,
    report: ReportRule | None = None,
    output: str = "",
) -> Scored:
    ran = CommandResult(end, output, output_cut=False, duration_sec=1.23456, files=dict(files or {}))
    found = Command(RUN, report=report).run(FakeWorkspace(runs={RUN: ran}))
    assert isinstance(found, Scored)
    return found


def case(name: str, inside: str = "") -> str:
    return f'<testcase classname="tests.test_a" name="{name}">{inside}</testcase>'


def with_report(exit_code: int, *cases: str, expected: tuple[str, ...] = ()) -> Scored:
    data = f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>".encode()
    return outcome(ProcessEnd(exit_code), {REPORT: data}, ReportRule(REPORT, expected=expected))


# --- How the command ended ---


def test_exit_code_0_is_a_pass() -> None:
    found = outcome(ProcessEnd(0), output="fine\n")
    assert found == Scored(
        1.0,
        True,
        "exit code 0",
        {"exit_code": 0, "timed_out": False, "duration_sec": 1.235, "output": "fine\n", "output_cut": False},
    )


@pytest.mark.parametrize(
    ("end", "summary"),
    [
        (ProcessEnd(1), "exit code 1"),
        (ProcessEnd(255), "exit code 255"),
        (ProcessEnd(None, timed_out=True), "it was still running after 900 seconds"),
        (ProcessEnd(0, timed_out=True), "it was still running after 900 seconds"),
        (ProcessEnd(None, out_of_memory=True), "it ran out of memory"),
        (ProcessEnd(None, signal=9), "it was killed by signal 9"),
    ],
)
def test_any_other_end_fails(end: ProcessEnd, summary: str) -> None:
    found = outcome(end)
    assert (found.passed, found.score, found.summary) == (False, 0.0, summary)


@pytest.mark.parametrize("output", ["PASSED tests/test_a.py::test_x", "OK", "5 passed in 0.1s", '{"reward": 1}'])
def test_what_it_prints_is_never_read_for_a_verdict(output: str) -> None:
    assert not outcome(ProcessEnd(1), output=output).passed


# --- What the report says ---


def test_a_report_in_which_tests_passed() -> None:
    found = with_report(0, case("test_x"), case("test_y"))
    assert (found.passed, found.score, found.summary) == (True, 1.0, "exit code 0, 2 tests passed")
    assert found.evidence["tests"] == {"passed": 2, "skipped": 0, "failed": 0}


def test_a_report_that_was_not_written() -> None:
    found = outcome(ProcessEnd(0), {REPORT: None}, ReportRule(REPORT))
    assert (found.passed, found.summary) == (False, f"the command did not write {REPORT}")


def test_both_are_said_where_the_command_failed_and_wrote_none() -> None:
    found = outcome(ProcessEnd(2), {REPORT: None}, ReportRule(REPORT))
    assert found.summary == f"exit code 2; the command did not write {REPORT}"


@pytest.mark.parametrize("data", [b"", b"junk", b"<testsuites>", b"\xff\xfe", b"<!DOCTYPE x><testsuites/>"])
def test_a_report_that_is_none(data: bytes) -> None:
    found = outcome(ProcessEnd(0), {REPORT: data}, ReportRule(REPORT))
    assert (found.passed, found.score) == (False, 0.0)
    assert found.summary.startswith(f"{REPORT}: the report ")


@pytest.mark.parametrize(
    ("cases", "summary"),
    [
        ((), "exit code 0, but the report has no test that passed"),
        ((case("test_x", "<skipped/>"),), "exit code 0, but the report has no test that passed"),
        ((case("test_x"), case("test_y", "<failure/>")), "exit code 0, but the report has 1 failed test"),
        ((case("test_x"), case("test_y", "<error/>")), "exit code 0, but the report has 1 failed test"),
        # The worse of two entries for one test counts.
        ((case("test_x"), case("test_x", "<failure/>")), "exit code 0, but the report has 1 failed test"),
        ((case("test_x", "<failure/>"), case("test_x")), "exit code 0, but the report has 1 failed test"),
    ],
)
def test_a_report_that_does_not_go_with_exit_code_0(cases: tuple[str, ...], summary: str) -> None:
    found = with_report(0, *cases)
    assert (found.passed, found.score, found.summary) == (False, 0.0, summary)


def test_passing_tests_do_not_make_up_for_the_exit_code() -> None:
    found = with_report(1, case("test_x"))
    assert (found.passed, found.score, found.summary) == (False, 0.0, "exit code 1")


def test_a_run_that_ran_out_of_time_has_no_report() -> None:
    data = f"<testsuites>{case('test_x')}</testsuites>".encode()
    found = outcome(ProcessEnd(None, timed_out=True), {REPORT: data}, ReportRule(REPORT))
    assert (found.passed, found.score) == (False, 0.0)


def test_the_score_of_a_failed_run_is_the_share_of_tests_that_passed() -> None:
    found = with_report(1, case("a"), case("b"), case("c"), case("d", "<failure/>"))
    assert (found.passed, found.score) == (False, 0.75)


@pytest.mark.parametrize(
    ("cases", "expected", "findings"),
    [
        ((case("test_x"),), ("test_x",), []),
        ((case("test_x"),), ("tests/test_a.py::test_x",), []),
        ((case("test_x[1]"), case("test_x[2]")), ("tests/test_a.py::test_x",), []),
        ((case("test_x"), case("test_y")), ("tests.test_a.*",), []),
        ((case("test_x"),), ("test_y",), [{"rule": "did not run", "test": "test_y"}]),
        (
            (case("test_x"), case("test_y", "<skipped/>")),
            ("test_x", "test_y"),
            [{"rule": "skipped", "test": "tests.test_a::test_y"}],
        ),
        (
            (case("test_x[1]"), case("test_x[2]", '<skipped type="pytest.xfail"/>')),
            ("test_x",),
            [{"rule": "skipped", "test": "tests.test_a::test_x[2]"}],
        ),
        ((case("my_test_x"),), ("test_x",), [{"rule": "did not run", "test": "test_x"}]),
    ],
)
def test_every_expected_test_must_have_run_and_passed(
    cases: tuple[str, ...], expected: tuple[str, ...], findings: list[object]
) -> None:
    found = with_report(0, *cases, expected=expected)
    assert found.evidence["findings"] == findings
    assert found.passed is (findings == [])
    assert (found.score == 1.0) is found.passed


def test_a_report_counts_under_any_spelling_of_its_path() -> None:
    data = f"<testsuites>{case('test_x')}</testsuites>".encode()
    assert outcome(ProcessEnd(0), {REPORT: data}, ReportRule(f"./{REPORT}")).passed


# --- What is refused ---


@pytest.mark.parametrize("command", ["", "  ", "a\0b"])
def test_a_command_is_a_text(command: str) -> None:
    with pytest.raises(ValueError, match="command must be a shell command, got "):
        Command(command)


@pytest.mark.parametrize("timeout_s", [-1, 0, MAX_TIMEOUT + 1])
def test_the_time_is_from_1_to_3600_seconds(timeout_s: int) -> None:
    with pytest.raises(ValueError, match=f"timeout_s must be from 1 to 3600, got {timeout_s}"):
        Command(RUN, timeout_s)


def test_the_bounds_themselves_are_fine() -> None:
    assert [Command(RUN, timeout_s).timeout_s for timeout_s in (1, 3600)] == [1, 3600]
    assert Command(RUN).timeout_s == 900


def test_a_report_has_a_format_that_is_known() -> None:
    with pytest.raises(
        ValueError,
        match=r"^format must be one of junit, pytest, jest, go, cargo, unittest, tap, rspec, minitest, got 'x'",
    ):
        ReportRule(REPORT, "x")


@pytest.mark.parametrize("path", ["", "/tmp/x", "../x", "a/../x"])
def test_a_report_is_in_the_workspace(path: str) -> None:
    with pytest.raises(ValueError, match="relative to the workspace"):
        ReportRule(path)


@pytest.mark.parametrize("pattern", ["", "/tests/*", "./tests/*", "tests/", "../tests/*", "tests/../*"])
def test_a_pattern_that_would_restore_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"^a pattern must .*, got "):
        Command("true", restore=("tests/*", pattern))


@pytest.mark.parametrize(
    ("pattern", "fine"), [("@runner", True), ("@types/*", True), ("@*", True), ("@runners", False)]
)
def test_a_name_that_stands_for_no_files_is_refused(pattern: str, fine: bool) -> None:
    if fine:
        assert Command("true", restore=(pattern,)).restore == (pattern,)
    else:
        with pytest.raises(ValueError, match="restore must have globs, '@tests' or '@runner', got '@runners'"):
            Command("true", restore=(pattern,))


@pytest.mark.parametrize("name", ["", " "])
def test_an_expected_test_has_a_name(name: str) -> None:
    with pytest.raises(ValueError, match=r"expected must have names or globs of tests, got an empty one"):
        ReportRule(REPORT, expected=("test_x", name))


# --- A runner that can't start ---


NO_PYTEST = CommandResult(ProcessEnd(1), "/usr/bin/python3: No module named pytest\n", False, 0.1, {})
FAILED = CommandResult(ProcessEnd(1), "1 failed\n", False, 0.1, {})


@pytest.mark.statement("scorers.runner-cannot-start")
def test_a_runner_that_starts_nowhere_is_a_broken_measurement() -> None:
    workspace = FakeWorkspace(runs={RUN: NO_PYTEST}, baseline_runs={RUN: NO_PYTEST})
    with pytest.raises(NotMeasuredError, match=r"^Python has no module pytest, and so it is on the baseline"):
        Command(RUN).run(workspace)


@pytest.mark.parametrize("before", [FAILED, CommandResult(ProcessEnd(0), "", False, 0.1, {}), None])
def test_a_runner_that_the_agent_broke_is_a_failure(before: CommandResult | None) -> None:
    """Whatever the agent prints: on the baseline it has no say."""
    found = Command(RUN).run(FakeWorkspace(runs={RUN: NO_PYTEST}, baseline_runs={RUN: before} if before else {}))
    assert isinstance(found, Scored)
    assert not found.passed


@pytest.mark.parametrize("runs", [0, 11])
def test_the_extra_runs_are_from_1_to_10(runs: int) -> None:
    with pytest.raises(ValueError, match=rf"^canary_runs must be from 1 to 10, got {runs}$"):
        Command("true", report=ReportRule("report.xml"), canaries="pytest", canary_runs=runs)
