"""Several harbor jobs as one submission: all their trials, with attempts at a task matched by its name."""

from collections.abc import Sequence
from dataclasses import replace

from assay.core.errors import InputError
from assay.dialects.harbor.job_config import ConfiguredMetrics
from assay.dialects.harbor.metrics import MEAN, Metric
from assay.dialects.harbor.trial import Trial
from assay.dialects.harbor.versions import UNKNOWN, HarborVersion
from assay.engine.job import Job
from assay.formats.counting import counted


def pool_jobs(name: str, jobs: Sequence[Job]) -> Job:
    """One job of all trials. Raises ``InputError`` if two trials have the same name, because each counts once."""
    trials = [trial for job in jobs for trial in job.trials]
    _check_names(jobs)
    notes = [f"{counted(len(jobs), 'job')} as one submission: {', '.join(job.name for job in jobs)}"]
    notes += [f"{job.name}: {note}" for job in jobs for note in job.notes]
    notes += [*_changed_tasks(trials), *_graded_twice(trials)]
    return Job(
        name=name,
        trials=trials,
        problems=[replace(one, trial=f"{job.name}/{one.trial}") for job in jobs for one in job.problems],
        metrics=_metrics(jobs, notes),
        recorded=None,
        notes=notes,
        version=_version(jobs, notes),
    )


def _check_names(jobs: Sequence[Job]) -> None:
    seen: dict[str, str] = {}
    for job in jobs:
        for trial in job.trials:
            other = seen.setdefault(trial.name, job.name)
            if other != job.name:
                raise InputError(
                    f"each trial must be in one of the jobs, but {trial.name} is in {other} and in {job.name}"
                )


def _changed_tasks(trials: Sequence[Trial]) -> list[str]:
    """Tasks that weren't the same in all jobs: attempts at them don't belong together."""
    versions: dict[str, set[str]] = {}
    for trial in trials:
        if trial.task_checksum is not None:
            versions.setdefault(trial.task, set()).add(trial.task_checksum)
    return [f"the task {task} differs between the jobs" for task, found in versions.items() if len(found) > 1]


def _metrics(jobs: Sequence[Job], notes: list[str]) -> ConfiguredMetrics:
    """The metrics of each dataset, if all jobs agree. A value from the record of one job is not that of all."""
    by_dataset: dict[str, list[Metric]] = {}
    for job in jobs:
        for dataset, metrics in job.metrics.by_dataset.items():
            if job.metrics.taken & {dataset}:
                notes.append(f"the metric of {dataset} isn't known, so for the submission it is the mean")
                by_dataset[dataset] = [MEAN]
            elif by_dataset.setdefault(dataset, metrics) != metrics:
                notes.append(
                    f"the jobs have different metrics for {dataset}, so for the submission it is the mean"
                )
                by_dataset[dataset] = [MEAN]
    return ConfiguredMetrics(by_dataset, complete=all(job.metrics.complete for job in jobs))


def _version(jobs: Sequence[Job], notes: list[str]) -> HarborVersion:
    """The version of all jobs. Each was read by the rules of its own; the submission has those of the default."""
    versions = {job.version for job in jobs}
    if len(versions) == 1:
        return versions.pop()
    notes.append("written by " + ", ".join(f"{job.version.title} ({job.name})" for job in jobs))
    return replace(UNKNOWN, number="of several versions")


def _graded_twice(trials: Sequence[Trial]) -> list[str]:
    names = {trial.name for trial in trials}
    both = [t.name for t in trials if t.source is not None and (t.source.path or "").rpartition("/")[2] in names]
    return [f"{counted(len(both), 'trial')} grade others of the submission again: both count"] if both else []
