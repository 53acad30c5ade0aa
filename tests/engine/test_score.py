"""A scored run: rows, the gate, the mean, and the two other gates beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.llm_judge import LlmJudge
from assay.core.errors import MeasurementError
from assay.core.grading import PlacedCheck, Placement
from assay.core.outcome import NotApplicable, Outcome, Scored
from assay.dialects.scorers.report import (
    NOTHING_CHANGED,
    JudgeState,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    ScorersReport,
)
from assay.engine.coding.score import score_run
from assay.evidence.coding_run import RunStatus
from assay.evidence.workspace import Workspace
from tests.checks.fake_workspace import FakeWorkspace

PROVENANCE = Provenance(engine="0", scenario_sha256="0" * 64)
EMPTY = FakeWorkspace()
CHANGED = FakeWorkspace({}, {"new.txt": "x"})

Answer = Callable[[], Outcome]


@dataclass(frozen=True)
class Fixed:
    """Answers as it is told."""

    kind: ClassVar[str] = "fixed"

    answer: Answer

    def run(self, evidence: Workspace) -> Outcome:  # noqa: ARG002
        return self.answer()


def breaks() -> Outcome:
    raise RuntimeError("the scorer's own fault")


def passes() -> Outcome:
    return Scored(1.0, True, "fine")


def fails() -> Outcome:
    return Scored(0.0, False, "not fine")


def not_applicable() -> Outcome:
    return NotApplicable("nothing to look at")


def check(answer: Answer, required: bool = True, name: str = "a") -> PlacedCheck[Workspace]:
    return PlacedCheck(Placement(name, required=required), Fixed(answer))


def score(*checks: PlacedCheck[Workspace], status: RunStatus = RunStatus.COMPLETED) -> ScorersReport:
    return score_run(list(checks), CHANGED, PROVENANCE, status)


def overall(*checks: PlacedCheck[Workspace]) -> tuple[str, float | None]:
    found = score(*checks).overall
    assert found is not None
    return found.verdict.value, found.score


@pytest.mark.parametrize(
    ("checks", "verdict", "mean"),
    [
        ([check(passes)], "PASS", 1.0),
        ([check(fails)], "FAIL", 0.0),
        ([check(passes), check(fails)], "FAIL", 0.5),
        ([check(passes), check(fails, required=False)], "PASS", 0.5),
        ([check(fails), check(passes, required=False)], "FAIL", 0.5),
        ([check(passes), check(not_applicable)], "PASS", 1.0),
        ([check(fails), check(not_applicable)], "FAIL", 0.0),
        ([check(not_applicable), check(not_applicable, required=False)], "N/A", None),
        ([check(breaks)], "FAIL", None),
        ([check(passes), check(breaks)], "FAIL", 1.0),
        ([check(passes), check(breaks, required=False)], "PASS", 1.0),
    ],
)
def test_the_gate_and_the_mean(checks: list[PlacedCheck[Workspace]], verdict: str, mean: float | None) -> None:
    assert overall(*checks) == (verdict, mean)


@pytest.mark.parametrize(
    ("checks", "verdict", "headline"),
    [
        ([check(passes)], "N/A", "N/A: nothing was changed, so there is nothing to score"),
        ([check(passes), check(fails, required=False)], "N/A", NOTHING_CHANGED),
        ([check(not_applicable)], "N/A", "N/A"),
        ([check(fails)], "FAIL", "FAIL"),
        ([check(breaks)], "FAIL", "ERROR: couldn't measure a"),
    ],
)
def test_without_any_change_nothing_passes(
    checks: list[PlacedCheck[Workspace]], verdict: str, headline: str
) -> None:
    found = score_run(checks, EMPTY, PROVENANCE).overall
    assert found is not None
    assert (found.verdict.value, found.headline) == (verdict, headline)
    assert found.score is None or found.verdict is OverallVerdict.FAIL


def test_a_repository_inside_the_workspace_is_a_change() -> None:
    found = score_run([check(passes)], FakeWorkspace(nested_repositories=("vendor",)), PROVENANCE).overall
    assert found is not None
    assert found.verdict is OverallVerdict.PASS


@pytest.mark.parametrize(
    ("checks", "warnings", "headline"),
    [
        ([check(passes)], 0, "PASS"),
        ([check(passes), check(fails, required=False)], 1, "PASS, with 1 heuristic warning to review"),
        ([check(passes), *[check(fails, required=False)] * 2], 2, "PASS, with 2 heuristic warnings to review"),
        ([check(fails), check(fails, required=False)], 1, "FAIL"),
        ([check(passes), check(breaks, required=False)], 1, "PASS, with 1 warning to review"),
        ([check(passes), check(breaks)], 0, "ERROR: couldn't measure a"),
        ([check(fails), check(breaks)], 0, "FAIL"),
        ([check(fails, required=False)], 1, "PASS, with 1 heuristic warning to review"),
    ],
)
def test_the_headline_says_what_to_review(
    checks: list[PlacedCheck[Workspace]], warnings: int, headline: str
) -> None:
    found = score(*checks).overall
    assert found is not None
    assert (found.warnings, found.headline) == (warnings, headline)


def test_a_scorer_that_breaks_is_shown_as_an_error_and_says_what_broke() -> None:
    (row,) = score(check(breaks)).scorers
    assert row == Row(
        name="a",
        type="fixed",
        required=True,
        verdict=RowVerdict.ERROR,
        score=None,
        detail="the scorer's own fault",
        evidence={"error_type": "RuntimeError"},
    )
    assert row.hard_failure


def test_one_that_breaks_does_not_stop_the_others() -> None:
    rows = score(check(breaks, name="a"), check(passes, name="b")).scorers
    assert [(row.name, row.verdict.value) for row in rows] == [("a", "ERROR"), ("b", "PASS")]


@pytest.mark.statement("scorers.multi-turn")
def test_every_scorer_is_asked_once_however_many_turns_there_were() -> None:
    asked: list[str] = []

    def answer() -> Outcome:
        asked.append("once")
        return passes()

    score(check(answer), check(answer, required=False), note("x"))
    assert asked == ["once"] * 2


def test_a_source_that_is_down_stops_the_grading() -> None:
    def is_down() -> Outcome:
        raise MeasurementError("the store is gone")

    with pytest.raises(MeasurementError, match="the store is gone"):
        score(check(is_down))


def test_the_output_of_a_command_is_a_field_of_its_own() -> None:
    (row,) = score(check(lambda: Scored(0.5, False, "x", {"output": "the tail", "exit_code": 1}))).scorers
    assert (row.output, row.evidence, row.score) == ("the tail", {"exit_code": 1}, 0.5)


@pytest.mark.parametrize(
    ("answer", "required", "hard"),
    [(fails, True, True), (breaks, True, True), (passes, True, False), (not_applicable, True, False),
     (fails, False, False), (breaks, False, False)],
)  # fmt: skip
def test_hard_failures_are_the_required_ones_that_failed_or_broke(
    answer: Answer, required: bool, hard: bool
) -> None:
    (row,) = score(check(answer, required)).scorers
    assert (row.hard_failure, row.advisory) == (hard, not required)


@pytest.mark.parametrize("required", [True, False])
def test_a_note_for_the_judge_is_advisory_whatever_it_says(required: bool) -> None:
    (row,) = score(note("x", required)).scorers
    assert (row.required, row.advisory, row.hard_failure) == (required, True, False)


@pytest.mark.statement("scorers.ledger-judge-only")
def test_a_run_without_a_workspace_skips_the_scorers() -> None:
    report = score_run([check(breaks)], None, PROVENANCE)
    assert (report.overall, report.scorers, report.workspace) == (None, [], None)
    assert report.run.status is RunStatus.COMPLETED


def test_what_changed_is_part_of_the_report() -> None:
    workspace = FakeWorkspace(
        {"a": "1", "b": "2", "same": "x"},
        {"a": "2", "c": "2", "same": "x"},
        nested_repositories=("inner",),
        cut=("x is too large",),
    )
    found = score_run([check(passes)], workspace, PROVENANCE).workspace
    assert found is not None
    assert [(one.path, one.change, one.old_path) for one in found.changed] == [
        ("a", "modified", None),
        ("c", "renamed", "b"),
    ]
    assert (found.nested_repositories, found.cut) == (["inner"], ["x is too large"])


def test_a_name_of_any_bytes_can_be_written_as_json() -> None:
    """The name of a file may be no text at all, and an agent must not break the report with one."""
    odd = b"a\xff".decode(errors="surrogateescape")
    workspace = FakeWorkspace({}, {odd: "1"}, nested_repositories=(odd,), cut=(odd,))
    evidence = {"findings": [{"path": odd, odd: (odd,)}]}
    report = score_run([check(lambda: Scored(0.0, False, odd, evidence))], workspace, PROVENANCE)
    assert ScorersReport.model_validate_json(report.model_dump_json()) == report
    assert report.scorers[0].evidence == {"findings": [{"path": "a\\udcff", "a\\udcff": ["a\\udcff"]}]}


# --- The judge's gate and the run's own ---


def note(rubric: str, required: bool = False) -> PlacedCheck[Workspace]:
    return PlacedCheck(Placement("note", required=required), LlmJudge(rubric))


@pytest.mark.parametrize("status", list(RunStatus))
def test_the_runs_badge_is_what_the_run_was(status: RunStatus) -> None:
    report = score(check(passes), status=status)
    assert report.run.status is status
    assert report.overall is not None
    assert report.overall.verdict is OverallVerdict.PASS


def test_without_a_note_no_judge_is_waited_for() -> None:
    assert score(check(passes)).judge.state is JudgeState.NOT_APPLICABLE


def test_with_a_note_the_judge_of_a_completed_run_is_pending() -> None:
    report = score(check(passes), note("Is it short?"), note("Is it kind?"))
    assert report.judge.state is JudgeState.PENDING
    assert [(one.rubric, one.required) for one in report.judge.rubric_notes] == [
        ("Is it short?", False),
        ("Is it kind?", False),
    ]
    assert score(note("x"), status=RunStatus.FAILED).judge.state is JudgeState.NOT_APPLICABLE


def test_a_run_without_a_workspace_may_wait_for_the_judge() -> None:
    assert score_run([note("x")], None, PROVENANCE).judge.state is JudgeState.PENDING


# --- What holds for any answers ---

answers = st.sampled_from([passes, fails, breaks, not_applicable]) | st.floats(0, 1).map(
    lambda number: lambda: Scored(number, number > 0.5)
)
lists = st.lists(st.builds(check, answers, st.booleans()), min_size=1, max_size=6)


@given(lists, answers)
def test_an_advisory_scorer_never_flips_the_gate(checks: list[PlacedCheck[Workspace]], answer: Answer) -> None:
    """It may turn N/A into PASS: then something was looked at, and nothing that is required failed."""
    before, after = overall(*checks)[0], overall(*checks, check(answer, required=False))[0]
    assert after == before or (before, after) == ("N/A", "PASS")


@given(lists, st.booleans())
def test_not_applicable_enters_neither_the_gate_nor_the_mean(
    checks: list[PlacedCheck[Workspace]], required: bool
) -> None:
    assert overall(*checks, check(not_applicable, required)) == overall(*checks)


@given(st.lists(st.booleans(), min_size=1, max_size=4))
def test_where_every_scorer_is_not_applicable_so_is_the_verdict(required: list[bool]) -> None:
    assert overall(*(check(not_applicable, one) for one in required)) == ("N/A", None)


@given(lists)
def test_a_required_scorer_that_raises_gives_error_and_fail(checks: list[PlacedCheck[Workspace]]) -> None:
    report = score(*checks, check(breaks))
    assert report.overall is not None
    assert (report.overall.verdict, report.scorers[-1].verdict) == (OverallVerdict.FAIL, RowVerdict.ERROR)


@given(lists)
def test_the_mean_lies_between_the_extremes(checks: list[PlacedCheck[Workspace]]) -> None:
    report = score(*checks)
    scores = [row.score for row in report.scorers if row.score is not None]
    assert report.overall is not None
    if report.overall.score is None:
        assert scores == []
    else:
        assert min(scores) <= report.overall.score <= max(scores)


@given(lists)
def test_any_report_survives_the_way_through_json(checks: list[PlacedCheck[Workspace]]) -> None:
    report = score(*checks)
    assert ScorersReport.model_validate_json(report.model_dump_json()) == report


@dataclass(frozen=True)
class FakeCommand(Fixed):
    command: str = "make test"
    objective: bool = False


@pytest.mark.statement("scorers.objective-test")
@pytest.mark.parametrize(
    ("commands", "objective"),
    [
        ([("lint", False, False), ("tests", True, False), ("more", True, False)], "tests"),
        ([("tests", True, False), ("marked", False, True)], "marked"),
        ([("lint", False, False)], None),
    ],
)
def test_the_objective_test(commands: list[tuple[str, bool, bool]], objective: str | None) -> None:
    checks: list[PlacedCheck[Workspace]] = [
        PlacedCheck(Placement(name, required=required), FakeCommand(passes, objective=marked))
        for name, required, marked in commands
    ]
    rows = score(check(passes), *checks).scorers
    assert [row.name for row in rows if row.objective] == ([] if objective is None else [objective])
    assert {row.command for row in rows[1:]} == {"make test"}
