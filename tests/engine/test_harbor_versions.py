"""Jobs that several versions of harbor wrote are read and audited by the rules of their version."""

import shutil
from pathlib import Path

import pytest

from assay.adapters.job_folder import DiskJobFolder
from assay.dialects.harbor.rewards import Profile
from assay.engine.audit import Audit, audit_job
from assay.engine.finding import Standing
from assay.engine.job import Job, read_job
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
    ],
)
def test_a_job_of_each_version_is_consistent(name: str, title: str, identical: bool, finished: bool) -> None:
    found = audit(JOBS / name)
    assert [one.field for one in found.findings if one.standing is Standing.DIFFERS] == []
    assert (found.version, found.identical, found.finished) == (title, identical, finished)


def test_every_job_is_in_the_table() -> None:
    assert len([path for path in JOBS.iterdir() if path.is_dir()]) == 12


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
    assert found.notes == ["1 trial of the record was about to be retried: the folder is gone"]


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
