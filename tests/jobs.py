"""A job of two tasks with two attempts each, opened again and again."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.adapters.jobs.trial_folder import DiskJobStore
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.tasks.task_folder import load_task
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.dialects.harbor.trial import Trial
from assay.engine.machine import TrialSite
from assay.engine.run.ports import Agent, JobSetting, Planned, plan_trials
from assay.engine.run.resume import begin_or_resume
from assay.engine.run.run_job import JobTrials, ResultWriter
from assay.engine.run.trial_result import JobFiles
from tests.tasks import ScriptedSandbox, write_task


class OpenJob:
    """One run of a job, step by step: take it up, run single trials, write its result."""

    def __init__(self, setting: JobSetting, sandbox: ScriptedSandbox) -> None:
        self._setting = setting
        self._site = TrialSite(sandbox, ThisHost({}))
        self._files = JobFiles(setting, sandbox.isolation.backend)
        self._store = DiskJobStore(setting.folder)
        self._workshop = DiskWorkshop(sandbox)
        self.log = self._store.log

    def take_up(self, planned: Sequence[Planned]) -> dict[int, Trial]:
        resumed = begin_or_resume(self._store, self._files, planned, self._site.host)
        self.n_retries = resumed.n_retries
        self._trials = JobTrials(self._setting, self._site, self._workshop, self._store, self._files, resumed)
        self.write_result = ResultWriter(self._store, self._site.host, self._files, planned, resumed).write
        return dict(resumed.finished)

    def run_trial(self, planned: Planned, name: str) -> Trial:
        return self._trials.run(planned, name).trial

    def close(self) -> None:
        self._workshop.close()
        self._store.close()


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
        self._open: list[OpenJob] = []

    def store(self, sandbox: ScriptedSandbox | None = None, **changes: Any) -> OpenJob:
        self._open.append(OpenJob(replace(self.setting, **changes), sandbox or ScriptedSandbox()))
        return self._open[-1]

    def close(self) -> None:
        while self._open:
            self._open.pop().close()

    def begun(self, *positions: int, sandbox: ScriptedSandbox | None = None) -> dict[int, Trial]:
        """A job of which some trials were run before it was left."""
        job = self.store(sandbox)
        found = job.take_up(self.planned)
        trials = {position: job.run_trial(self.planned[position], f"t__{position:07}") for position in positions}
        job.write_result(list((found | trials).values()), 3, 0, False)
        self.close()
        return trials
