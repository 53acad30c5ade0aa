"""A job of two tasks with two attempts each, opened again and again."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.adapters.job_store import JobSetting, JobStore
from assay.adapters.task_folder import load_task
from assay.dialects.harbor.trial import Trial
from assay.engine.job_run import plan_trials
from assay.engine.trial_run import Agent, Site
from tests.tasks import ScriptedSandbox, write_task


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
        site = Site(sandbox or ScriptedSandbox(), {}, time.monotonic)
        self._open.append(JobStore(replace(self.setting, **changes), site))
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
