"""A job row by row: its tasks, or the rewards of its runs one by one, with failures, time, cost and their sums."""

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
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


class UsageCount:
    """Counts the usage of trials while somebody else goes through them, in harbor's order of addition."""

    def __init__(self) -> None:
        self._tokens = self._costs = 0
        self._usage = UsageSum()
        self._by_model: dict[str, UsageSum] = {}
        self._lengths = _Lengths()

    def each(self, trials: Iterable[Trial]) -> Iterator[Trial]:
        for trial in trials:
            usage = trial.usage
            if usage is not None:
                self._tokens += usage.n_input_tokens is not None or usage.n_output_tokens is not None
                self._costs += usage.cost_usd is not None
                self._usage.add(usage)
            if trial.seconds is not None:
                self._lengths.add(trial.seconds)
            for model, used in (trial.model_usage or {}).items():
                self._by_model.setdefault(model, UsageSum()).add(used)
            yield trial

    def report(self) -> UsageReport:
        return UsageReport(
            usage=self._usage.total(),
            trials_with_tokens=self._tokens,
            trials_with_cost=self._costs,
            by_model={model: used.total() for model, used in self._by_model.items()},
            mean=self._lengths.mean(),
            trials_with_times=self._lengths.counts[0],
        )


class _Lengths:
    """The lengths of trials and their phases."""

    def __init__(self) -> None:
        self._sums, self.counts = [0.0, 0.0, 0.0], [0, 0, 0]

    def add(self, seconds: Seconds) -> None:
        for at, length in enumerate((seconds.total, seconds.agent, seconds.verifier)):
            if length is not None:
                self._sums[at] += length
                self.counts[at] += 1

    def mean(self) -> Seconds:
        known = zip(self._sums, self.counts, strict=True)
        return Seconds(*(length / count if count else None for length, count in known))


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


def task_rows(groups: Mapping[str, Iterable[Run]], trials: Iterable[Trial]) -> list[TaskReportRow]:
    """One row for each task in each group."""
    found: dict[tuple[str, str], list[Run]] = {}
    for group, runs in groups.items():
        for run in runs:
            found.setdefault((group, run.task), []).append(run)
    recorded = {trial.name: trial for trial in trials}
    return [_task_row(group, task, runs, recorded) for (group, task), runs in found.items()]


def _task_row(group: str, task: str, runs: Sequence[Run], recorded: Mapping[str, Trial]) -> TaskReportRow:
    scores = [run.score for run in runs if run.score is not None]
    used = UsageCount()
    deque(used.each(recorded[run.name] for run in runs if run.name in recorded), maxlen=0)
    usage = used.report()
    return TaskReportRow(
        task=task,
        group=group,
        runs=len(runs),
        states=dict(Counter(run.state.value for run in runs)),
        scored=len(scores),
        passed=sum(run.state is State.PASSED for run in runs),
        mean=exact_average(scores) if scores else None,
        reasons=dict(Counter(run.reason for run in runs if run.reason is not None)),
        usage=usage.usage,
        seconds=usage.mean,
    )
