"""pass@1, pass@k and pass^k over tasks with their denominators, and for every k with an interval over tasks.

An estimate for k uses only the tasks with at least k attempts. The value is the mean over those tasks, or None if
there are none, and comes with the number of tasks.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from assay.core.pass_at_k import pass_at_k, pass_hat_k
from assay.core.total import mean
from assay.stats.interval import (
    LEVEL,
    CantSay,
    Interval,
    Spread,
    effective_rate,
    exp,
    ln,
    ln_gamma,
    rate_interval,
    square,
)


class Attempts(NamedTuple):
    """The attempts at one task, and how many of them succeeded."""

    n: int
    c: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the tasks with enough attempts. ``value`` is None if there are no such tasks."""

    k: int
    value: float | None
    tasks: int
    tasks_with_too_few_attempts: int


def estimate_pass_at_k(tasks: Mapping[str, Attempts], k: int) -> Estimate:
    """The chance that at least one of k attempts at a task succeeds, on average over the tasks."""
    return _estimate(tasks.values(), k, pass_at_k)


def estimate_pass_hat_k(tasks: Mapping[str, Attempts], k: int) -> Estimate:
    """The chance that all of k attempts at a task succeed, on average over the tasks."""
    return _estimate(tasks.values(), k, pass_hat_k)


def _estimate(tasks: Collection[Attempts], k: int, estimator: Callable[[int, int, int], float | None]) -> Estimate:
    # Tasks with the same numbers of attempts and successes share an answer, so there are only a few.
    answers = {task: estimator(task.n, task.c, k) for task in set(tasks)}
    values = [answers[task] for task in tasks]
    known = [value for value in values if value is not None]
    return Estimate(k, mean(known) if known else None, len(known), len(values) - len(known))


# Curves end here. A job with more attempts at a task has its first thousand values of k.
LARGEST_K = 1000

_Values: TypeAlias = Mapping[Attempts, float]


@dataclass(frozen=True, slots=True)
class PassRate:
    """The mean over the tasks with at least k attempts, of which there is at least one, with its interval."""

    k: int
    value: float
    interval: Interval | CantSay
    tasks: int
    tasks_with_too_few_attempts: int


@dataclass(frozen=True, slots=True)
class PassCurves:
    """pass@k and pass^k for k from 1 to the most attempts that any task has."""

    at: list[PassRate]
    hat: list[PassRate]


def pass_curves(tasks: Sequence[Attempts], level: float = LEVEL) -> PassCurves:
    """The curves of a job. Tasks with the same numbers share an answer, so many cost little more than few."""
    kinds = Counter(tasks)
    by_chance = _by_chance(kinds)
    at: list[PassRate] = []
    hat: list[PassRate] = []
    steps = _Steps([*kinds, *by_chance])
    for k in range(1, min(LARGEST_K, max((kind.n for kind in kinds), default=0)) + 1):
        steps.go_on(k)
        known = {kind: count for kind, count in kinds.items() if kind.n >= k}
        chances = {kind: chance for kind, chance in by_chance.items() if kind.n >= k}
        for rates, values in ((at, steps.at), (hat, steps.hat)):
            rates.append(_rate(k, tasks, known, values, chances, level))
    return PassCurves(at, hat)


class _Steps:
    """pass@k and pass^k of single tasks for one k after the other, with the bits of ``core.pass_at_k``."""

    def __init__(self, kinds: Iterable[Attempts]) -> None:
        self._fails = dict.fromkeys(kinds, 1.0)
        self.hat = dict(self._fails)
        self.at: dict[Attempts, float] = {}

    def go_on(self, k: int) -> None:
        i = k - 1
        for kind in [kind for kind in self.hat if kind.n < k]:
            del self.hat[kind], self._fails[kind]
        for kind in self.hat:
            n, c = kind
            self._fails[kind] *= max(n - c - i, 0) / (n - i)
            self.hat[kind] *= max(c - i, 0) / (n - i)
        self.at = {kind: 1.0 - fails for kind, fails in self._fails.items()}


def _by_chance(kinds: Mapping[Attempts, int]) -> dict[Attempts, float]:
    """How often each number of successes would occur if all tasks were equally hard."""
    tasks = sum(kinds.values())
    attempts = sum(kind.n * count for kind, count in kinds.items())
    if not attempts:
        return {}
    n = round(attempts / tasks)
    rate = (sum(kind.c * count for kind, count in kinds.items()) + 1) / (attempts + 2)
    passing, failing, ways = ln(rate), ln(1 - rate), ln_gamma(n + 1)
    return {
        Attempts(n, c): exp(ways - ln_gamma(c + 1) - ln_gamma(n - c + 1) + c * passing + (n - c) * failing)
        for c in range(n + 1)
    }


def _rate(
    k: int,
    tasks: Sequence[Attempts],
    known: Mapping[Attempts, int],
    values: _Values,
    by_chance: Mapping[Attempts, float],
    level: float,
) -> PassRate:
    listed = [values[task] for task in tasks if task.n >= k]
    value = mean(listed)
    interval = _interval(value, known, values, _most(len(listed), values, by_chance), level)
    return PassRate(k, value, interval, len(listed), len(tasks) - len(listed))


def _most(tasks: int, values: _Values, by_chance: Mapping[Attempts, float]) -> float:
    """The effective number of trials if tasks were equally hard. Where they aren't, it is smaller."""
    centre = math.fsum(chance * values[kind] for kind, chance in by_chance.items())
    variance = math.fsum(chance * square(values[kind] - centre) for kind, chance in by_chance.items())
    return max(float(tasks), tasks * centre * (1 - centre) / variance) if variance > 0 else float(tasks)


def _interval(
    value: float, known: Mapping[Attempts, int], values: _Values, most: float, level: float
) -> Interval | CantSay:
    tasks = sum(known.values())
    if tasks == 1:
        return CantSay("one task says nothing about others")
    if all(values[kind] in (0, 1) for kind in known):
        return rate_interval(value, tasks, level)
    squares = {kind: square(values[kind] - value) for kind in known}
    spread = Spread(
        tasks,
        math.fsum(count * squares[kind] for kind, count in known.items()),
        math.fsum(count * square(squares[kind]) for kind, count in known.items()),
    )
    return effective_rate(value, spread.squares / (tasks - 1) / tasks, most, spread, level)
