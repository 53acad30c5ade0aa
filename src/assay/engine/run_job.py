"""Run a job: plan → trials → their records → the job's result.

``run_job`` is the use case behind ``assay run``. Read it from the top::

    begin_or_resume   what an earlier run of the same job finished      engine/resume.py
    with_images       the images of the tasks, several at a time        engine/image_builds.py
    TrialQueue        the other trials, some at a time, with retries    engine/trial_queue.py
    run_trial         agent, then verifier, step by step                engine/run_trial.py
    VerifierControl   why a verifier gave no usable reward              engine/control.py
    TrialRecorder     what each step leaves, and its grading            engine/record_trial.py
    ResultWriter      the job's result.json                             engine/job_result.py
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Protocol

from assay.engine.control import VerifierControl
from assay.engine.history import History
from assay.engine.image_builds import with_images
from assay.engine.job_files import JobFiles
from assay.engine.job_plan import Agent, JobSetting, Planned
from assay.engine.job_ports import Bench, JobStore, TrialFolder, Workshop
from assay.engine.job_result import ResultWriter
from assay.engine.job_runs import trial_facts
from assay.engine.model_access import ModelDoors
from assay.engine.record_trial import TrialRecorder
from assay.engine.resume import Resumed, begin_or_resume
from assay.engine.run_trial import run_trial
from assay.engine.site import Site
from assay.engine.task import Step, Task
from assay.engine.trial_queue import Ended, Listener, TrialQueue
from assay.engine.trial_record import TrialRecord, Verified
from assay.engine.trial_result import log_lines, remark, trial_result
from assay.evidence.run import decide


class SeededTasks(Protocol):
    """Runs the trials of seeded tasks, which have scorers and not a verifier (engine/coding_trial.py)."""

    def run(self, site: Site, bench: Bench, task: Task, agent: Agent, folder: TrialFolder) -> TrialRecord: ...


class JobListener(Listener, Protocol):
    """Gets the events of a running job, from several threads."""

    def begin(self, folder: str, total: int, finished: int, backend: str) -> None: ...
    def note(self, said: str) -> None: ...


def run_job(
    setting: JobSetting,
    planned: Sequence[Planned],
    site: Site,
    workshop: Workshop,
    store: JobStore,
    listener: JobListener,
    stop_sandboxes: Callable[[], None],
    coding: SeededTasks | None = None,
    models: ModelDoors | None = None,
) -> bool:
    """Run the planned trials that are not finished yet. Returns False if the user interrupted the job.

    ``stop_sandboxes`` stops every running command, ``coding`` scores the runs of seeded tasks, ``models`` gives
    agents a way to their model. Raises ``InputError`` if the folder belongs to another job.
    """
    backend = site.sandbox.isolation.backend
    files = JobFiles(setting, backend)
    resumed = begin_or_resume(store, files, planned, site.host)
    listener.begin(setting.folder, len(planned), len(resumed.finished), backend)
    waiting = [one for one in planned if one.position not in resumed.finished]
    queue = TrialQueue(
        JobTrials(setting, site, workshop, store, files, resumed, coding, models),
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


class JobTrials:
    """Runs single trials and records them in the job's folder."""

    def __init__(
        self,
        setting: JobSetting,
        site: Site,
        workshop: Workshop,
        store: JobStore,
        files: JobFiles,
        resumed: Resumed,
        coding: SeededTasks | None = None,
        models: ModelDoors | None = None,
    ) -> None:
        self._coding = coding
        self._models = models
        self._agent = setting.agent
        self._site = site
        self._workshop = workshop
        self._store = store
        self._files = files
        self._job_id = resumed.id
        self._control = VerifierControl(site, workshop, control=setting.control)

    def run(self, planned: Planned, name: str) -> Ended:
        """Run one attempt to its end and record it."""
        config = self._files.trial_config(planned, name, self._job_id)
        folder = self._store.new_trial(name, config)
        bench = self._workshop.bench(planned.task.environment)
        try:
            with nullcontext() if self._models is None else self._models.open() as door:
                record = self._run(replace(self._site, model=door), planned.task, bench, folder)
        finally:
            bench.close()
        result = trial_result(
            planned, name, folder.path, config, record, self._site.host.new_id(), self._agent.version
        )
        failure = None if record.failure is None else f"{record.failure.type}: {record.failure.message}"
        folder.finish([*log_lines(record), *bench.not_kept], failure, result)
        for sentence in bench.not_kept:
            self._store.log(f"Trial {name}: {sentence}")
        if record.failure is not None:
            self._store.log(f"Trial {name} failed: {record.failure.message}")
        trial = self._files.trial(planned, name, record)
        history = History(name, list(folder.gradings().gradings), [], gates=folder.gates())
        return Ended(trial, remark(record), decide(trial_facts(trial, history)).state)

    def _run(self, site: Site, task: Task, bench: Bench, folder: TrialFolder) -> TrialRecord:
        if task.seeded and self._coding is not None:
            return self._coding.run(site, bench, task, self._agent, folder)
        recorder = TrialRecorder(site, self._workshop, folder, bench, task, self._agent)
        control = self._control

        def verify(step: Step) -> Verified:
            return control.verify(bench, task, step, lambda: folder.restore(step.name, bench))

        record = run_trial(site, bench, task, self._agent, recorder, verify)
        recorder.trial_ended(record)
        return record

    def discard(self, name: str) -> None:
        """Remove an attempt that will be retried."""
        self._store.discard_trial(name)
