"""A job folder while the job runs: harbor's layout, written so that a kill at any moment loses nothing finished.

A trial is finished when its result.json is there; everything else of it is written before. An unfinished trial is
removed when the job is taken up again.
"""

import fcntl
import json
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay.adapters.atomic_write import write_durably, write_text
from assay.adapters.checksums import checksum, file_checksum
from assay.adapters.gradings import last_grading, write_grading
from assay.adapters.job_folder import DiskJobFolder
from assay.adapters.trees import clear_the_way, remove_tree
from assay.adapters.workbench import Shelf, Workbench
from assay.core.errors import InputError
from assay.dialects.harbor import wire
from assay.dialects.harbor.job_config import metrics_for
from assay.dialects.harbor.job_stats import JobResult, job_stats
from assay.dialects.harbor.job_text import job_text
from assay.dialects.harbor.plan import in_planned_order
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.dialects.harbor.trial import Trial, slot
from assay.engine.grading_record import grading_of
from assay.engine.job import read_job
from assay.engine.job_run import Planned
from assay.engine.sandbox import Ran
from assay.engine.trial_result import log_lines, model_parts, trial_result
from assay.engine.trial_run import Agent, Site, StepRecord, TrialRecord, run_steps


@dataclass(frozen=True, slots=True)
class JobSetting:
    """What a job is: its name and place, who attempts the tasks, and how often."""

    name: str
    jobs_dir: str
    agent: Agent
    attempts: int
    concurrent: int
    max_retries: int
    datasets: tuple[str, ...]
    adhoc_tasks: tuple[str, ...]
    invocation: tuple[str, ...]

    @property
    def folder(self) -> str:
        return os.path.join(self.jobs_dir, self.name)


