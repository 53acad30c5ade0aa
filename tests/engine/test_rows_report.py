"""A job row by row, and what it cost."""

from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.core.errors import InputError
from assay.dialects.harbor.trial import Seconds, Usage
from assay.engine.jobs.job import read_job
from assay.engine.jobs.job_runs import JobQuestion
from assay.engine.report.report import JobReport, report_job
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
    return report_job(read_job(DiskJobFolder(folder)), JobQuestion(**question))


def test_one_row_for_each_trial(job: Path) -> None:
    found = report(job, by="trial")
    rows = [(run.name.partition("#")[0], run.task, run.rewards, run.state, run.reason) for run in found.runs]
    assert rows == [
        ("a__1", "a", {"reward": 1}, "passed", None),
        ("b__1", "b", None, "unusable", "harbor_reward_empty"),
        ("a__2", "a", {"reward": 0.5}, "partial", "harbor_agent_timeout_error"),
        ("b__2", "b", None, "unusable", "harbor_reward_missing"),
        ("c__1", "c", None, "running", "harbor_trial_result_missing"),
    ]
    assert [run.score for run in found.runs] == [1.0, 0.0, 0.5, 0.0, None]
    assert [run.detail for run in found.runs] == [
        None,
        "RewardFileEmptyError",
        "AgentTimeoutError",
        "no verifier result and no error",
        "no result.json",
    ]
    first = found.trials["a__1"]
    assert first.seconds == Seconds(10.0, 5.5, 2.0)
    assert first.usage == Usage(100, 10, 5, 0.5)
    assert first.model_usage == {"big": Usage(100, 10, 5, 0.5), "small": Usage(1)}
    assert found.runs[-1].name not in found.trials


def test_one_row_for_each_task(job: Path) -> None:
    rows = report(job, by="task").task_rows
    assert [(row.task, row.group, row.runs, row.scored, row.passed, row.mean) for row in rows] == [
        ("a", "solver__ds", 2, 2, 1, 0.75),
        ("b", "solver__ds", 2, 2, 0, 0.0),
        # Nobody knows which group a run without a result is of.
        ("c", "", 1, 0, 0, None),
    ]
    assert [row.states for row in rows] == [{"passed": 1, "partial": 1}, {"unusable": 2}, {"running": 1}]
    assert [row.reasons for row in rows] == [
        {"harbor_agent_timeout_error": 1},
        {"harbor_reward_empty": 1, "harbor_reward_missing": 1},
        {"harbor_trial_result_missing": 1},
    ]
    assert rows[0].usage == Usage(200, 20, 10, 1.0)
    assert (rows[0].seconds.total, rows[1].seconds.total) == (10.0, 20.0)


def test_what_passes_follows_the_threshold_and_the_key(job: Path) -> None:
    rows = report(job, by="task", threshold=0.5).task_rows
    assert [row.passed for row in rows] == [2, 0, 0]
    with pytest.raises(InputError, match="no run has the reward other; there are reward"):
        report(job, by="task", key="other")


def test_rows_are_made_only_if_they_are_asked_for(job: Path) -> None:
    found = report(job)
    assert (found.task_rows, found.trials) == ((), {})


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
    assert [(run.state, run.score, run.reason) for run in found.runs] == [
        ("not_judged", None, "verification_disabled")
    ]


def test_the_failure_of_a_step_is_the_reason_where_the_trial_has_none(tmp_path: Path) -> None:
    steps = [{"step_name": "one"}, {"step_name": "two", "exception_info": {"exception_type": "AgentTimeoutError"}}]
    write_trial(tmp_path, "a__1", rewards={"reward": 1}, step_results=steps)
    [run] = report(tmp_path, by="trial").runs
    assert (run.state, run.exception_type, run.reason) == (
        "passed",
        "AgentTimeoutError",
        "harbor_agent_timeout_error",
    )


@pytest.mark.parametrize(
    ("started", "finished"),
    [(None, at(1)), (at(1), None), (at(2), at(1)), ("soon", at(1)), (at(1), "2026-01-01T00:00:02"), (at(1), "")],
)
def test_times_that_make_no_length(tmp_path: Path, started: str | None, finished: str | None) -> None:
    span: dict[str, Any] = {"started_at": started, "finished_at": finished}
    write_trial(tmp_path, "a__1", rewards={"reward": 1}, agent_execution=span, **span)
    found = report(tmp_path, by="trial").trials.values()
    assert [one.seconds or Seconds() for one in found] == [Seconds()]


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
    assert [(run.rewards, run.score) for run in found.runs] == [({"reward": 1}, 1.0)]
