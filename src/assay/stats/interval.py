"""Intervals of a single rate, and the distributions that they need: normal, Student's t, beta and binomial.

Where there can't be an interval, the answer is the reason.

Functions of the C library differ in their last bit between machines, and a report must not. Everything here and in
the modules that build on it uses +, -, *, / and square roots, which are the same everywhere, and ``math.fsum``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

# The natural logarithm of 2 in two parts. The first has so few bits that its small multiples are exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_HALF_LN_2PI = 0.9189385332046727418
# An exponential beyond these ends is 0 or infinite as a float.
_SMALLEST_EXPONENT, _LARGEST_EXPONENT = -745.0, 709.7


def square(x: float) -> float:
    """A number times itself. A power goes through the C library."""
    return x * x


def ln(x: float) -> float:
    """The natural logarithm of a number above 0."""
    mantissa, exponent = math.frexp(x)
    if mantissa < 0.7071067811865476:
        mantissa, exponent = 2 * mantissa, exponent - 1
    z = (mantissa - 1) / (mantissa + 1)
    square = z * z
    tail = 0.0
    for odd in range(25, 1, -2):
        tail = (tail + 1 / odd) * square
    return exponent * _LN2_HIGH + (exponent * _LN2_LOW + 2 * (z + z * tail))


def exp(x: float) -> float:
    """The exponential, 0 or infinity where a float can't hold it."""
    if not _SMALLEST_EXPONENT <= x <= _LARGEST_EXPONENT:
        return 0.0 if x < 0 else math.inf
    halvings = round(x / (_LN2_HIGH + _LN2_LOW))
    rest = x - halvings * _LN2_HIGH - halvings * _LN2_LOW
    value = 1.0
    for divisor in range(16, 0, -1):
        value = 1 + value * rest / divisor
    return math.ldexp(value, halvings)


# A quantile is found in some fifty steps that all ask for the same few. Typed, as large ints round differently.
@lru_cache(1024, typed=True)
def ln_gamma(x: float) -> float:
    """The logarithm of the gamma function, for x above 0."""
    product = 1.0
    while x < 16:
        product *= x
        x += 1
    inverse = 1 / (x * x)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - inverse / 1188) * inverse) * inverse) * inverse) / x
    return (x - 0.5) * ln(x) - x + _HALF_LN_2PI + series - ln(product)


_SQRT_2PI = 2.5066282746310002
_TINY = 1e-300
_PRECISE = 1e-16
_CACHED = 4096


@lru_cache(_CACHED)
def normal_cdf(x: float) -> float:
    """The chance that a standard normal value is at most x."""
    if abs(x) > 38:
        return 0.0 if x < 0 else 1.0
    density = exp(-x * x / 2) / _SQRT_2PI
    if abs(x) > 4:
        tail = density / _mills(abs(x))
        return tail if x < 0 else 1 - tail
    term = added = x
    odd = 3
    while abs(term) > _PRECISE * abs(added):
        term *= x * x / odd
        added += term
        odd += 2
    return 0.5 + density * added


def _mills(x: float) -> float:
    """The density of the normal distribution over its upper tail, as a continued fraction."""
    fraction = x
    for step in range(60, 0, -1):
        fraction = x + step / fraction
    return fraction


@lru_cache(_CACHED)
def normal_quantile(p: float) -> float:
    """The value below which a standard normal one is with the chance p."""
    return _solve(normal_cdf, p, -38.0, 38.0)


@lru_cache(_CACHED)
def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = exp(ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * ln(x) + b * ln(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by the method of Lentz."""
    c, d = 1.0, 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    value = d
    # It takes about the square root of the larger of a and b.
    for m in range(1, 200 + 10 * math.isqrt(int(max(a, b)) + 1)):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / _away_from_0(1 + even * d)
        c = _away_from_0(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _away_from_0(1 + odd * d)
        c = _away_from_0(1 + odd / c)
        value *= d * c
        if abs(d * c - 1) < _PRECISE:
            break
    return value


def _away_from_0(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


@lru_cache(_CACHED)
def beta_quantile(p: float, a: float, b: float) -> float:
    """The value below which one of a beta distribution is with the chance p."""
    return _solve(lambda x: beta_cdf(x, a, b), p, 0.0, 1.0)


def t_cdf(t: float, df: float) -> float:
    """The chance that a value of Student's t distribution is at most t."""
    tail = beta_cdf(df / (df + t * t), df / 2, 0.5) / 2
    return tail if t < 0 else 1 - tail


@lru_cache(_CACHED)
def t_quantile(p: float, df: float) -> float:
    """The value below which one of Student's t distribution is with the chance p."""
    if p == 0.5:
        return 0.0
    tail = min(p, 1 - p)
    # From the quantile of the beta distribution: exact far out, where t grows without end.
    x = beta_quantile(2 * tail, df / 2, 0.5)
    return math.sqrt(df * (1 - x) / x) * (-1 if p < 0.5 else 1)


def binomial_at_most(c: int, n: int, p: float) -> float:
    """The chance of at most c successes in n attempts."""
    return 1.0 if c >= n else 1 - beta_cdf(p, c + 1, n - c)


def _solve(cdf: Callable[[float], float], p: float, low: float, high: float) -> float:
    """Where a growing function reaches p, by halving: no start to choose, and the same steps everywhere."""
    for _ in range(1100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if cdf(middle) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


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
