"""What an earlier run left: whether it was the same job, what is taken up, and what is removed."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.adapters.machine.atomic_write import PREFIX
from assay.core.errors import InputError
from assay.engine.run.ports import Agent, Planned
from tests.jobs import Jobs
from tests.tasks import ScriptedSandbox


def load(path: Path) -> Any:
    return json.loads(path.read_text())


def test_what_is_finished_is_taken_up_in_its_place(jobs: Jobs) -> None:
    before = jobs.begun(0, 3)
    found = jobs.store().take_up(jobs.planned)
    # Which attempt a trial was is not written anywhere: the earlier ones come first.
    assert sorted(trial.name for trial in found.values()) == sorted(trial.name for trial in before.values())
    assert [jobs.planned[position].task.name for position in sorted(found)] == ["a", "b"]
    assert [found[position].task for position in sorted(found)] == ["a", "b"]


def test_what_is_unfinished_is_removed(jobs: Jobs) -> None:
    jobs.begun(0, 1)
    (jobs.folder / "t__0000001" / "result.json").unlink()
    assert len(jobs.store().take_up(jobs.planned)) == 1
    assert not (jobs.folder / "t__0000001").exists()
    assert (jobs.folder / "t__0000000").exists()


def test_what_a_killed_run_was_writing_is_no_note_and_is_removed(jobs: Jobs) -> None:
    jobs.begun(0)
    (jobs.folder / f"{PREFIX}half").write_text('{"id": "b9')
    assert DiskJobFolder(jobs.folder).foreign() == []
    jobs.store().take_up(jobs.planned)
    assert not (jobs.folder / f"{PREFIX}half").exists()


def test_the_identity_of_a_job_is_taken_up(jobs: Jobs) -> None:
    jobs.begun(0)
    before = load(jobs.folder / "result.json")
    store = jobs.store()
    found = store.take_up(jobs.planned)
    assert store.n_retries == 3
    store.write_result(list(found.values()), store.n_retries, 0, False)
    after = load(jobs.folder / "result.json")
    assert {key: after[key] for key in ("id", "started_at")} == {key: before[key] for key in ("id", "started_at")}


@pytest.mark.parametrize("text", ["", "{", "{}", '{"id": 1, "started_at": "never", "stats": {}}', "[]"])
def test_a_result_that_can_not_be_read_is_no_obstacle(jobs: Jobs, text: str) -> None:
    jobs.begun(0)
    (jobs.folder / "result.json").write_text(text)
    store = jobs.store()
    assert len(store.take_up(jobs.planned)) == 1
    store.write_result([], 0, 0, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"attempts": 3},
        {"max_retries": 1},
        {"agent": Agent("other", command="do it")},
        {"agent": Agent("mine", command="do something else")},
        {"agent": Agent("mine", command="do it", model="m")},
        {"agent": Agent("mine", command="do it", env={"A": "1"})},
        {"datasets": ()},
        {"adhoc_tasks": ("/x",)},
    ],
)
def test_another_configuration_is_another_job(jobs: Jobs, changes: dict[str, Any]) -> None:
    jobs.begun(0)
    with pytest.raises(InputError, match="belongs to a job with other options"):
        jobs.store(**changes).take_up(jobs.planned)


def test_another_sandbox_is_another_job(jobs: Jobs) -> None:
    jobs.begun(0)
    with pytest.raises(InputError, match="belongs to a job with other options"):
        jobs.store(ScriptedSandbox(backend="other")).take_up(jobs.planned)


def test_how_many_at_a_time_may_change(jobs: Jobs) -> None:
    jobs.begun(0)
    assert len(jobs.store(concurrent=1).take_up(jobs.planned)) == 1


def test_a_task_that_was_changed_is_another_task(jobs: Jobs) -> None:
    """Half of a job's trials must not have been attempts at something else."""
    jobs.begun(0)
    for change in ({"package": "f" * 64}, {"tree": "f" * 64}):
        with pytest.raises(InputError, match="changed since the job started"):
            jobs.store().take_up(with_checksums(jobs, checksum="e" * 64, **change))
        jobs.close()


def test_a_job_that_recorded_our_own_checksum_of_its_tasks_is_resumed(jobs: Jobs) -> None:
    """As earlier versions did."""
    old = replace(jobs.tasks[0].harbor_checksums, tree=jobs.tasks[0].checksum, package=jobs.tasks[0].checksum)
    jobs.planned = [replace(one, task=replace(one.task, harbor_checksums=old)) for one in jobs.planned]
    jobs.begun(0)
    later = with_checksums(jobs, checksum=jobs.tasks[0].checksum, tree="1" * 64, package="2" * 64)
    assert len(jobs.store().take_up(later)) == 1


def with_checksums(jobs: Jobs, checksum: str, **changes: str) -> list[Planned]:
    """The plan with other checksums of the task a."""
    return [
        replace(
            one,
            task=replace(
                one.task, checksum=checksum, harbor_checksums=replace(one.task.harbor_checksums, **changes)
            ),
        )
        if one.task.name == "a"
        else one
        for one in jobs.planned
    ]


@pytest.mark.parametrize("name", ["config.json", "lock.json"])
@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000])
def test_a_job_that_does_not_say_what_it_was_is_refused(jobs: Jobs, name: str, text: str) -> None:
    jobs.begun(0)
    (jobs.folder / name).write_text(text)
    with pytest.raises(InputError, match=f"can't be resumed: .*{name} "):
        jobs.store().take_up(jobs.planned)


@pytest.mark.parametrize("trials", [None, 3, [None, {}, {"task": 3}, {"task": {"path": [], "digest": {}}}]])
def test_a_lock_file_of_odd_content_says_nothing_about_tasks(jobs: Jobs, trials: object) -> None:
    jobs.begun(0)
    (jobs.folder / "lock.json").write_text(json.dumps({"trials": trials}))
    assert len(jobs.store().take_up(jobs.planned)) == 1


def test_a_finished_trial_that_can_not_be_read_is_in_the_way(jobs: Jobs) -> None:
    """To run it again would be to choose which attempt counts."""
    jobs.begun(0)
    (jobs.folder / "t__0000000" / "result.json").write_text("{")
    with pytest.raises(InputError, match="can't be resumed: t__0000000 can't be read"):
        jobs.store().take_up(jobs.planned)


def test_an_identity_is_taken_up_whole_or_not_at_all(jobs: Jobs) -> None:
    jobs.begun(0)
    before = load(jobs.folder / "result.json")
    (jobs.folder / "result.json").write_text(json.dumps({**before, "started_at": "never"}))
    store = jobs.store()
    store.take_up(jobs.planned)
    store.write_result([], 0, 0, False)
    after = load(jobs.folder / "result.json")
    assert after["id"] != before["id"]
    assert store.n_retries == 0


def test_trials_without_a_configuration_are_not_those_of_a_new_job(jobs: Jobs) -> None:
    jobs.begun(0)
    (jobs.folder / "config.json").unlink()
    with pytest.raises(InputError, match=r"can't be resumed: it has the trial t__0000000 but no config\.json$"):
        jobs.store().take_up(jobs.planned)


def test_more_trials_than_the_job_has(jobs: Jobs) -> None:
    jobs.begun(0, 1, 2, 3)
    shutil.copytree(jobs.folder / "t__0000003", jobs.folder / "t__copied")
    with pytest.raises(InputError, match="can't be resumed: it has more trials than the job plans, such as "):
        jobs.store().take_up(jobs.planned)
