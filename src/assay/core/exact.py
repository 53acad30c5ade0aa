"""Exact shares and means: a weight is the decimal that was written, and a float is made once, at the end.

In floats, 0.7 + 0.2 of 0.7 + 0.2 + 0.1 is 0.8999999999999999, so a run that earned 0.9 would miss that threshold.
"""

from collections.abc import Iterable
from fractions import Fraction


def written(number: float) -> Fraction:
    """The shortest decimal that is read as this number, which is the one that people write: 0.7 is 7/10."""
    return Fraction(str(number))


def exact_total(numbers: Iterable[float]) -> float:
    """The sum of decimals as they were written."""
    return float(sum(map(written, numbers), Fraction()))


def exact_share(earned: Iterable[tuple[float, Fraction]]) -> Fraction | None:
    """The mean of shares by their weights. None if there are none, or all weights are 0."""
    pairs = [(written(weight), share) for weight, share in earned]
    whole = sum((weight for weight, _ in pairs), Fraction())
    return sum((weight * share for weight, share in pairs), Fraction()) / whole if whole else None
