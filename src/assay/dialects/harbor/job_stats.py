"""Compute the statistics of a job from its trials, as harbor does when a job ends.

With at most one reward key in the whole group, a metric's answer is keyed by the metric (``{"mean": …}``) and the
reward key is lost; with more, it is keyed by reward key and the metric's name is lost. A trial without rewards
counts 0, and so does a key that a trial does not have.

A group has pass@k only if every trial with rewards has exactly one reward, which is 0 or 1. A trial without
rewards is a failed attempt. k starts at 2: harbor never reports pass@1.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Protocol, TypeAlias

from assay.core.pass_at_k import chance_of_a_success
from assay.core.total import mean, total
from assay.dialects.harbor.reward_column import RewardColumn
from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import NO_USAGE, Trial, Usage, UsageSum, evals_key

Values: TypeAlias = Collection[float]


class Metric(Protocol):
    """Anything that turns the rewards of a group into named numbers."""

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:
        """The metric of these rewards, in trial order."""
        ...


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One of harbor's own metrics: a name and a function from values to a value."""

    name: str
    fold: Callable[[Values], float]

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:
        keys = sorted({key for one in rewards if one for key in one})
        if len(keys) <= 1:
            return {self.name: self.fold(_ValuesOf(rewards, keys[0] if keys else ""))}
        return {key: self.fold(_ValuesOf(rewards, key)) for key in keys}


@dataclass(frozen=True, slots=True)
class _ValuesOf(Collection[float]):
    """The values of one reward. A trial that doesn't have it counts 0."""

    rewards: Sequence[Rewards | None]
    key: str

    def __len__(self) -> int:
        return len(self.rewards)

    def __iter__(self) -> Iterator[float]:
        return (one.get(self.key, 0) if one else 0 for one in self.rewards)

    def __contains__(self, value: object) -> bool:
        return any(one == value for one in self)


MEAN = Aggregate("mean", mean)
MAX = Aggregate("max", max)
MIN = Aggregate("min", min)
SUM = Aggregate("sum", total)

METRICS = {metric.name: metric for metric in (MEAN, MAX, MIN, SUM)}


def eligible_k(attempts: int) -> list[int]:
    """Powers of two and multiples of five, from 2 up to the number of attempts."""
    powers = {2**i for i in range(1, attempts.bit_length())}
    return sorted(k for k in powers | set(range(5, attempts + 1, 5)) if k <= attempts)


def pass_at_k_of_group(tasks: Sequence[str], rewards: Sequence[Rewards | None]) -> dict[int, float]:
    """pass@k of a group, by k: the mean over its tasks. Empty if the group has no pass@k."""
    attempts = _Attempts()
    for task, reward in zip(tasks, rewards, strict=True):
        attempts.add(task, reward)
    return attempts.pass_at_k()


class _Attempts:
    """Attempts and successes of each task; none if a trial's rewards aren't a single 0 or 1."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int]] | None = {}

    def add(self, task: str, rewards: Rewards | None) -> None:
        if self._counts is None:
            return
        success = 0
        if rewards is not None:
            value = next(iter(rewards.values())) if len(rewards) == 1 else None
            if value not in (0, 1):
                self._counts = None
                return
            success = int(value)
        n, c = self._counts.get(task, (0, 0))
        self._counts[intern(task)] = (n + 1, c + success)

    def pass_at_k(self) -> dict[int, float]:
        """By k: the mean over the tasks."""
        counts = self._counts
        if not counts:
            return {}
        fewest = min(n for n, _ in counts.values())
        return {k: mean([chance_of_a_success(n, c, k) for n, c in counts.values()]) for k in eligible_k(fewest)}


RewardStats: TypeAlias = dict[str, dict[float, list[str]]]
DatasetMetrics: TypeAlias = Mapping[str, Sequence[Metric]]

CANCELLED = "CancelledError"


@dataclass(slots=True)
class EvalStats:
    """The statistics of one group of trials: an agent (and model) on a dataset.

    ``n_trials`` counts the trials that have rewards; ``reward_stats`` names them by reward key and value. Equal
    values share the bucket of the first one seen (1, 1.0), and each NaN has its own.
    """

    n_trials: int = 0
    n_errors: int = 0
    metrics: list[dict[str, object]] = field(default_factory=list)
    pass_at_k: dict[int, float] = field(default_factory=dict)
    reward_stats: RewardStats = field(default_factory=dict)
    exception_stats: dict[str, list[str]] = field(default_factory=dict)


@dataclass(slots=True)
class JobStats:
    """The statistics of a job: its counters, its groups, and its usage of tokens and money."""

    n_completed_trials: int = 0
    n_errored_trials: int = 0
    n_running_trials: int = 0
    n_pending_trials: int = 0
    n_cancelled_trials: int = 0
    n_retries: int = 0
    evals: dict[str, EvalStats] = field(default_factory=dict)
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class JobResult:
    """The content of a job's result.json."""

    id: str
    started_at: str
    updated_at: str | None
    finished_at: str | None
    n_total_trials: int
    stats: JobStats


