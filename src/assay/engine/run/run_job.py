"""Run a job: plan → trials → their records → the job's result.

``run_job`` is the use case behind ``assay run``. Read it from the top::

    begin_or_resume   what an earlier run of the same job finished      engine/run/resume.py
    with_images       the images of the tasks, several at a time        engine/run/run_job.py
    TrialQueue        the other trials, some at a time, with retries    engine/run/trial_queue.py
    run_trial         agent, then verifier, step by step                engine/run/run_trial.py
    VerifierControl   why a verifier gave no usable reward              engine/run/control.py
    TrialRecorder     what each step leaves, and its grading            engine/run/run_job.py
    ResultWriter      the job's result.json                             engine/run/run_job.py
"""

import contextlib
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Protocol

from assay.core.errors import AssayError, MeasurementError, StoppedError
from assay.dialects.harbor import wire
from assay.dialects.harbor.job_config import metrics_for
from assay.dialects.harbor.job_stats import JobResult, job_stats
from assay.dialects.harbor.job_text import job_text
from assay.dialects.harbor.plan import in_planned_order
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job_runs import trial_facts
from assay.engine.jobs.trial_additions import History
from assay.engine.machine import Host, TrialSite
from assay.engine.model_access import ModelDoors
from assay.engine.run.control import VerifierControl
from assay.engine.run.grading_record import grading_of, grading_of_trial
from assay.engine.run.ports import Agent, Bench, JobSetting, JobStore, Planned, TrialFolder, Workshop
from assay.engine.run.resume import Resumed, begin_or_resume
from assay.engine.run.run_trial import run_trial
from assay.engine.run.trial_queue import EndedTrial, Listener, TrialQueue, TrialRunner
from assay.engine.run.trial_record import AGENT_LOG, ORACLE_LOG, StepRecord, TrialRecord, Verified
from assay.engine.run.trial_result import JobFiles, log_lines, remark, trial_result
from assay.engine.sandbox import Ran
from assay.engine.tasks.prepare_task import needs_build, with_image
from assay.engine.tasks.task import LoadedTask, TaskStep
from assay.evidence.run import decide


class SeededTasks(Protocol):
    """Runs the trials of seeded tasks, which have scorers and not a verifier (engine/coding/score_trials.py)."""

    def run(
        self, site: TrialSite, bench: Bench, task: LoadedTask, agent: Agent, folder: TrialFolder
    ) -> TrialRecord: ...


class JobListener(Listener, Protocol):
    """Gets the events of a running job, from several threads."""

    def begin(self, folder: str, total: int, finished: int, backend: str) -> None: ...
    def note(self, said: str) -> None: ...


def run_job(
    setting: JobSetting,
    planned: Sequence[Planned],
    site: TrialSite,
    workshop: Workshop,
    store: JobStore,
    listener: JobListener,
    stop_sandboxes: Callable[[], None],
    coding: SeededTasks | None = None,
    models: ModelDoors | None = None,
    place: Callable[[TrialRunner, str], TrialRunner] | None = None,
) -> bool:
    """Run the planned trials that are not finished yet. Returns False if the user interrupted the job.

    ``stop_sandboxes`` stops every running command, ``coding`` scores the runs of seeded tasks, ``models`` gives
    agents a way to their model, and ``place`` runs trials elsewhere, given what runs them here and the job's id.
    Raises ``InputError`` if the folder belongs to another job.
    """
    backend = site.sandbox.isolation.backend
    files = JobFiles(setting, backend)
    resumed = begin_or_resume(store, files, planned, site.host)
    listener.begin(setting.folder, len(planned), len(resumed.finished), backend)
    waiting = [one for one in planned if one.position not in resumed.finished]
    trials = JobTrials(setting, site, workshop, store, files, resumed, coding, models)
    queue = TrialQueue(
        trials if place is None else place(trials, resumed.id),
        ResultWriter(store, site.host, files, planned, resumed),
        listener,
        host=site.host,
        concurrent=setting.concurrent,
        max_retries=setting.max_retries,
        total=len(planned),
        finished=resumed.finished,
        n_retries=resumed.n_retries,
    )
    try:
        queue.run(with_images(waiting, site, setting.folder, setting.concurrent, listener.note, stop_sandboxes))
    except KeyboardInterrupt:
        queue.stop()
        stop_sandboxes()
        queue.wait()
        return False
    return True


