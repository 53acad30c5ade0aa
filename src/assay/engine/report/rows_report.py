"""A job row by row: its tasks, or the rewards of its runs one by one, with failures, time and cost."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.core.total import exact_average, mean
from assay.dialects.harbor.trial import Seconds, Trial, Usage
from assay.engine.jobs.job_runs import as_float
from assay.engine.report.usage_report import mean_seconds, sum_of_usage
from assay.evidence.run import Run, State


@dataclass(frozen=True, slots=True)
class KeyMean:
    """One reward of runs that have several: its mean over the runs in which it is a finite number."""

    key: str
    mean: float | None
    n: int


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task in one group: its runs, what they came to, and the mean of those that have a score."""

    task: str
    group: str
    runs: int
    states: Mapping[str, int]
    scored: int
    passed: int
    mean: float | None
    reasons: Mapping[str, int]
    usage: Usage
    seconds: Seconds


def key_means(runs: Iterable[Run]) -> list[KeyMean]:
    """The mean of each reward by itself."""
    values: dict[str, list[float]] = {}
    for run in runs:
        for key, value in (run.rewards or {}).items():
            kept = values.setdefault(key, [])
            if math.isfinite(as_float(value)):
                kept.append(value)
    return [KeyMean(key, mean(kept) if kept else None, len(kept)) for key, kept in values.items()]


def task_rows(groups: Mapping[str, Sequence[Run]], trials: Iterable[Trial]) -> list[TaskRow]:
    """One row for each task in each group."""
    found: dict[tuple[str, str], list[Run]] = {}
    for group, runs in groups.items():
        for run in runs:
            found.setdefault((group, run.task), []).append(run)
    recorded = {trial.name: trial for trial in trials}
    return [_task_row(group, task, runs, recorded) for (group, task), runs in found.items()]


def _task_row(group: str, task: str, runs: Sequence[Run], recorded: Mapping[str, Trial]) -> TaskRow:
    scores = [run.score for run in runs if run.score is not None]
    trials = [recorded[run.name] for run in runs if run.name in recorded]
    return TaskRow(
        task=task,
        group=group,
        runs=len(runs),
        states=dict(Counter(run.state.value for run in runs)),
        scored=len(scores),
        passed=sum(run.state is State.PASSED for run in runs),
        mean=exact_average(scores) if scores else None,
        reasons=dict(Counter(run.reason for run in runs if run.reason is not None)),
        usage=sum_of_usage(trials),
        seconds=mean_seconds([trial.seconds for trial in trials if trial.seconds is not None]),
    )
