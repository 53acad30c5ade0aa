"""The only functions that add up rewards, in floats as Python 3.12 does, or exactly.

From Python 3.12 on, the builtin ``sum`` compensates floats (Neumaier's variant of Kahan's summation), so the
mean of ten 0.1 is 0.1 there and 0.09999999999999999 on 3.11. Harbor runs on 3.12, and Assay gives the
same result as 3.12 on every version, including the corner cases: ints are added exactly until the first float;
that float is added to the sum of the ints without compensation, and so are later ints; an int beyond the range of
a C long ends compensation for good.

Shares and means by weight are exact: a weight is the decimal that was written, and a float is made once, at the
end. In floats, 0.7 + 0.2 of 0.7 + 0.2 + 0.1 is 0.8999999999999999, so a run that earned 0.9 would miss that
threshold.
"""

import functools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from itertools import islice


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
    rest, whole, n = iter(numbers), Fraction(0), 0
    # In parts: most often, few numbers occur many times, but there may be as many as one likes.
    while counts := Counter(islice(rest, _COUNTED)):
        whole += _sum(Fraction(*number.as_integer_ratio()) * count for number, count in counts.items())
        n += counts.total()
    return float(whole / n)


_COUNTED = 1 << 14


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


_LONG_MAX = 2**63 - 1
_LONG_MIN = -(2**63)


def total(values: Iterable[float]) -> float:
    """Add up the values exactly as ``sum`` of Python 3.12 does. The total of ints is an int."""
    rest = iter(values)
    head = _int_prefix(rest)
    if type(head) is float:
        head = _compensated_sum(head, rest)
    # Any values left come after an int beyond the range of a C long, so they are added plainly.
    for value in rest:
        head = head + value
    return head


def mean(values: Collection[float]) -> float:
    """The total divided by the count. An empty collection has no mean and raises ``ZeroDivisionError``."""
    return total(values) / len(values)


def _int_prefix(rest: Iterator[float]) -> float:
    """Add ints exactly, up to and including the first value that is a float or overflows a C long."""
    exact = 0
    for value in rest:
        added = exact + value
        if not isinstance(value, int) or not _LONG_MIN <= added <= _LONG_MAX or not _fits(value):
            return added
        exact = int(added)
    return exact


def _compensated_sum(start: float, rest: Iterator[float]) -> float:
    """Neumaier's summation. Returns early, with plain addition done, at an int beyond a C long."""
    result = start
    lost = 0.0
    for value in rest:
        if type(value) is float:
            added = result + value
            lost += (result - added) + value if abs(result) >= abs(value) else (value - added) + result
            result = added
        elif isinstance(value, int) and _fits(value):
            result += float(value)
        else:
            return _with(result, lost) + value
    return _with(result, lost)


def _with(result: float, lost: float) -> float:
    """Add the amount lost to rounding, unless it is infinite or NaN, which would spoil an infinite sum."""
    return result + lost if lost and math.isfinite(lost) else result


def _fits(value: int) -> bool:
    return _LONG_MIN <= value <= _LONG_MAX
