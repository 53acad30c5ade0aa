"""Jobs that several versions of harbor wrote are read and audited by the rules of their version."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.dialects.harbor.rewards import Profile
from assay.engine.jobs.job import Job, read_job
from assay.engine.report.audit import Audit, audit_job
from assay.engine.report.audit_rewards import AuditFinding, Standing
from tests.builders import DATA, edit_json

JOBS = DATA / "harbor_versions"


def read(path: Path) -> Job:
    return read_job(DiskJobFolder(path))


def audit(path: Path) -> Audit:
    folder = DiskJobFolder(path)
    return audit_job(folder, read_job(folder))


@pytest.mark.statement("harbor.version-of-job")
@pytest.mark.parametrize(
    ("name", "title", "identical", "finished"),
    [
        ("0.1.45", "harbor 0.1 to 0.3 (harbor-0.6)", True, True),
        ("0.3.0", "harbor 0.1 to 0.3 (harbor-0.6)", True, True),
        ("0.6.6", "harbor 0.6.6 (harbor-0.6)", True, True),
        ("0.13.1-dot", "harbor-0.13.1", True, True),
        ("0.13.1-not-verified", "harbor-0.13.1", True, True),
        ("0.13.1-registry", "harbor-0.13.1", True, True),
        ("0.13.1-agent-errors", "harbor-0.13.1", False, True),
        ("0.13.1-killed", "harbor-0.13.1", False, False),
        ("0.13.1-interrupted", "harbor-0.13.1", False, False),
        ("0.24.0", "harbor 0.24.0 (harbor-0.24)", True, True),
        ("0.24.0-source", "harbor 0.24.0 (harbor-0.24)", True, True),
        ("0.24.0-regrade", "harbor 0.24.0 (harbor-0.24)", True, True),
        ("0.25.0-source", "harbor 0.25.0 (harbor-0.24)", True, True),
        ("0.25.0-regrade", "harbor 0.25.0 (harbor-0.24)", True, True),
    ],
)
def test_a_job_of_each_version_is_consistent(name: str, title: str, identical: bool, finished: bool) -> None:
    found = audit(JOBS / name)
    assert [one.field for one in found.findings if one.standing is Standing.DIFFERS] == []
    assert (found.version, found.identical, found.finished) == (title, identical, finished)


def test_every_job_is_in_the_table() -> None:
    assert len([path for path in JOBS.iterdir() if path.is_dir()]) == 14


def test_what_is_said_of_a_cost_that_is_not_a_number() -> None:
    found = audit(JOBS / "0.13.1-agent-errors")
    cost = next(one for one in found.findings if one.field == "stats.cost_usd")
    assert (cost.standing, cost.recorded) == (Standing.TAKEN, None)
    assert found.notes == ["the cost is null in the record, so that of a trial was NaN: files can't hold it"]


def test_a_cost_that_is_known_must_be_there(tmp_path: Path) -> None:
    job = Path(shutil.copytree(JOBS / "0.13.1-agent-errors", tmp_path / "job"))
    for path in job.glob("*/result.json"):
        edit_json(path, lambda content: content["agent_result"].update(cost_usd=0.1))
    assert [one.field for one in audit(job).findings if one.standing is Standing.DIFFERS] == ["stats.cost_usd"]


def test_a_killed_job_says_what_is_gone() -> None:
    found = audit(JOBS / "0.13.1-killed")
    assert found.notes == ["the record counts 1 attempt to be retried, of which the folder is gone"]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("0.13.1-killed", {"n_completed_trials": 7}),
        ("0.13.1-killed", {"n_errored_trials": 0}),
        ("0.13.1-killed", {"n_cancelled_trials": 20}),
        ("0.13.1-interrupted", {"n_cancelled_trials": 20}),
        ("0.13.1-interrupted", {"n_errored_trials": 1}),
        ("0.3.0", {"n_trials": 3}),
        ("0.3.0", {"n_errors": 3}),
        ("0.24.0", {"n_errored_trials": 0}),
    ],
)
def test_a_tampered_count_still_differs(tmp_path: Path, name: str, change: dict[str, int]) -> None:
    job = Path(shutil.copytree(JOBS / name, tmp_path / "job"))
    edit_json(job / "result.json", lambda content: content["stats"].update(change))
    assert not audit(job).consistent


def test_nan_is_a_reward_up_to_0_22_and_an_error_from_0_23_on() -> None:
    old, new = read(JOBS / "0.13.1-dot"), read(JOBS / "0.24.0")
    assert [trial.exception_type for trial in old.trials if trial.task == "nan"] == [None]
    assert {trial.exception_type for trial in new.trials if trial.task in ("nan", "list", "string")} == {
        "VerifierOutputParseError"
    }
    assert new.version.profile is Profile.HARBOR_0_24


def test_the_same_reward_files_are_read_by_the_rules_of_the_version() -> None:
    """Both files are there: 0.75 in reward.txt and 0.25 in reward.json."""
    rewards = {
        name: {
            trial.rewards["reward"] for trial in read(JOBS / name).trials if trial.rewards and trial.task == "both"
        }
        for name in ("0.3.0", "0.6.6", "0.13.1-dot", "0.24.0")
    }
    assert rewards == {"0.3.0": {0.75}, "0.6.6": {0.75}, "0.13.1-dot": {0.25}, "0.24.0": {0.25}}


def test_a_trials_own_lock_must_be_in_that_of_the_job(tmp_path: Path) -> None:
    job = Path(shutil.copytree(JOBS / "0.24.0", tmp_path / "job"))
    [lock] = job.glob("*/lock.json")
    assert AuditFinding("trial locks", Standing.SAME, *["1 are in the job's lock.json"] * 2) in audit(job).findings
    edit_json(lock, lambda content: content["task"].update(digest=f"sha256:{'0' * 64}"))
    assert [one.field for one in audit(job).findings if one.standing is Standing.DIFFERS] == [
        f"trial {lock.parent.name} lock.json"
    ]
    for text in ("{", "[" * 100_000):
        lock.write_text(text)
        assert not audit(job).consistent
    (job / "lock.json").write_text("{}")
    assert all(not one.field.endswith("lock.json") for one in audit(job).findings)


def unfinished(job: Path, change: Callable[[Any], None]) -> list[str]:
    """What differs after a change of the record of a job that didn't finish."""
    edit_json(job / "result.json", change)
    return [one.field for one in audit(job).findings if one.standing is Standing.DIFFERS]


