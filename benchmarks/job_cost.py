"""What a job costs beyond its sandboxes: writing trials, gradings and result.json. It must not grow with the job.

The sandbox here runs nothing: it writes a reward where a verifier would.
"""

import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from assay.adapters.jobs.trial_folder import DiskJobStore
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.tasks.task_folder import load_task
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.dialects.harbor.trial import Trial
from assay.engine.machine import TrialSite
from assay.engine.run.ports import Agent, JobSetting, plan_trials
from assay.engine.run.run_job import run_job
from assay.engine.run.trial_queue import EndedTrial
from assay.engine.sandbox import Images, Isolation, Ran, SandboxCommand
from assay.evidence.coding_run import ProcessEnd
from benchmarks.made_job import MadeJobs
from benchmarks.made_task import write_task
from benchmarks.measure import TIMES, Result, sized

FEW, MANY = sized(250, 2), sized(1000, 4)
GROWTH_GOAL = 1.25


class IdleSandbox:
    """Stands in for a sandbox, in no time."""

    owner: tuple[int, int] | None = None
    images: Images | None = None
    isolation = Isolation("idle", False, False, False, "none", "none", "none", "the caller")

    def run(self, command: SandboxCommand) -> Ran:
        verifier = next(mount.source for mount in command.mounts if mount.target == "/logs/verifier")
        Path(verifier, "reward.txt").write_text("1\n")
        now = datetime.now(UTC)
        return Ran(ProcessEnd(0), b"", False, now, now)


class Silence:
    """Listens and says nothing."""

    def begin(self, folder: str, total: int, finished: int, backend: str) -> None: ...
    def note(self, said: str) -> None: ...
    def started(self, name: str) -> None: ...
    def retrying(self, trial: Trial, wait_sec: float) -> None: ...
    def ended(self, ended: EndedTrial, done: int, total: int) -> None: ...


def run(jobs: MadeJobs) -> Iterator[Result]:
    """CPU of a job's own work per trial, at 250 and at 1,000 trials of a trivial task.

    The jobs are in memory, like those of other benchmarks, so that the growth of a disk's folders isn't counted.
    """
    with tempfile.TemporaryDirectory(dir=jobs.root) as folder:
        task = write_task(Path(folder, "task"), "true")
        few, many = (_cpu_per_trial(task, Path(folder, str(n)), n) for n in (FEW, MANY))
    detail = f"{many * 1e3:.2f} ms a trial against {few * 1e3:.2f} ms"
    yield Result(f"job of {MANY:,}, its own cost", many / few, f"{TIMES} one of {FEW}", GROWTH_GOAL, detail)


def _cpu_per_trial(task: Path, jobs_dir: Path, trials: int) -> float:
    setting = JobSetting(
        name="job",
        jobs_dir=str(jobs_dir),
        agent=Agent("nop"),
        attempts=trials,
        concurrent=1,
        max_retries=0,
        datasets=(),
        adhoc_tasks=(str(task),),
        invocation=(),
    )
    site = TrialSite(IdleSandbox(), ThisHost())
    planned = plan_trials([(load_task(str(task)), None)], trials)
    start = time.process_time()
    with DiskJobStore(setting.folder) as store, DiskWorkshop(site.sandbox) as workshop:
        run_job(setting, planned, site, workshop, store, Silence(), lambda: None)
    return (time.process_time() - start) / trials
