"""Everything that a judge reads about a run is in one frozen value."""

from assay.dialects.scorers.report import Provenance, ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.coding_record import coding_run
from assay.engine.coding.score import placed_checks, score_run
from assay.evidence.coding_run import (
    AgentEnd,
    AgentRecord,
    AuthorNote,
    Diff,
    Form,
    ProcessEnd,
    RunStatus,
    ScorerRow,
    Speaker,
    Trajectory,
    TrajectoryStep,
)
from tests.checks.fake_workspace import added

SCENARIO = Scenario.model_validate_json(
    """{"user_instruction": "Fix it.", "turns": ["And test it."], "expected_outcome": "refusal", "scorers": [
        {"type": "max_files_changed", "limit": 0},
        {"name": "style", "type": "llm_judge", "rubric": "Is it short?", "required": true}]}"""
)
AGENT = AgentRecord(
    Trajectory(Form.TEXT, (TrajectoryStep(1, Speaker.AGENT, "Done."),), remarks=("cut",)),
    "Done.",
    end=AgentEnd(ProcessEnd(0), 1.0),
)


def report() -> ScorersReport:
    provenance = Provenance(engine="1", scenario_sha256="0" * 64)
    return score_run(placed_checks(SCENARIO, "s"), added("a", "x"), provenance, agent=AGENT)


def test_the_whole_record() -> None:
    run = coding_run(SCENARIO, report(), [AGENT, AGENT], Diff("+a", "0" * 64, cut=True))
    assert (run.instruction, run.expected_outcome, run.status) == ("Fix it.", "refusal", RunStatus.COMPLETED)
    assert [(turn.request, turn.response) for turn in run.turns] == [
        ("Fix it.", "Done."),
        ("And test it.", "Done."),
    ]
    assert run.notes == (AuthorNote("style", True, "Is it short?"),)
    assert run.rows[0] == ScorerRow(
        "max_files_changed", "max_files_changed", True, "FAIL", 0.0, run.rows[0].detail, None, None
    )
    assert (run.final_response, run.objective) == ("Done.", None)
    assert [metric.name for metric in run.metrics if metric.passed] == ["exit_code", "time_s", "result"]
    assert run.remarks == ("trajectory: cut", "the diff doesn't show every change")


def test_a_run_of_which_nothing_is_known() -> None:
    run = coding_run(SCENARIO, report(), [], None)
    assert (run.trajectory, run.agent_end, run.diff) == (None, None, None)
    assert [turn.response for turn in run.turns] == [None, None]
