"""Harbor jobs in one folder, reported as one submission."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.core.errors import InputError
from assay.engine.jobs.job import Job, pool_jobs, read_job
from assay.engine.report.report import report_job
from tests.builders import DATA, write_config, write_lock, write_trial


def job(folder: Path, *rewards: float, metrics: tuple[str, ...] = (), **fields: Any) -> Job:
    """A job with one attempt at each of some tasks."""
    for number, reward in enumerate(rewards):
        write_trial(folder, f"t{number}__{folder.name}", rewards={"reward": reward}, **fields)
    write_config(folder, metrics=metrics)
    return read_job(DiskJobFolder(folder))


def test_attempts_are_matched_by_task(tmp_path: Path) -> None:
    jobs = [job(tmp_path / "one", 1, 0), job(tmp_path / "two", 0, 0), job(tmp_path / "three", 1, 1)]
    pooled = pool_jobs("submission", jobs)
    found = report_job(pooled)
    [group] = found.groups
    assert (found.job, group.tasks, group.n) == ("submission", 2, 6)
    assert group.harbor.metrics == [{"mean": 0.5}]
    assert group.harbor.pass_at_k == {2: pytest.approx((1 + 2 / 3) / 2)}
    assert [(one.k, one.tasks) for one in group.pass_at_k] == [(1, 2), (2, 2)]
    assert found.notes == ["3 jobs as one submission: one, two, three"]


def test_problems_and_notes_say_which_job_they_are_of(tmp_path: Path) -> None:
    first = tmp_path / "one"
    first.mkdir()
    write_lock(first, [("t0", "solver"), ("gone", "solver")])
    (first / "notes.txt").write_text("")
    pooled = pool_jobs("both", [job(first, 1), job(tmp_path / "two", 1)])
    assert [problem.trial for problem in pooled.problems] == ["one/gone"]
    assert "one: ignored notes.txt: harbor didn't write it" in pooled.notes


def test_a_trial_in_two_jobs_is_refused(tmp_path: Path) -> None:
    jobs = [job(tmp_path / "a" / "same", 1), job(tmp_path / "b" / "same", 1)]
    renamed = [jobs[0], Job("other", *[getattr(jobs[1], name) for name in list(Job.__dataclass_fields__)[1:]])]
    with pytest.raises(
        InputError, match="each trial must be in one of the jobs, but t0__same is in same and in other"
    ):
        pool_jobs("both", renamed)


def test_jobs_that_differ_in_their_metric_have_the_mean(tmp_path: Path) -> None:
    jobs = [job(tmp_path / "one", 1, metrics=("max",)), job(tmp_path / "two", 0, metrics=("sum",))]
    pooled = pool_jobs("both", jobs)
    assert [group.harbor.metrics for group in report_job(pooled).groups] == [[{"mean": 0.5}]]
    assert "the jobs have different metrics for ds, so for the submission it is the mean" in pooled.notes
    same = [job(tmp_path / "three", 1, metrics=("sum",)), job(tmp_path / "four", 1, metrics=("sum",))]
    assert [group.harbor.metrics for group in report_job(pool_jobs("x", same)).groups] == [[{"sum": 2}]]


def test_a_task_that_changed_between_the_jobs_is_named(tmp_path: Path) -> None:
    jobs = [job(tmp_path / "one", 1, task_checksum="a"), job(tmp_path / "two", 1, task_checksum="b")]
    assert "the task t0 differs between the jobs" in pool_jobs("both", jobs).notes


def test_jobs_of_several_versions_say_so(tmp_path: Path) -> None:
    for name, version in {"one": "0.13.1", "two": "0.24.0"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "lock.json").write_text(json.dumps({"harbor": {"version": version}, "trials": []}))
    pooled = pool_jobs("both", [job(tmp_path / "one", 1), job(tmp_path / "two", 1)])
    assert report_job(pooled).title == "harbor of several versions (harbor-0.13.1)"
    assert "written by harbor-0.13.1 (one), harbor 0.24.0 (harbor-0.24) (two)" in pooled.notes


def test_a_job_beside_the_one_that_it_grades_again() -> None:
    jobs = [
        read_job(DiskJobFolder(DATA / "harbor_versions" / name)) for name in ("0.24.0-source", "0.24.0-regrade")
    ]
    pooled = pool_jobs("both", jobs)
    assert report_job(pooled).title == "harbor 0.24.0 (harbor-0.24)"
    assert "4 trials grade others of the submission again: both count" in pooled.notes
