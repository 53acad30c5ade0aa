"""The only function that adds up rewards.

From Python 3.12 on, the builtin ``sum`` compensates floats (Neumaier's variant of Kahan's summation), so the
mean of ten 0.1 is 0.1 there and 0.09999999999999999 on 3.11. Harbor runs on 3.12, and Assay gives the
same result as 3.12 on every version, including the corner cases: ints are added exactly until the first float;
that float is added to the sum of the ints without compensation, and so are later ints; an int beyond the range of
a C long ends compensation for good.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

_LONG_MAX = 2**63 - 1
_LONG_MIN = -(2**63)


def total(values: Iterable[float]) -> float:
    """Add up the values exactly as ``sum`` of Python 3.12 does. The total of ints is an int."""
    rest = iter(values)
    head = _int_prefix(rest)
    if type(head) is float:
        head = _compensated(head, rest)
    # Any values left come after an int beyond the range of a C long, so they are added plainly.
    for value in rest:
        head = head + value
    return head


def mean(values: Sequence[float]) -> float:
    """The total divided by the count. An empty sequence has no mean and raises ``ZeroDivisionError``."""
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


def _compensated(start: float, rest: Iterator[float]) -> float:
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
