"""A job row by row: its tasks, or the rewards of its runs one by one, with failures, time, cost and their sums."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.core.total import exact_average, mean
from assay.dialects.harbor.trial import Seconds, Trial, Usage, UsageSum
from assay.engine.jobs.job_runs import as_float
from assay.evidence.run import Run, State


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Sums over trials, and how many trials they cover. ``mean`` has the mean length of a trial and its phases."""

    usage: Usage
    trials_with_tokens: int
    trials_with_cost: int
    by_model: Mapping[str, Usage]
    mean: Seconds
    trials_with_times: int


def report_usage(trials: Sequence[Trial], total: Usage) -> UsageReport:
    """The usage of trials, of which the sum is known."""
    used = [usage for trial in trials if (usage := trial.usage) is not None]
    lengths = [seconds for trial in trials if (seconds := trial.seconds) is not None]
    return UsageReport(
        usage=total,
        trials_with_tokens=len([1 for u in used if u.n_input_tokens is not None or u.n_output_tokens is not None]),
        trials_with_cost=len([1 for usage in used if usage.cost_usd is not None]),
        by_model=_by_model([trial for trial in trials if trial.model_usage is not None]),
        mean=mean_seconds(lengths),
        trials_with_times=len([1 for seconds in lengths if seconds.total is not None]),
    )


def sum_of_usage(trials: Iterable[Trial]) -> Usage:
    """The usage of trials, added up in harbor's order of addition."""
    total = UsageSum()
    for trial in trials:
        if trial.usage is not None:
            total.add(trial.usage)
    return total.total()


def mean_seconds(lengths: Sequence[Seconds]) -> Seconds:
    """The mean of each length over those that are known."""
    return Seconds(
        _mean([length for one in lengths if (length := one.total) is not None]),
        _mean([length for one in lengths if (length := one.agent) is not None]),
        _mean([length for one in lengths if (length := one.verifier) is not None]),
    )


def _by_model(trials: Iterable[Trial]) -> dict[str, Usage]:
    sums: dict[str, UsageSum] = {}
    for trial in trials:
        for model, usage in (trial.model_usage or {}).items():
            sums.setdefault(model, UsageSum()).add(usage)
    return {model: used.total() for model, used in sums.items()}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class KeyMean:
    """One reward of runs that have several: its mean over the runs in which it is a finite number."""

    key: str
    mean: float | None
    n: int


@dataclass(frozen=True, slots=True)
class TaskReportRow:
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


def task_rows(groups: Mapping[str, Sequence[Run]], trials: Iterable[Trial]) -> list[TaskReportRow]:
    """One row for each task in each group."""
    found: dict[tuple[str, str], list[Run]] = {}
    for group, runs in groups.items():
        for run in runs:
            found.setdefault((group, run.task), []).append(run)
    recorded = {trial.name: trial for trial in trials}
    return [_task_row(group, task, runs, recorded) for (group, task), runs in found.items()]


def _task_row(group: str, task: str, runs: Sequence[Run], recorded: Mapping[str, Trial]) -> TaskReportRow:
    scores = [run.score for run in runs if run.score is not None]
    trials = [recorded[run.name] for run in runs if run.name in recorded]
    return TaskReportRow(
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
