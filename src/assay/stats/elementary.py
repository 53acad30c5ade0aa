"""Logarithm and exponential from additions and multiplications alone.

Those of the C library differ in their last bit between machines, and a report must not. Everything here and in the
modules that build on it uses +, -, *, / and square roots, which are the same everywhere, and ``math.fsum``.
"""

import math
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
