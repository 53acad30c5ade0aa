"""A job that grades another one again: the rewards before and after, side by side."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.engine.jobs.job import read_job
from assay.engine.jobs.trial_additions import Regrade, read_regrades
from tests.builders import DATA, edit_json, write_trial

JOBS = DATA / "harbor_versions"


def regrades(job: Path) -> list[Regrade]:
    folder = DiskJobFolder(job)
    return read_regrades(folder, read_job(folder).trials)


def test_the_job_that_harbor_graded_again() -> None:
    found = regrades(JOBS / "0.24.0-regrade")
    assert [(one.source, one.old, one.new, one.changed) for one in found] == [
        ("fail__56dAVSE", {"reward": 0.0}, {"reward": 0.5}, True),
        ("fail__ZFRTFG5", {"reward": 0.0}, {"reward": 0.5}, True),
        ("pass__9bQMd3Y", {"reward": 1.0}, {"reward": 1.0}, False),
        ("pass__ANkd8z3", {"reward": 1.0}, {"reward": 1.0}, False),
    ]


def test_a_job_that_grades_nothing_again() -> None:
    assert regrades(JOBS / "0.24.0") == []


def again(job: Path, **source: Any) -> Regrade:
    """What is found of the source of a trial."""
    write_trial(job, "t__new", rewards={"reward": 1})
    edit_json(
        job / "t__new" / "result.json",
        lambda content: content["config"].update(source_trial={"action": "regrade", "type": "local"} | source),
    )
    return regrades(job)[0]


def test_a_source_at_its_path(tmp_path: Path) -> None:
    source = write_trial(tmp_path / "elsewhere" / "old", "t__old", exception="AgentTimeoutError", id="7")
    found = again(tmp_path / "jobs" / "new", path=str(source), trial_id="7")
    assert found == Regrade("t__new", "t__old", None, {"reward": 1}, "AgentTimeoutError", None)
    assert found.changed


def test_jobs_that_were_moved_together(tmp_path: Path) -> None:
    write_trial(tmp_path / "jobs" / "old", "t__old", rewards={"reward": 0})
    assert again(tmp_path / "jobs" / "new", path="/was/there/old/t__old").old == {"reward": 0}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({"trial_id": "7", "type": "hub"}, "the source is on a hub"),
        ({"path": "/no/where/t__old"}, "the source is gone"),
        ({"path": ""}, "the source is gone"),
        ({"path": ".."}, "the source is gone"),
        ({"path": "/"}, "the source is gone"),
        ({"path": "a\0b"}, "the source is gone"),
        ({"path": "../old/broken"}, "the source can't be read: not valid JSON"),
        ({"path": "../old/linked"}, "the source is a symbolic link"),
        ({"path": "../old/t__old", "trial_id": "8"}, "another trial is in the source's place"),
    ],
)
def test_a_source_that_can_not_be_shown(tmp_path: Path, source: dict[str, Any], problem: str) -> None:
    old = tmp_path / "jobs" / "old"
    write_trial(old, "t__old", rewards={"reward": 0}, id="7")
    write_trial(old, "broken")
    (old / "broken" / "result.json").write_text("{")
    (old / "linked").mkdir()
    (old / "linked" / "result.json").symlink_to("../t__old/result.json")
    found = again(tmp_path / "jobs" / "new", **source)
    assert (found.problem or "").startswith(problem)
    assert (found.old, found.new, found.changed) == (None, {"reward": 1}, False)


def test_copies_of_sources_are_not_trials(tmp_path: Path) -> None:
    job = Path(shutil.copytree(JOBS / "0.24.0-regrade", tmp_path / "job"))
    (job / ".sources" / "some-id").mkdir(parents=True)
    assert read_job(DiskJobFolder(job)).notes == []
