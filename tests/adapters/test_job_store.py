"""A job folder while the job runs: what is written, what is taken up again, and who may write."""

import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.job_store import JobSetting, JobStore
from assay.adapters.task_folder import load_task
from assay.core.errors import InputError
from assay.dialects.harbor.trial import Trial
from assay.engine.job_run import Planned, plan_trials
from assay.engine.trial_run import Agent, Site
from tests.tasks import Places, ScriptedSandbox, gives, write_task


class Jobs:
    """Opens the folder of one job, again and again."""

    def __init__(self, root: Path) -> None:
        self.tasks = [load_task(str(write_task(root / "set" / name))) for name in ("a", "b")]
        self.planned = plan_trials([(task, "set") for task in self.tasks], 2)
        self.setting = JobSetting(
            name="job",
            jobs_dir=str(root / "jobs"),
            agent=Agent("mine", command="do it"),
            attempts=2,
            concurrent=4,
            max_retries=0,
            datasets=(str(root / "set"),),
            adhoc_tasks=(),
            invocation=("assay", "run"),
        )
        self.folder = root / "jobs" / "job"
        self._open: list[JobStore] = []

    def store(self, sandbox: ScriptedSandbox | None = None, **changes: Any) -> JobStore:
        self._open.append(JobStore(replace(self.setting, **changes), Site(sandbox or ScriptedSandbox(), {})))
        return self._open[-1]

    def close(self) -> None:
        while self._open:
            self._open.pop().close()

    def begun(self, *positions: int, sandbox: ScriptedSandbox | None = None) -> dict[int, Trial]:
        """A job of which some trials were run before it was left."""
        store = self.store(sandbox)
        found = store.take_up(self.planned)
        trials = {position: store.run_trial(self.planned[position], f"t__{position:07}") for position in positions}
        store.write_result(list((found | trials).values()), 3, 0, False)
        self.close()
        return trials


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    jobs = Jobs(tmp_path)
    yield jobs
    jobs.close()


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


def test_what_a_trial_leaves(jobs: Jobs) -> None:
    def work(places: Places) -> None:
        (places["/workspace"] / "made").write_text("x")
        (places["/logs/agent"] / "own.log").write_text("x")
        (places["/logs/artifacts"] / "picture").write_text("x")

    def check(places: Places) -> None:
        gives(0.5)(places)
        (places["/logs/verifier"] / "extra.txt").write_text("x")

    jobs.begun(0, sandbox=ScriptedSandbox(agent=work, verifier=check))
    trial = jobs.folder / "t__0000000"
    assert {str(path.relative_to(trial)) for path in trial.rglob("*") if path.is_file()} == {
        "agent/instruction.md",
        "agent/output.txt",
        "agent/own.log",
        "artifacts/manifest.json",
        "artifacts/picture",
        "config.json",
        "gradings/0001.json",
        "result.json",
        "trial.log",
        "verifier/extra.txt",
        "verifier/reward.json",
        "verifier/test-stdout.txt",
        "workspace.tar.gz",
    }
    assert (trial / "agent" / "output.txt").read_text() == "said\n"


def test_the_workspace_is_kept_as_the_agent_left_it(jobs: Jobs) -> None:
    """A verifier leaves traces. They are not the agent's."""

    def tidy(places: Places) -> None:
        (places["/workspace"] / "trace").write_text("x")
        gives(1)(places)

    jobs.begun(0, sandbox=ScriptedSandbox(verifier=tidy))
    with tarfile.open(jobs.folder / "t__0000000" / "workspace.tar.gz") as archive:
        assert archive.getnames() == ["workspace"]


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
    with pytest.raises(InputError, match="exists already with another configuration"):
        jobs.store(**changes).take_up(jobs.planned)


def test_another_sandbox_is_another_job(jobs: Jobs) -> None:
    jobs.begun(0)
    with pytest.raises(InputError, match="exists already with another configuration"):
        jobs.store(ScriptedSandbox(backend="other")).take_up(jobs.planned)


def test_how_many_at_a_time_may_change(jobs: Jobs) -> None:
    jobs.begun(0)
    assert len(jobs.store(concurrent=1).take_up(jobs.planned)) == 1


def test_a_task_that_was_changed_is_another_task(jobs: Jobs) -> None:
    """Half of a job's trials must not have been attempts at something else."""
    jobs.begun(0)
    changed: list[Planned] = [
        replace(one, task=replace(one.task, checksum="f" * 64)) if one.task.name == "a" else one
        for one in jobs.planned
    ]
    with pytest.raises(InputError):
        jobs.store().take_up(changed)


def test_only_one_at_a_time(jobs: Jobs) -> None:
    jobs.store()
    left = set(os.listdir(tempfile.gettempdir()))
    with pytest.raises(InputError, match="is being run by somebody else"):
        jobs.store()
    mine = {
        name for name in set(os.listdir(tempfile.gettempdir())) - left if name.startswith(f"assay-{os.getpid()}-")
    }
    assert mine == set()


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
