"""A job row by row, and what it cost."""

from pathlib import Path
from typing import Any

import pytest

from assay.adapters.job_folder import DiskJobFolder
from assay.dialects.harbor.trial import Seconds, Usage
from assay.engine.job import read_job
from assay.engine.report import JobReport, Question, report_job
from tests.builders import write_config, write_trial


def at(second: float) -> str:
    return f"2026-01-01T00:00:{second:09.6f}Z"


def span(start: float, end: float) -> dict[str, str]:
    return {"started_at": at(start), "finished_at": at(end)}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    folder = tmp_path / "job"
    used = {"n_input_tokens": 100, "n_cache_tokens": 10, "n_output_tokens": 5, "cost_usd": 0.5}
    models = {"big": used, "small": {"n_input_tokens": 1}}
    write_trial(
        folder,
        "a__1",
        rewards={"reward": 1},
        usage=used | {"model_usage": models},
        started_at=at(0),
        finished_at=at(10),
        agent_execution=span(2.5, 8),
        verifier=span(8, 10),
    )
    write_trial(folder, "a__2", rewards={"reward": 0.5}, exception="AgentTimeoutError", usage=used)
    write_trial(folder, "b__1", exception="RewardFileEmptyError", started_at=at(0), finished_at=at(20))
    write_trial(folder, "b__2")
    (folder / "c__1").mkdir()
    write_config(folder)
    return folder


def report(folder: Path, **question: Any) -> JobReport:
    return report_job(read_job(DiskJobFolder(folder)), Question(**question))


def test_one_row_for_each_trial(job: Path) -> None:
    rows = report(job, by="trial").trial_rows
    assert rows is not None
    assert [(row.trial, row.task, row.rewards, row.failure, row.cause, row.reason_code) for row in rows] == [
        ("a__1", "a", {"reward": 1}, None, None, None),
        ("b__1", "b", None, "RewardFileEmptyError", "verifier_failed", "harbor_reward_empty"),
        (
            "a__2",
            "a",
            {"reward": 0.5},
            "AgentTimeoutError",
            "agent_exhausted_budget",
            "harbor_agent_timeout_error",
        ),
        ("b__2", "b", None, "no verifier result and no error", None, "harbor_reward_missing"),
        ("c__1", "c", None, "no result.json", None, "harbor_trial_result_missing"),
    ]
    assert rows[0].seconds == Seconds(10.0, 5.5, 2.0)
    assert rows[0].usage == Usage(100, 10, 5, 0.5)
    assert rows[0].model_usage == {"big": Usage(100, 10, 5, 0.5), "small": Usage(1)}
    assert rows[-1].seconds == Seconds()


def test_one_row_for_each_task(job: Path) -> None:
    rows = report(job, by="task").task_rows
    assert rows is not None
    assert [(row.task, row.attempts, row.scored, row.successes, row.mean_reward) for row in rows] == [
        ("a", 2, 2, 1, 0.75),
        ("b", 2, 0, 0, None),
    ]
    assert [row.failures for row in rows] == [{"agent_exhausted_budget": 1}, {"verifier_failed": 1}]
    assert rows[0].usage == Usage(200, 20, 10, 1.0)
    assert (rows[0].seconds.total, rows[1].seconds.total) == (10.0, 20.0)


def test_successes_follow_the_threshold_and_the_key(job: Path) -> None:
    rows = report(job, by="task", threshold=0.5).task_rows
    assert [row.successes for row in rows or ()] == [2, 0]
    without = report(job, by="task", key="other").task_rows
    assert [(row.successes, row.mean_reward) for row in without or ()] == [(None, None)] * 2


def test_rows_are_made_only_if_they_are_asked_for(job: Path) -> None:
    found = report(job)
    assert (found.task_rows, found.trial_rows) == (None, None)


def test_what_a_job_cost(job: Path) -> None:
    usage = report(job).usage
    assert usage is not None
    assert usage.usage == Usage(200, 20, 10, 1.0)
    assert (usage.trials_with_tokens, usage.trials_with_cost, usage.trials_with_times) == (2, 2, 2)
    assert usage.mean == Seconds(15.0, 5.5, 2.0)
    assert usage.by_model == {"big": Usage(100, 10, 5, 0.5), "small": Usage(1)}


def test_trials_that_were_not_verified_by_choice(tmp_path: Path) -> None:
    write_trial(tmp_path, "a__1", config={"verifier": {"disable": True}})
    found = report(tmp_path, by="trial")
    assert [(one.what, one.trials) for one in found.troubles] == [("verification was disabled", ["a__1"])]
    assert [row.failure for row in found.trial_rows or ()] == ["verification was disabled"]


def test_the_failure_of_a_step_is_the_cause_where_the_trial_has_none(tmp_path: Path) -> None:
    steps = [{"step_name": "one"}, {"step_name": "two", "exception_info": {"exception_type": "AgentTimeoutError"}}]
    write_trial(tmp_path, "a__1", rewards={"reward": 1}, step_results=steps)
    rows = report(tmp_path, by="trial").trial_rows or ()
    assert [(row.failure, row.cause) for row in rows] == [("AgentTimeoutError", "agent_exhausted_budget")]


@pytest.mark.parametrize(
    ("started", "finished"),
    [(None, at(1)), (at(1), None), (at(2), at(1)), ("soon", at(1)), (at(1), "2026-01-01T00:00:02"), (at(1), "")],
)
def test_times_that_make_no_length(tmp_path: Path, started: str | None, finished: str | None) -> None:
    span: dict[str, Any] = {"started_at": started, "finished_at": finished}
    write_trial(tmp_path, "a__1", rewards={"reward": 1}, agent_execution=span, **span)
    rows = report(tmp_path, by="trial").trial_rows or ()
    assert [row.seconds for row in rows] == [Seconds()]


@pytest.mark.parametrize("strange", [7, "x", [], {"started_at": 3, "finished_at": 4}, {"big": 3}])
def test_strange_facts_lose_no_reward(tmp_path: Path, strange: Any) -> None:
    write_trial(
        tmp_path,
        "a__1",
        rewards={"reward": 1},
        usage={"n_input_tokens": 1, "model_usage": strange},
        finished_at=strange,
        task_checksum=strange,
        agent_execution=strange,
        verifier=strange,
        config={"verifier": strange, "source_trial": strange},
        step_results=[{"step_name": "one", "exception_info": strange, "verifier": strange}],
    )
    found = report(tmp_path, by="trial")
    assert [row.rewards for row in found.trial_rows or ()] == [{"reward": 1}]