@pytest.fixture
def running(tmp_path: Path) -> Path:
    """A job without verification, whose record names no trial. Two trials have ended; one of them counts."""
    job = Path(shutil.copytree(JOBS / "0.13.1-not-verified", tmp_path / "job"))
    for trial in sorted(path for path in job.iterdir() if path.is_dir())[2:]:
        shutil.rmtree(trial)

    def one_ended(content: Any) -> None:
        content["finished_at"] = None
        content["stats"].update(n_completed_trials=1, n_running_trials=3, n_pending_trials=4)

    edit_json(job / "result.json", one_ended)
    return job


def test_a_trial_that_the_record_can_not_name_is_counted(running: Path) -> None:
    found = audit(running)
    assert [one.field for one in found.findings if one.standing is Standing.DIFFERS] == []
    assert found.notes == ["1 trial ended after the record was written"]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_any_number_of_them_may_have_been_counted(running: Path, count: int) -> None:
    def change(content: Any) -> None:
        content["stats"].update(n_completed_trials=count, n_pending_trials=5 - count)
        if count == 0:
            content["stats"]["evals"] = {}

    assert unfinished(running, change) == []


def test_more_than_have_ended_differ(running: Path) -> None:
    assert "stats.n_completed_trials" in unfinished(
        running, lambda content: content["stats"].update(n_completed_trials=3, n_pending_trials=2)
    )


def test_metrics_of_a_resumed_job_come_with_its_first_trial(running: Path) -> None:
    assert unfinished(running, lambda content: content["stats"]["evals"]["oracle__ds"].update(metrics=[])) == []


@pytest.mark.parametrize(("cancelled", "differs"), [(0, False), (8, False), (9, True), (-1, True)])
def test_trials_count_as_cancelled_before_they_end(running: Path, cancelled: int, differs: bool) -> None:
    found = unfinished(running, lambda content: content["stats"].update(n_cancelled_trials=cancelled))
    assert ("stats.n_cancelled_trials" in found) is differs


def test_without_retries_0_tokens_are_not_none(running: Path) -> None:
    change = {"n_input_tokens": 0, "cost_usd": 0.0}
    assert unfinished(running, lambda content: content["stats"].update(change)) == [
        "stats.n_input_tokens",
        "stats.cost_usd",
    ]
    assert unfinished(running, lambda content: content["stats"].update(n_retries=1)) == []


def test_empty_lists_are_left_by_retries_only(running: Path) -> None:
    def leave(content: Any) -> None:
        group = content["stats"]["evals"]["oracle__ds"]
        group["exception_stats"] = {"RuntimeError": []}
        group["reward_stats"] = {"reward": {"0.0": []}}
        content["stats"]["evals"]["other__ds"] = {"n_trials": 0, "metrics": [], "exception_stats": {"E": []}}

    assert len(unfinished(running, leave)) == 4
    assert unfinished(running, lambda content: content["stats"].update(n_retries=1)) == []
