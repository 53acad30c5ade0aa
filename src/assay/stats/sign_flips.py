"""The paired permutation test: if two agents were alike, each task's difference could as well have the other sign.

The p-value is the share of all ways to choose the signs whose sum is at least as far from 0 as the one found. It
is exact where the differences are multiples of a common step, as those of success rates are. Otherwise signs are
drawn from bits that follow from the data; and for thousands of tasks the sum is as good as normal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.stats.interval import normal_cdf
from assay.stats.means import random_bytes, seed_of

DRAWS = 9999
# Exact counting takes numbers of as many bits; drawing, tables for as many tasks.
_MOST_BITS = 4_000_000
_MOST_DRAWN = 2000
_LARGEST_STEP = 10_000
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PValue:
    """The result of a test of no difference."""

    p: float
    method: str


def sign_flip_test(differences: Sequence[float], steps: int = 1) -> PValue:
    """The two-sided test. ``steps`` times a difference may be whole, as attempts times one of success rates."""
    changed = [abs(one) for one in differences if abs(one) > _ROUNDING]
    found = abs(math.fsum(differences))
    if found <= _ROUNDING:
        return PValue(1.0, "paired permutation, exact")
    whole = _whole(changed, steps)
    if whole is not None and sum(whole) * _width(len(whole)) <= _MOST_BITS:
        return PValue(_count_exactly(whole, round(found * steps)), "paired permutation, exact")
    if len(changed) <= _MOST_DRAWN:
        return PValue(_estimate_by_drawing(changed, found), f"paired permutation, {DRAWS:,} draws")
    z = found / math.sqrt(math.fsum([one * one for one in changed]))
    return PValue(2 * normal_cdf(-z), "paired permutation, normal for many tasks")


def _whole(changed: Sequence[float], steps: int) -> list[int] | None:
    if steps > _LARGEST_STEP:
        return None
    whole = [round(one * steps) for one in changed]
    exact = all(abs(one * steps - number) <= _ROUNDING * steps for one, number in zip(changed, whole, strict=True))
    return whole if exact and all(whole) else None


def _width(tasks: int) -> int:
    """The bits of a field that can count all choices of signs, in whole bytes."""
    return (tasks // 8 + 1) * 8


def _count_exactly(whole: Sequence[int], found: int) -> float:
    """Exact, with one large number as a table: its field number s counts the choices with a positive sum of s."""
    width = _width(len(whole))
    table = 1
    for number in whole:
        table += table << (width * number)
    lowest = (sum(whole) - found) // 2
    size = width // 8
    low = (table & ((1 << width * (lowest + 1)) - 1)).to_bytes(size * (lowest + 1), "little")
    count = sum(int.from_bytes(low[at : at + size], "little") for at in range(0, len(low), size))
    return min(1.0, 2 * count / (1 << len(whole)))


def _estimate_by_drawing(changed: Sequence[float], found: float) -> float:
    """By drawing signs: eight tasks share a byte, whose 256 sums are known beforehand."""
    ordered = sorted(changed)
    tables = [_sums(ordered[at : at + 8]) for at in range(0, len(ordered), 8)]
    bits = random_bytes(seed_of(ordered), DRAWS * len(tables))
    least = found * (1 - _ROUNDING)
    extreme = sum(
        abs(math.fsum([table[byte] for table, byte in zip(tables, bits[at : at + len(tables)], strict=True)]))
        >= least
        for at in range(0, len(bits), len(tables))
    )
    return (extreme + 1) / (DRAWS + 1)


def _sums(values: Sequence[float]) -> list[float]:
    return [
        math.fsum(value if byte >> place & 1 else -value for place, value in enumerate(values))
        for byte in range(256)
    ]
