"""The generic metrics behind the status of a run."""

import pytest

from assay.engine.coding.score import MetricLimits, passed, run_metrics
from assay.evidence.coding_run import (
    AgentEnd,
    AgentRecord,
    Form,
    ProcessEnd,
    Speaker,
    StatedUsage,
    Trajectory,
    TrajectoryStep,
)

FINE = AgentEnd(ProcessEnd(0), 12.0, 60.0)
TOLD = Trajectory(Form.TEXT, (TrajectoryStep(1, Speaker.AGENT, "Done."),), usage=StatedUsage(100, 50, None, 0.5))


def badge(record: AgentRecord, changed: int | None = 1, limits: MetricLimits | None = None) -> bool | None:
    return passed(run_metrics(record, changed, limits or MetricLimits()))


@pytest.mark.statement("scorers.run-metrics")
@pytest.mark.statement("scorers.run-badge")
def test_a_run_that_ended_by_itself_in_time_with_a_change() -> None:
    rows = run_metrics(AgentRecord(TOLD, "Done.", end=FINE), 2, MetricLimits(tokens=200))
    assert [(row.name, row.value, row.limit, row.passed) for row in rows] == [
        ("exit_code", 0, None, True),
        ("time_s", 12.0, 60.0, True),
        ("result", True, None, True),
        ("tokens", 150, 200, True),
        ("cost_usd", 0.5, None, None),
        ("steps", 1, None, None),
    ]
    assert rows[2].detail == "a final response and 2 changed files"
    assert passed(rows) is True


@pytest.mark.parametrize(
    ("end", "detail"),
    [
        (AgentEnd(ProcessEnd(1), 1), "the agent ended by itself with exit code 1"),
        (AgentEnd(ProcessEnd(None, timed_out=True), 61, 60), "the agent was stopped"),
        (AgentEnd(ProcessEnd(None, signal=9), 1), "the agent was killed by signal 9"),
    ],
)
def test_an_agent_that_did_not_end_well(end: AgentEnd, detail: str) -> None:
    rows = run_metrics(AgentRecord(TOLD, "Done.", end=end), 1, MetricLimits())
    assert (rows[0].passed, rows[0].detail) == (False, detail)
    assert passed(rows) is False


@pytest.mark.statement("scorers.run-metrics")
@pytest.mark.parametrize(
    "limits",
    [MetricLimits(time_s=10), MetricLimits(tokens=149), MetricLimits(cost_usd=0.4), MetricLimits(steps=0)],
)
def test_limits_of_the_scenario(limits: MetricLimits) -> None:
    assert badge(AgentRecord(TOLD, "Done.", end=FINE), 1, limits) is False


def test_either_a_response_or_a_change_is_a_result() -> None:
    assert badge(AgentRecord(end=FINE), 1) is True
    assert badge(AgentRecord(final_response="I won't.", end=FINE), 0) is True
    assert badge(AgentRecord(final_response=" ", end=FINE), None) is False


def test_a_limit_on_something_unknown_is_neither_passed_nor_failed() -> None:
    assert badge(AgentRecord(end=FINE), 1, MetricLimits(tokens=10)) is None
    assert badge(AgentRecord(end=AgentEnd(ProcessEnd(1), 1)), 1, MetricLimits(tokens=10)) is False


def test_a_workspace_alone_has_no_metrics() -> None:
    assert run_metrics(AgentRecord(), 3, MetricLimits()) == ()
    assert passed(()) is None
