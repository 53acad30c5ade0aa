"""Intervals, and the intervals of a single rate. Where there can't be one, the answer is the reason."""

import math
from dataclasses import dataclass

from assay.stats.distributions import beta_quantile, normal_quantile, t_quantile

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of an interval, the share of intervals of its kind that cover the truth, and how it was made."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, slots=True)
class CantSay:
    """Why there is no interval."""

    reason: str


def wilson(share: float, n: float, level: float = LEVEL, method: str = "Wilson") -> Interval:
    """Wilson's score interval of a rate. ``n`` may be an effective sample size, so it needs not be whole."""
    z = normal_quantile((1 + level) / 2)
    square = z * z / n
    centre = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return Interval(max(0.0, centre - half), min(1.0, centre + half), level, method)


def clopper_pearson(c: float, n: float, level: float = LEVEL) -> Interval:
    """The exact interval of a rate, which covers at least its level. c successes of n."""
    tail = (1 - level) / 2
    low = 0.0 if c <= 0 else beta_quantile(tail, c, n - c + 1)
    high = 1.0 if c >= n else beta_quantile(1 - tail, c + 1, n - c)
    return Interval(low, high, level, "exact binomial")


def rate_interval(share: float, n: float, level: float = LEVEL, method: str = "Wilson") -> Interval:
    """Wilson's interval of a rate, and the exact one at 0 and 1, where Wilson's is too short on one side."""
    if share in (0, 1):
        return clopper_pearson(n * share, n, level)
    return wilson(share, n, level, method)


def fewer_for_estimated_variance(n: float, units: int, level: float = LEVEL) -> float:
    """An effective sample size that allows for its variance being an estimate from so many units.

    The same relation as between the quantiles of the normal distribution and of Student's t (Korn and Graubard).
    """
    ratio = normal_quantile((1 + level) / 2) / t_quantile((1 + level) / 2, units - 1)
    return n * ratio * ratio