@dataclass
class JobTrials:
    """Runs single trials and records them in the job's folder."""

    setting: JobSetting
    site: TrialSite
    workshop: Workshop
    store: JobStore
    files: JobFiles
    resumed: Resumed
    coding: SeededTasks | None = None
    models: ModelDoors | None = None

    def __post_init__(self) -> None:
        self._control = VerifierControl(self.site, self.workshop, control=self.setting.control)

    def run(self, planned: Planned, name: str) -> EndedTrial:
        """Run one attempt to its end and record it."""
        config = self.files.trial_config(planned, name, self.resumed.id)
        folder = self.store.new_trial(name, config)
        bench = self.workshop.bench(planned.task.environment)
        try:
            with nullcontext() if self.models is None else self.models.open() as door:
                record = self._run(replace(self.site, model=door), planned.task, bench, folder)
        finally:
            bench.close()
        result = trial_result(
            planned, name, folder.path, config, record, self.site.host.new_id(), self.setting.agent.version
        )
        failure = None if record.failure is None else f"{record.failure.type}: {record.failure.message}"
        folder.finish([*log_lines(record), *bench.not_kept], failure, result)
        for sentence in bench.not_kept:
            self.store.log(f"Trial {name}: {sentence}")
        if record.failure is not None:
            self.store.log(f"Trial {name} failed: {record.failure.message}")
        trial = self.files.trial(planned, name, record)
        history = History(name, list(folder.gradings().gradings), [], gates=folder.gates())
        return EndedTrial(trial, remark(record), decide(trial_facts(trial, history)).state)

    def _run(self, site: TrialSite, task: LoadedTask, bench: Bench, folder: TrialFolder) -> TrialRecord:
        if task.seeded and self.coding is not None:
            return self.coding.run(site, bench, task, self.setting.agent, folder)
        recorder = TrialRecorder(site, self.workshop, folder, bench, task, self.setting.agent)

        def verify(step: TaskStep) -> Verified:
            return self._control.verify(bench, task, step, lambda: folder.restore(step.name, bench))

        record = run_trial(site, bench, task, self.setting.agent, recorder, verify)
        recorder.trial_ended(record)
        return record

    def discard(self, name: str) -> None:
        """Remove an attempt that will be retried."""
        self.store.discard_trial(name)


@dataclass(slots=True)
class TrialRecorder:
    """Records the steps of one trial in its folder."""

    site: TrialSite
    workshop: Workshop
    folder: TrialFolder
    bench: Bench
    task: LoadedTask
    agent: Agent
    workspace: str | None = None

    def agent_ended(self, step: TaskStep, ran: Ran | None) -> None:
        """Keep the workspace now, because the verifier may change it.

        An agent may leave one that can't be kept. If it can't be verified either, that decides about the trial.
        """
        artifacts, log = self._artifacts(step), ORACLE_LOG if self.agent.oracle else AGENT_LOG
        self.workspace = None
        with contextlib.suppress(MeasurementError):
            self.workspace = self.folder.keep_agent(step.name, self.bench, artifacts, ran, log)
        self.folder.tell_trajectory(step.name, self.agent)

    def step_ended(self, step: TaskStep, record: StepRecord) -> None:
        """Keep the verifier's files and the grading."""
        verified = record.verified
        self.folder.keep_verifier(step.name, self.bench, record.verifier)
        if step is not self.task.steps[-1]:
            self.bench.clear_agent()
        if verified is None:
            return
        grading = grading_of(
            verified,
            task=self.task,
            step=step,
            site=self.site,
            before=self.folder.gradings(),
            checksums={"tests": self.workshop.tests_checksum(step), "workspace": self.workspace},
            agent_access=self.agent.access(),
        )
        self.folder.add_grading(grading)

    def trial_ended(self, record: TrialRecord) -> None:
        """Keep the grading of a whole trial with steps. There is none if the measurement broke on the way."""
        if self.task.multi_step and not record.steps[-1].broken:
            self.folder.add_grading(grading_of_trial(self.folder.gradings(), self.task.strategy))

    def _artifacts(self, step: TaskStep) -> list[ArtifactConfig]:
        """The task's artifacts, and the step's own."""
        config = self.task.config
        own = next((one.artifacts for one in config.steps or () if one.name == step.name), [])
        return [ArtifactConfig(source=one) if isinstance(one, str) else one for one in (*config.artifacts, *own)]


