"""The mean of rewards with its interval. Attempts at one task are alike, so the task is the unit that counts.

Where no shape can be assumed, the interval is a studentized bootstrap of whole tasks. Its random numbers follow
from the data: the same data give the same numbers on every machine. The bits are those of SHAKE-128 of the data's
hash: megabytes in the time in which a generator written in Python makes a thousand numbers.
"""

import hashlib
import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from assay.core.total import total
from assay.stats.interval import (
    LEVEL,
    CantSay,
    Interval,
    Spread,
    effective_rate,
    rate_interval,
    spread_of,
    square,
    t_quantile,
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The mean of all runs if every open one had got a 0, and if every one had got a 1."""

    low: float
    high: float
    broken: int
    uncontrolled: int = 0


def bounds_of_mean(rewards: Sequence[float], broken: int, uncontrolled: int = 0) -> Bounds | CantSay:
    """The bounds from the scores, the number of broken runs, and how many scores are an uncontrolled 0."""
    if rewards and not 0 <= min(rewards) <= max(rewards) <= 1:
        return CantSay("scores lie outside of 0 to 1, so a broken run could have got any")
    runs = len(rewards) + broken
    if not runs:
        return CantSay("there are no runs")
    known = total(rewards)
    return Bounds(known / runs, (known + broken + uncontrolled) / runs, broken, uncontrolled)


def seed_of(values: Iterable[float]) -> bytes:
    """A seed from numbers. Their order doesn't matter."""
    known = sorted(values)
    return hashlib.sha256(struct.pack(f"<{len(known)}d", *known)).digest()


def random_bytes(seed: bytes, count: int) -> bytes:
    """So many bytes that look random."""
    return hashlib.shake_128(seed).digest(count)


def picks(seed: bytes, count: int, below: int) -> list[int]:
    """So many numbers from 0 to below ``below``, which must be far less than 2**32."""
    words = struct.unpack(f"<{count}I", random_bytes(seed, 4 * count))
    return [word * below >> 32 for word in words]


RESAMPLES = 999
METHOD = "bootstrap-t over tasks"
# No more resamples than this may be without spread.
_MOST_WITHOUT_SPREAD = 0.05


def bootstrap_t(totals: Sequence[float], sizes: Sequence[int], level: float) -> Interval | None:
    """The interval of the mean of all rewards, from the total and the number of the rewards of each task.

    None if the tasks are too much alike to be resampled: many resamples would have no spread.
    """
    # In an order of their own, so that the order of tasks changes nothing.
    ordered = sorted(zip(totals, sizes, strict=True))
    totals, sizes = [total for total, _ in ordered], [size for _, size in ordered]
    tasks = len(totals)
    mean, error = mean_and_error(totals, sizes)
    drawn = picks(seed_of(chain(totals, map(float, sizes))), RESAMPLES * tasks, tasks)
    found: list[float] = []
    for start in range(0, len(drawn), tasks):
        chosen = drawn[start : start + tasks]
        again, spread = mean_and_error([totals[i] for i in chosen], [sizes[i] for i in chosen])
        if spread > error * 1e-9:
            found.append((again - mean) / spread)
    if len(found) < (1 - _MOST_WITHOUT_SPREAD) * RESAMPLES:
        return None
    found.sort()
    outside = (1 - level) / 2 * (len(found) + 1)
    least, most = (
        found[max(0, math.floor(outside) - 1)],
        found[min(len(found), math.ceil(len(found) + 1 - outside)) - 1],
    )
    return Interval(mean - most * error, mean - least * error, level, METHOD)


def mean_and_error(totals: Sequence[float], sizes: Sequence[int]) -> tuple[float, float]:
    """The mean of all rewards and its standard error, with the task as the cluster."""
    tasks, n = len(totals), sum(sizes)
    mean = math.fsum(totals) / n
    residuals = [total - mean * size for total, size in zip(totals, sizes, strict=True)]
    squares = math.fsum([one * one for one in residuals])
    return mean, math.sqrt(squares * tasks / (tasks - 1)) / n


# Squares of larger rewards would be lost in a float.
LARGEST_REWARD = 1e100
# The squared skewness over the number of tasks, from which on a t interval misses its level by more than 1 %.
_NEAR_NORMAL = 0.03
# Fewer tasks are too few to be resampled.
_FEWEST_RESAMPLED = 8
# Resampling more tasks takes long, and only rewards that are equal nearly everywhere would need it.
_MOST_RESAMPLED = 500


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its interval, over so many rewards of so many tasks. ``value`` is None if there are none."""

    value: float | None
    interval: Interval | CantSay
    standard_error: float | None
    tasks: int
    n: int


def clustered_mean(tasks: Sequence[Sequence[float]], level: float = LEVEL) -> Mean:
    """The mean of the rewards of all tasks. A task is the sequence of its rewards; empty ones don't count."""
    known = [task for task in tasks if task]
    n = sum(map(len, known))
    if not known:
        return Mean(None, CantSay("there are no rewards"), None, 0, 0)
    reason = _unusable(known)
    if reason is not None:
        return Mean(None, CantSay(reason), None, len(known), n)
    totals = [math.fsum(task) for task in known]
    if len(known) == 1:
        return Mean(totals[0] / n, CantSay("one task says nothing about others"), None, 1, n)
    sizes = list(map(len, known))
    mean, error = mean_and_error(totals, sizes)
    return Mean(mean, _interval(known, totals, sizes, mean, error, level), error, len(known), n)


def _unusable(tasks: Sequence[Sequence[float]]) -> str | None:
    for task in tasks:
        if not all(map(math.isfinite, task)):
            return "a reward is NaN or infinite"
        if not -LARGEST_REWARD <= min(task) <= max(task) <= LARGEST_REWARD:
            return f"a reward is beyond {LARGEST_REWARD:g}"
    return None


def _interval(
    tasks: Sequence[Sequence[float]],
    totals: Sequence[float],
    sizes: Sequence[int],
    mean: float,
    error: float,
    level: float,
) -> Interval | CantSay:
    low, high = min(map(min, tasks)), max(map(max, tasks))
    within = low >= 0 and high <= 1
    binary = within and all(value in (0, 1) for task in tasks for value in task)
    if binary and _all_or_nothing(totals, sizes):
        return rate_interval(mean, len(sizes), level)
    if low == high and not binary:
        return CantSay("all rewards are equal")
    residuals = [total - mean * size for total, size in zip(totals, sizes, strict=True)]
    spread = spread_of(residuals)
    if binary:
        return effective_rate(mean, square(error), sum(sizes), spread, level)
    if spread.squares <= 0:
        return CantSay("all tasks have the same mean reward")
    if not _near_normal(residuals, spread):
        if within:
            return effective_rate(mean, square(error), math.inf, spread, level)
        resampled = _FEWEST_RESAMPLED <= len(sizes) <= _MOST_RESAMPLED
        found = bootstrap_t(totals, sizes, level) if resampled else None
        if found is not None:
            return found
    half = t_quantile((1 + level) / 2, len(sizes) - 1) * error
    low, high = mean - half, mean + half
    return Interval(max(0.0, low) if within else low, min(1.0, high) if within else high, level, "clustered t")


def _all_or_nothing(totals: Sequence[float], sizes: Sequence[int]) -> bool:
    """Whether tasks count alike and each has only successes or only failures, so that each is like one trial."""
    return min(sizes) == max(sizes) and all(total in (0, sizes[0]) for total in totals)


def _near_normal(residuals: Sequence[float], spread: Spread) -> bool:
    cubes = math.fsum([one * one * one for one in residuals])
    skewness_squared = square(cubes) / (spread.squares * spread.squares * spread.squares) * spread.units
    return skewness_squared / spread.units <= _NEAR_NORMAL
