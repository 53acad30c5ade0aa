"""Intervals, and the intervals of a single rate. Where there can't be one, the answer is the reason."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.stats.distributions import beta_quantile, normal_quantile, t_quantile

LEVEL = 0.95
# With more, Student's t is the normal distribution.
_MOST_DEGREES = 1000.0
_ROUNDING = 1e-6


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


@dataclass(frozen=True, slots=True)
class Spread:
    """How units, such as tasks, lie around their mean: their number, and sums of powers of their differences."""

    units: int
    squares: float
    fourths: float

    @property
    def degrees_of_freedom(self) -> float:
        """How sure the variance is, in terms of Student's t.

        About as many as units if they are normal, fewer if some lie far out, more if all lie equally far. They are
        rounded down to halves.
        """
        excess = self.units * self.fourths - self.squares * self.squares
        if excess <= 0:
            return _MOST_DEGREES
        degrees = 2 * self.units * self.squares * self.squares / excess
        return max(1.0, min(_MOST_DEGREES, math.floor(2 * degrees + _ROUNDING) / 2))


def spread_of(differences: Sequence[float]) -> Spread:
    """The spread of units whose differences from their mean are given."""
    squares = [one * one for one in differences]
    return Spread(len(squares), math.fsum(squares), math.fsum([one * one for one in squares]))


def effective_rate(mean: float, variance: float, most: float, spread: Spread, level: float = LEVEL) -> Interval:
    """The interval of a mean between 0 and 1 with an estimated variance: Wilson's with an effective sample size.

    The size is that of independent trials with the same variance, at most ``most``, and is made smaller the less
    sure the variance is (as Korn and Graubard do, with degrees of freedom from the spread of the units).
    """
    if mean in (0, 1):
        return clopper_pearson(spread.units * mean, spread.units, level)
    size = min(most, mean * (1 - mean) / variance) if variance > 0 else most
    p = (1 + level) / 2
    ratio = normal_quantile(p) / t_quantile(p, spread.degrees_of_freedom)
    return wilson(mean, size * ratio * ratio, level, "Wilson, effective sample size")


def fewer_for_estimated_variance(n: float, units: int, level: float = LEVEL) -> float:
    """An effective sample size that allows for its variance being an estimate from so many units.

    The same relation as between the quantiles of the normal distribution and of Student's t (Korn and Graubard).
    """
    ratio = normal_quantile((1 + level) / 2) / t_quantile((1 + level) / 2, units - 1)
    return n * ratio * ratio
