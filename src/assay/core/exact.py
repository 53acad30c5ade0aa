"""Exact shares and means: a weight is the decimal that was written, and a float is made once, at the end.

In floats, 0.7 + 0.2 of 0.7 + 0.2 + 0.1 is 0.8999999999999999, so a run that earned 0.9 would miss that threshold.
"""

import functools
import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction


# With types: of a large int and the float that equals it, people write different decimals.
@functools.lru_cache(maxsize=1024, typed=True)
def written(number: float) -> Fraction:
    """The shortest decimal that is read as this number, which is the one that people write: 0.7 is 7/10."""
    return Fraction(str(number))


def exact_total(numbers: Iterable[float]) -> float:
    """The sum of decimals as they were written."""
    return float(_sum(map(written, numbers)))


def exact_average(numbers: Iterable[float]) -> float:
    """The mean of floats as they are, rounded once: the same whatever their order. There must be at least one."""
    counts = Counter(numbers)
    whole = _sum(Fraction(*number.as_integer_ratio()) * count for number, count in counts.items())
    return float(whole / counts.total())


def exact_share(earned: Iterable[tuple[float, Fraction]]) -> Fraction | None:
    """The mean of shares by their weights. None if there are none, or all weights are 0."""
    pairs = [(written(weight), share) for weight, share in earned]
    whole = _sum(weight for weight, _ in pairs)
    if not whole:
        return None
    first = pairs[0][1]
    if all(share == first for _, share in pairs):
        # Most often, all is there. No weight changes the mean of equal shares.
        return first
    return _sum(weight * share if share else share for weight, share in pairs) / whole


def _sum(fractions: Iterable[Fraction]) -> Fraction:
    """The exact sum. Over a common denominator, which is reduced once, because each reduction takes its time."""
    over, below = 0, 1
    for one in fractions:
        if one.denominator != below:
            common = math.lcm(below, one.denominator)
            over, below = over * (common // below) + one.numerator * (common // one.denominator), common
        else:
            over += one.numerator
    return Fraction(over, below)