class _GroupSums:
    """One group's totals, collected in the pass over the trials."""

    __slots__ = ("attempts", "dataset", "key", "rewards", "stats")

    def __init__(self, key: str, dataset: str, in_memory: bool) -> None:
        self.key = key
        self.dataset = dataset
        self.stats = EvalStats()
        self.attempts = _Attempts()
        self.rewards: list[Rewards | None] | RewardColumn = [] if in_memory else RewardColumn()


def job_stats(
    trials: Iterable[Trial],
    metrics: DatasetMetrics,
    *,
    n_total: int | None = None,
    n_retries: int = 0,
    running: bool = False,
    named: bool = True,
) -> JobStats:
    """The statistics of trials, in the given order. ``metrics`` has those of each declared dataset.

    They are the final ones, or with ``running`` those that harbor writes while a job runs: without pass@k. Unless
    they are ``named``, ``reward_stats`` has only the keys, and ``exception_stats`` only the types.
    """
    stats = JobStats(n_retries=n_retries)
    groups = _gather(trials, stats, named)
    for group in groups.values():
        _finish(group, metrics, running)
        stats.evals[group.key] = group.stats
    if n_total is not None:
        stats.n_pending_trials = max(n_total - stats.n_completed_trials, 0)
    return stats


def _gather(trials: Iterable[Trial], stats: JobStats, named: bool) -> dict[str, _GroupSums]:
    """One pass over the trials: counters, buckets, and each group's rewards in order."""
    groups: dict[str, _GroupSums] = {}
    by_parts: dict[tuple[str, str | None, str], _GroupSums] = {}
    cancelled: set[str] = set()
    usage = UsageSum()
    completed = 0
    in_memory = isinstance(trials, list)
    for trial in trials:
        completed += 1
        parts = (trial.agent, trial.model, trial.dataset)
        group = by_parts.get(parts)
        if group is None:
            key = evals_key(*parts)
            group = by_parts[parts] = groups.setdefault(key, _GroupSums(key, trial.dataset, in_memory))
        name = intern(trial.name) if named else None
        if trial.rewards is not None:
            _count_rewards(group.stats, trial.rewards, name)
        group.attempts.add(trial.task, trial.rewards)
        group.rewards.append(trial.rewards)
        if trial.exception_type is not None:
            stats.n_errored_trials += 1
            group.stats.n_errors += 1
            failed = group.stats.exception_stats.setdefault(trial.exception_type, [])
            if name is not None:
                failed.append(name)
            if trial.exception_type == CANCELLED:
                cancelled.add(trial.name)
        if trial.usage is not None:
            usage.add(trial.usage)
    stats.n_completed_trials = completed
    stats.n_cancelled_trials = len(cancelled)
    stats.usage = usage.total()
    return groups


def _count_rewards(stats: EvalStats, rewards: Rewards, name: str | None) -> None:
    stats.n_trials += 1
    for key, value in rewards.items():
        buckets = stats.reward_stats.get(key)
        if buckets is None:
            buckets = stats.reward_stats[key] = {}
        if name is not None:
            names = buckets.get(value)
            if names is None:
                buckets[value] = [name]
            else:
                names.append(name)


def _finish(group: _GroupSums, metrics: DatasetMetrics, running: bool) -> None:
    # In the end, harbor looks the dataset up by the last part of the key: a name with "__" in it finds no metrics.
    dataset = group.dataset if running else group.key.split("__")[-1]
    # Keys of groups contain "__", which the names that can be found don't.
    chosen = metrics.get(group.key, metrics.get(dataset, ()))
    group.stats.metrics = [metric.compute(group.rewards) for metric in chosen]
    group.stats.pass_at_k = {} if running else group.attempts.pass_at_k()