class JobStore:
    """The folder of one job. Open it, take up what is finished, run the rest, close it."""

    def __init__(self, setting: JobSetting, site: Site) -> None:
        self._setting = setting
        self._site = site
        self._tests: dict[tuple[str, ...], str] = {}
        self._environment = wire.environment_config(site.sandbox.isolation.backend.split()[0])
        agent = setting.agent
        self._agent = wire.agent_config(agent.name, agent.model, agent.command, agent.env)
        self._id = str(uuid.uuid4())
        self._started_at = datetime.now(UTC)
        self.n_retries = 0
        os.makedirs(setting.folder, exist_ok=True)
        self._lock = self._only_one()
        self._shelf = Shelf()

    def take_up(self, planned: Sequence[Planned]) -> dict[int, Trial]:
        """Begin the job, or go on with it. Returns what is finished, by its planned position."""
        resuming = self._check_config()
        if resuming:
            self._check_tasks(planned)
        finished = self._finished(planned) if resuming else {}
        self._n_total = len(planned)
        self._datasets = {one.source for one in planned if one.source}
        self._slots = [self._slot(one) for one in planned]
        self._write_json("lock.json", self._job_lock(planned))
        self.log(f"{len(planned)} trials, {len(finished)} of them finished before")
        return finished

    def run_trial(self, planned: Planned, name: str) -> Trial:
        """Run one attempt and keep it."""
        folder = os.path.join(self._setting.folder, name)
        os.makedirs(folder)
        config = self._trial_config(planned, name)
        write_text(f"{folder}/config.json", wire.encode(config))
        task = planned.task
        bench = Workbench(task.environment, self._shelf, self._site.sandbox)
        try:
            bench.seed()
            keeper = _Keeper(self, bench, planned, folder)
            record = run_steps(self._site, bench, task, self._setting.agent, keeper)
        finally:
            bench.close()
        return self._finish(planned, name, folder, config, record)

    def discard_trial(self, name: str) -> None:
        remove_tree(os.path.join(self._setting.folder, name))

    def write_result(self, trials: Sequence[Trial], n_retries: int, n_running: int, finished: bool) -> None:
        now = datetime.now(UTC)
        # In the order in which anybody who reads the folder would put them.
        trials = in_planned_order(trials, self._slots).trials
        stats = job_stats(trials, metrics_for(self._datasets), n_total=self._n_total, n_retries=n_retries)
        stats.n_running_trials = n_running
        stats.n_pending_trials = max(stats.n_pending_trials - n_running, 0)
        if not finished:
            for group in stats.evals.values():
                group.pass_at_k = {}
        times = (wire.local(self._started_at) or "", wire.local(now), wire.local(now) if finished else None)
        write_text(
            f"{self._setting.folder}/result.json",
            job_text(JobResult(self._id, *times, self._n_total, stats)),
        )

    def close(self) -> None:
        self._shelf.close()
        os.close(self._lock)

    def tests_checksum(self, tests: tuple[str, ...]) -> str:
        """The hash of the tests of a step; taken once."""
        if tests not in self._tests:
            self._tests[tests] = checksum(self._shelf.copy(*tests))
        return self._tests[tests]

    @property
    def site(self) -> Site:
        return self._site

    @property
    def agent_log(self) -> str:
        """The name of the file for what the agent prints; harbor's own for the oracle."""
        return "oracle.txt" if self._setting.agent.oracle else "output.txt"

    def log(self, text: str) -> None:
        """A line in the job's log. Written at once and whole, so that threads do not mix their lines."""
        line = f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {text}\n"
        fd = os.open(
            f"{self._setting.folder}/job.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
        )
        try:
            os.write(fd, line.encode(errors="backslashreplace"))
        finally:
            os.close(fd)

    def _only_one(self) -> int:
        """A lock on the folder, so that two runs do not work on one job."""
        fd = os.open(self._setting.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(fd)
            raise InputError(f"the job {self._setting.folder} is being run by somebody else") from error
        return fd

    def _check_config(self) -> bool:
        """Write the job's configuration, or see that it is the same as before. Returns whether it was there."""
        setting = self._setting
        config = wire.job_config(
            name=setting.name,
            jobs_dir=setting.jobs_dir,
            attempts=setting.attempts,
            concurrent=setting.concurrent,
            max_retries=setting.max_retries,
            environment=self._environment,
            agent=self._agent,
            datasets=setting.datasets,
            tasks=[wire.task_reference(path, None) for path in setting.adhoc_tasks],
        )
        path = f"{setting.folder}/config.json"
        if not os.path.exists(path):
            self._write_json("config.json", config)
            return False
        before = _object(path)
        for changing in ("n_concurrent_trials", "quiet", "debug"):
            before.pop(changing, None)
            config.pop(changing, None)
        if before != config:
            raise InputError(f"the job {setting.folder} exists already with another configuration")
        return True

    def _check_tasks(self, planned: Sequence[Planned]) -> None:
        """A task that was changed since is another task, and its attempts do not belong together."""
        path = f"{self._setting.folder}/lock.json"
        if not os.path.exists(path):
            return
        before = {
            (trial["task"].get("path"), trial["task"].get("digest"))
            for trial in _object(path).get("trials", [])
            if isinstance(trial, dict) and isinstance(trial.get("task"), dict)
        }
        known = dict(before)
        for one in planned:
            if known.get(one.task.path, f"sha256:{one.task.checksum}") != f"sha256:{one.task.checksum}":
                raise InputError(f"the task {one.task.path} was changed since the job began; use another job name")

    def _finished(self, planned: Sequence[Planned]) -> dict[int, Trial]:
        """The finished trials of an earlier run; what it left unfinished is removed."""
        root = self._setting.folder
        before = DiskJobFolder(root)
        for name in before.folders():
            if not os.path.exists(f"{root}/{name}/result.json") and before.began(name):
                remove_tree(f"{root}/{name}")
        self._take_over_times()
        if not any(os.path.exists(f"{root}/{name}/result.json") for name in before.folders()):
            return {}
        job = read_job(DiskJobFolder(root))
        slots = [self._slot(one) for one in planned]
        waiting = in_planned_order(job.trials, slots)
        if job.problems and any(not problem.missing for problem in job.problems):
            bad = next(problem for problem in job.problems if not problem.missing)
            raise InputError(f"{root}/{bad.trial} can't be read, so the job can't be taken up: {bad.detail}")
        positions: dict[int, Trial] = {}
        trials = iter(waiting.trials)
        unfilled = list(waiting.unfilled)
        for one, place in zip(planned, slots, strict=True):
            if place in unfilled:
                unfilled.remove(place)
            else:
                positions[one.position] = next(trials)
        return positions

    def _take_over_times(self) -> None:
        try:
            with open(f"{self._setting.folder}/result.json") as file:
                before = json.load(file)
            self._id = before["id"]
            self._started_at = datetime.fromisoformat(before["started_at"]).astimezone()
            self.n_retries = int(before["stats"]["n_retries"])
        except (OSError, ValueError, KeyError, TypeError):
            return

    def _slot(self, planned: Planned) -> tuple[str, ...]:
        agent = self._setting.agent
        return slot(planned.task.path, planned.task.name, agent.name, None, agent.model)

    def _job_lock(self, planned: Sequence[Planned]) -> dict[str, Any]:
        setting = self._setting
        return wire.job_lock(
            created_at=self._started_at,
            invocation=setting.invocation,
            concurrent=setting.concurrent,
            max_retries=setting.max_retries,
            trials=[
                wire.trial_lock(
                    task=os.path.basename(one.task.path.rstrip("/")),
                    path=one.task.path,
                    digest=one.task.checksum,
                    source=one.source,
                    agent=self._agent,
                    environment=self._environment,
                )
                for one in planned
            ],
        )

    def _trial_config(self, planned: Planned, name: str) -> dict[str, Any]:
        return wire.trial_config(
            task=wire.task_reference(planned.task.path, planned.source),
            name=name,
            folder=self._setting.folder,
            agent=self._agent,
            environment=self._environment,
            job_id=self._id,
        )

    def _finish(
        self, planned: Planned, name: str, folder: str, config: Mapping[str, Any], record: TrialRecord
    ) -> Trial:
        """Write result.json last: with it, the trial is finished."""
        result = trial_result(planned, name, os.path.abspath(folder), config, record)
        write_text(f"{folder}/trial.log", "".join(f"{line}\n" for line in log_lines(record)))
        if record.failure is not None:
            write_text(f"{folder}/exception.txt", f"{record.failure.type}: {record.failure.message}\n")
            self.log(f"Trial {name} failed: {record.failure.message}")
        write_durably(f"{folder}/result.json", wire.encode(result))
        agent = self._setting.agent
        rewards = record.rewards
        return Trial(
            name=name,
            task=planned.task.name,
            agent=agent.name,
            model=model_parts(agent.model)[1],
            dataset=planned.source or "adhoc",
            rewards=rewards.rewards if rewards is not None else None,
            verified=rewards is not None,
            exception_type=record.failure.type if record.failure is not None else None,
            exception_message=record.failure.message if record.failure is not None else "",
            started_at=wire.utc(record.started_at),
            slot=self._slot(planned),
        )

    def _write_json(self, name: str, value: object) -> None:
        write_text(f"{self._setting.folder}/{name}", wire.encode(value))


def _object(path: str) -> dict[str, Any]:
    """A JSON object of an earlier run. Raises ``InputError``."""
    try:
        with open(path) as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} can't be read, so the job can't be taken up: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} is not an object, so the job can't be taken up")
    return found


