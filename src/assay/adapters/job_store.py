"""A job folder while the job runs: harbor's layout, written so that a kill at any moment loses nothing finished.

What an earlier run left is read by ``earlier_run``; the folder of a single trial is written by ``trial_writer``.
"""

import fcntl
import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay.adapters import earlier_run
from assay.adapters.atomic_write import write_text
from assay.adapters.shelf import Shelf
from assay.adapters.trees import remove_tree
from assay.adapters.trial_writer import TrialWriter, write_ending
from assay.adapters.workbench import AGENT_LOGS, Workbench
from assay.core.errors import InputError
from assay.dialects.harbor import wire
from assay.dialects.harbor.job_config import metrics_for
from assay.dialects.harbor.job_stats import JobResult, job_stats
from assay.dialects.harbor.job_text import job_text
from assay.dialects.harbor.plan import Slot, in_planned_order
from assay.dialects.harbor.trial import Trial, slot
from assay.engine.job_run import Planned
from assay.engine.trial_result import model_parts, remark, trial_result
from assay.engine.trial_run import Agent, Site, TrialRecord, run_steps


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
        self._environment = wire.environment_config(site.sandbox.isolation.backend.split()[0])
        agent = setting.agent
        self._agent = wire.agent_config(agent.name, agent.model, agent.command, agent.env)
        self._id = str(uuid.uuid4())
        self._started_at = datetime.now(UTC)
        self.n_retries = 0
        self._remarks: dict[str, str | None] = {}
        os.makedirs(setting.folder, exist_ok=True)
        self._lock = self._only_one()
        self._shelf = Shelf()

    def take_up(self, planned: Sequence[Planned]) -> dict[int, Trial]:
        """Begin the job, or go on with it. Returns what is finished, by its planned position."""
        self._n_total = len(planned)
        self._datasets = {one.source for one in planned if one.source}
        self._slots = [self._slot(one) for one in planned]
        finished = self._take_up(planned)
        self._write_json("lock.json", self._job_lock(planned))
        self.log(f"{len(planned)} trials, {len(finished)} of them finished before")
        return finished

    def run_trial(self, planned: Planned, name: str) -> Trial:
        """Run one attempt and keep it."""
        folder = os.path.join(self._setting.folder, name)
        os.makedirs(folder)
        config = self._trial_config(planned, name)
        self._write_json(f"{name}/config.json", config)
        sandbox = self._site.sandbox
        bench = Workbench(planned.task.environment, self._shelf, sandbox)
        try:
            writer = TrialWriter(folder, planned.task, bench, sandbox.isolation, self._agent_log, self._shelf)
            record = run_steps(self._site, bench, planned.task, self._setting.agent, writer)
        finally:
            bench.close()
        result = trial_result(planned, name, os.path.abspath(folder), config, record)
        write_ending(folder, record, result, bench.not_kept)
        for cut in bench.not_kept:
            self.log(f"Trial {name}: {cut}")
        if record.failure is not None:
            self.log(f"Trial {name} failed: {record.failure.message}")
        self._remarks[name] = remark(record)
        return self._trial(planned, name, record)

    def remark(self, name: str) -> str | None:
        return self._remarks.pop(name, None)

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

    def _take_up(self, planned: Sequence[Planned]) -> dict[int, Trial]:
        """What an earlier run of this very job finished, and who the job was then."""
        folder, config = self._setting.folder, self._job_config()
        if not earlier_run.began(folder, config):
            self._write_json("config.json", config)
            return {}
        earlier_run.check_tasks(folder, planned)
        finished = earlier_run.take_finished(folder, planned, self._slots)
        before = earlier_run.identity_of(folder)
        if before is not None:
            self._id, self._started_at, self.n_retries = before.id, before.started_at, before.n_retries
        return finished

    def _job_config(self) -> dict[str, Any]:
        setting = self._setting
        return wire.job_config(
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

    def _slot(self, planned: Planned) -> Slot:
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

    def _trial(self, planned: Planned, name: str, record: TrialRecord) -> Trial:
        """The trial as anybody who reads its folder would see it."""
        agent, rewards, failure = self._setting.agent, record.rewards, record.failure
        return Trial(
            name=name,
            task=planned.task.name,
            agent=agent.name,
            model=model_parts(agent.model)[1],
            dataset=planned.source or "adhoc",
            rewards=rewards.rewards if rewards is not None else None,
            verified=rewards is not None,
            exception_type=failure.type if failure is not None else None,
            exception_message=failure.message if failure is not None else "",
            started_at=wire.utc(record.started_at),
            slot=self._slot(planned),
        )

    @property
    def _agent_log(self) -> str:
        return AGENT_LOGS[0 if self._setting.agent.oracle else 1]

    def _write_json(self, name: str, value: object) -> None:
        write_text(f"{self._setting.folder}/{name}", wire.encode(value))
