"""A job folder while the job runs: what is written, and who may write."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from tests.jobs import Jobs
from tests.scratch_folders import own_scratch


def load(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_trial_is_what_was_written(jobs: Jobs) -> None:
    (trial,) = jobs.begun(1).values()
    result = load(jobs.folder / trial.name / "result.json")
    assert (trial.task, trial.agent, trial.dataset, trial.rewards) == ("b", "mine", "set", {"reward": 1})
    assert (result["task_name"], result["trial_name"], result["source"]) == ("b", trial.name, "set")
    assert result["verifier_result"] == {"rewards": {"reward": 1}}
    assert result["trial_uri"] == f"file://{jobs.folder / trial.name}"
    assert result["started_at"] == trial.started_at


def test_only_one_at_a_time(jobs: Jobs) -> None:
    jobs.store()
    left = own_scratch()
    with pytest.raises(InputError, match="is already running"):
        jobs.store()
    assert left
    assert own_scratch() == left


def test_the_log_has_whole_lines(jobs: Jobs) -> None:
    store = jobs.store()
    store.log("one")
    store.log("half \ud800 a character")
    lines = (jobs.folder / "job.log").read_text().splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == ["one", "half \\ud800 a character"]


@pytest.mark.parametrize(("running", "pending"), [(0, 3), (2, 1), (3, 0)])
def test_what_is_under_way_is_not_pending(jobs: Jobs, running: int, pending: int) -> None:
    store = jobs.store()
    store.take_up(jobs.planned)
    trial = store.run_trial(jobs.planned[0], "t__0000000")
    store.write_result([trial], 0, running, False)
    stats = load(jobs.folder / "result.json")["stats"]
    assert (stats["n_completed_trials"], stats["n_running_trials"], stats["n_pending_trials"]) == (
        1,
        running,
        pending,
    )


def test_only_a_finished_job_says_when_it_finished(jobs: Jobs) -> None:
    store = jobs.store()
    store.take_up(jobs.planned)
    for finished in (False, True):
        store.write_result([], 0, 0, finished)
        assert (load(jobs.folder / "result.json")["finished_at"] is not None) is finished