class _Keeper:
    """Keeps what each step leaves, as soon as it is done."""

    def __init__(self, store: JobStore, bench: Workbench, planned: Planned, folder: str) -> None:
        self._store = store
        self._bench = bench
        self._planned = planned
        self._folder = folder
        self._archive: str | None = None

    def agent_ended(self, step: str | None, ran: Ran | None) -> None:
        """The workspace is packed now: a verifier may leave traces in it."""
        folder = self._folder_of(step)
        os.makedirs(folder, exist_ok=True)
        kept = self._bench.keep_agent(folder, self._artifacts(step))
        clear_the_way(f"{folder}/artifacts/manifest.json")
        write_text(f"{folder}/artifacts/manifest.json", json.dumps(kept, indent=2))
        write_output(f"{folder}/agent/{self._store.agent_log}", ran)
        self._archive = self._bench.keep_workspace(folder)

    def step_ended(self, record: StepRecord) -> None:
        folder = self._folder_of(record.name)
        os.makedirs(folder, exist_ok=True)
        self._bench.keep_verifier(folder)
        self._bench.clear_agent()
        verified = record.verified
        if verified is None:
            return
        write_output(f"{folder}/verifier/test-stdout.txt", verified.ran)
        task = self._planned.task
        step = next(step for step in task.steps if step.name == record.name)
        grading = grading_of(
            verified,
            task=task,
            step=record.name,
            isolation=self._store.site.sandbox.isolation,
            before=last_grading(self._folder),
            checksums={
                "tests": self._store.tests_checksum(step.tests),
                "workspace": None if self._archive is None else file_checksum(self._archive),
            },
        )
        write_grading(self._folder, grading)

    def _folder_of(self, step: str | None) -> str:
        return self._folder if step is None else f"{self._folder}/steps/{step}"

    def _artifacts(self, step: str | None) -> list[ArtifactConfig]:
        """The task's artifacts, and the step's own."""
        config = self._planned.task.config
        own = next((one.artifacts for one in config.steps or () if one.name == step), [])
        return [ArtifactConfig(source=one) if isinstance(one, str) else one for one in (*config.artifacts, *own)]


def write_output(path: str, ran: Ran | None) -> None:
    """The tail of what a command printed."""
    if ran is None:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    clear_the_way(path)
    cut = b"[the beginning was cut off]\n" if ran.output_cut else b""
    with open(path, "wb") as file:
        file.write(cut + ran.output)