class ResultWriter:
    """Writes the result of one job."""

    def __init__(
        self, store: JobStore, host: Host, files: JobFiles, planned: Sequence[Planned], resumed: Resumed
    ) -> None:
        self._store = store
        self._host = host
        self._resumed = resumed
        self._n_total = len(planned)
        self._datasets = {one.source for one in planned if one.source}
        self._slots = [files.slot(one) for one in planned]

    def write(self, trials: Sequence[Trial], n_retries: int, n_running: int, finished: bool) -> None:
        now = wire.local(self._host.now())
        # In the same order as when the folder is read.
        ordered = in_planned_order(trials, self._slots).trials
        stats = job_stats(
            ordered,
            metrics_for(self._datasets),
            n_total=self._n_total,
            n_retries=n_retries,
            running=not finished,
        )
        stats.n_running_trials = n_running
        stats.n_pending_trials = max(stats.n_pending_trials - n_running, 0)
        times = (wire.local(self._resumed.started_at) or "", now, now if finished else None)
        self._store.write_result(job_text(JobResult(self._resumed.id, *times, self._n_total, stats)))


def with_images(
    planned: Sequence[Planned],
    site: TrialSite,
    folder: str,
    concurrent: int,
    note: Callable[[str], None],
    stop: Callable[[], None],
) -> list[Planned]:
    """The planned trials, with the images of their tasks. Logs go to ``folder``, progress to ``note``.

    A task whose image can't be built stays in the plan: its trials say why they have no reward. At Ctrl-C,
    ``stop`` ends the builds.
    """
    tasks = {one.task.path: one.task for one in planned if needs_build(one.task, site)}
    if not tasks:
        return list(planned)
    logs = dict(zip(tasks, _log_names(tasks.values()), strict=True))
    with ThreadPoolExecutor(min(concurrent, len(tasks))) as pool:
        building = {
            path: pool.submit(copy_context().run, _build_image, task, site, posixpath.join(folder, logs[path]))
            for path, task in tasks.items()
        }
        try:
            built = {
                path: _note_image(future, note, f"{done}/{len(tasks)}")
                for done, (path, future) in enumerate(building.items(), start=1)
            }
        except KeyboardInterrupt:
            stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [replace(one, task=built.get(one.task.path, one.task)) for one in planned]


def _note_image(future: "Future[LoadedTask]", note: Callable[[str], None], count: str) -> LoadedTask:
    task = future.result()
    broken = task.environment.broken
    note(f"image {count}  {task.name}  " + ("ready" if broken is None else broken))
    return task


def _build_image(task: LoadedTask, site: TrialSite, log: str) -> LoadedTask:
    try:
        return with_image(task, site, log)
    except StoppedError:
        raise
    except AssayError as error:
        why = f"the image of {task.path} couldn't be built; {log} has what the engine said: {error}"
        return replace(task, environment=replace(task.environment, broken=why))


def _log_names(tasks: Iterable[LoadedTask]) -> Iterator[str]:
    """A file name for each task, with a number if two tasks have the same name."""
    seen: dict[str, int] = {}
    for task in tasks:
        stem = posixpath.basename(task.name) or "task"
        seen[stem] = seen.get(stem, 0) + 1
        yield f"build-{stem}.log" if seen[stem] == 1 else f"build-{stem}-{seen[stem]}.log"
