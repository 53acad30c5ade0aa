"""The trials of a job as tasks of Ray: each runs where there is room for it, and is kept in the job's folder.

The command that started the job stays its only owner: it plans, retries and writes the result. All machines need
the same folders, and a sandbox of the same kind.
"""

import math
import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from assay.adapters.jobs.ray_pieces import TRIES, joined
from assay.adapters.jobs.run_scoring import LocalScoring
from assay.adapters.jobs.trial_folder import SharedJobStore
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.sandbox import hide
from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.remembered_commands import runs_folder
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.core.errors import AssayError, InputError, check_stopped
from assay.engine.coding.score_trials import CodingTrials, SeededGrading
from assay.engine.machine import TrialSite
from assay.engine.run.ports import JobSetting, Planned
from assay.engine.run.resume import Resumed
from assay.engine.run.run_job import JobTrials
from assay.engine.run.trial_queue import EndedTrial, TrialRunner
from assay.engine.run.trial_result import JobFiles

NAME = "trial of a job"
# The trials of the job that this worker runs at the moment.
_known: dict[str, JobTrials] = {}


@dataclass(frozen=True, slots=True)
class JobForWorkers:
    """The job as a worker has to know it. Variables that are ``kept`` from tasks stay so."""

    setting: JobSetting
    isolation: str
    remember: bool
    kept: tuple[str, ...]
    job_id: str = ""
    folder: str = field(default_factory=os.getcwd)


class RayTrials:
    """Runs each trial by a worker of the cluster. One whose worker is lost every time is run ``here``."""

    def __init__(self, there: JobForWorkers, here: TrialRunner, job_id: str) -> None:
        self._there, self._here, self._ray = replace(there, job_id=job_id), here, joined()
        # Ray takes plain functions only. It begins none again: what was half done is removed first.
        self._task = self._ray.remote(max_retries=0, name=NAME)(lambda *given: run_there(*given))  # noqa: PLW0108

    def run(self, planned: Planned, name: str) -> EndedTrial:
        needs = _needs(planned)
        self._refuse_too_large(planned, **needs)
        task = self._task.options(**needs)
        for _ in range(TRIES):
            running = task.remote(self._there, planned, name)
            try:
                return self._answer(running)
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause if isinstance(error.cause, AssayError) else error  # noqa: B904 - it is the same
            except self._ray.exceptions.RayError:
                self.discard(name)
        return self._here.run(planned, name)

    def discard(self, name: str) -> None:
        self._here.discard(name)

    def _answer(self, running: Any) -> EndedTrial:
        try:
            while not self._ray.wait([running], timeout=0.5)[0]:
                check_stopped()
        except BaseException:
            self._ray.cancel(running, force=True)
            raise
        answer: EndedTrial = self._ray.get(running)
        return answer

    def _refuse_too_large(self, planned: Planned, num_cpus: int, memory: int) -> None:
        rooms = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        if not any(one.get("CPU", 0) >= num_cpus and one.get("memory", 0) >= memory for one in rooms):
            raise InputError(
                f"--on ray needs a machine with {num_cpus} processors and {memory // 2**20} MB for the task "
                f"{planned.task.path}, but the cluster has none"
            )


def _needs(planned: Planned) -> dict[str, int]:
    """The sandbox's limits, as Ray's resources."""
    limits = planned.task.config.environment
    return {"num_cpus": math.ceil(limits.cpus or 1), "memory": (limits.memory_mb or 0) * 2**20}


def run_there(there: JobForWorkers, planned: Planned, name: str) -> EndedTrial:
    """Run a trial in this process, which is a worker's."""
    os.chdir(there.folder)
    if there.job_id not in _known:
        _known.clear()
        _known[there.job_id] = _trials(there)
    return _known[there.job_id].run(planned, name)


def _trials(there: JobForWorkers) -> JobTrials:
    hide(*there.setting.datasets, *there.setting.adhoc_tasks)
    seen = {name: value for name, value in os.environ.items() if name not in there.kept}
    site = TrialSite(choose(there.isolation), ThisHost(seen))
    scoring = LocalScoring(lambda: site.sandbox, runs=runs_folder() if there.remember else None)
    return JobTrials(
        there.setting,
        site,
        DiskWorkshop(site.sandbox),
        SharedJobStore(there.setting.folder),
        JobFiles(there.setting, site.sandbox.isolation.backend),
        Resumed(there.job_id, datetime.now(UTC)),
        CodingTrials(SeededGrading(scoring, None)),
    )
