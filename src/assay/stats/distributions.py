"""The distributions that intervals and tests need: normal, Student's t, beta and binomial."""

import math
from collections.abc import Callable
from functools import lru_cache

from assay.stats.elementary import exp, ln, ln_gamma

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
