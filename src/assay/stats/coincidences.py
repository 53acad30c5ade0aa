"""Observed agreement and agreement by chance from counts of ratings, of all items or of all but one."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from assay.core.errors import InputError
from assay.stats.elementary import square

Metric: TypeAlias = Literal["nominal", "ordinal", "interval"]
Kind: TypeAlias = frozenset[tuple[Hashable, int]]
Parts: TypeAlias = tuple[float, float]


class EqualRatings:
    """Observed and expected agreement of items with equally many ratings, of all or without one."""

    def __init__(self, raters: int, tables: Sequence[Mapping[Hashable, int]]) -> None:
        self._raters = raters
        self._items = len(tables)
        self._counts: Counter[Hashable] = Counter()
        self._pairs = 0
        for table in tables:
            self._counts.update(table)
            self._pairs += _equal_pairs(table)

    @property
    def parts(self) -> Parts | None:
        return self._parts(self._items, self._pairs, {})

    def without(self, kind: Kind) -> Parts | None:
        table = dict(kind)
        return self._parts(self._items - 1, self._pairs - _equal_pairs(table), table)

    def _parts(self, items: int, pairs: int, less: Mapping[Hashable, int]) -> Parts | None:
        ratings = items * self._raters
        if not items:
            return None
        left = (count - less.get(category, 0) for category, count in self._counts.items())
        squares = sum(count * count for count in left)
        # In whole numbers up to here, so that a chance of exactly 1 is seen as such.
        if squares == ratings * ratings:
            return None
        return pairs / (ratings * (self._raters - 1)), squares / (ratings * ratings)


class Coincidences:
    """Observed and expected agreement from coincidences, of all items or without one.

    Agreement is 1 less the distance as a share of the largest possible one, so it lies between 0 and 1.
    """

    def __init__(self, tables: Sequence[Mapping[Hashable, int]], metric: Metric) -> None:
        self._metric = metric
        self._counts: Counter[Hashable] = Counter()
        for table in tables:
            self._counts.update(table)
        self._distance = _distances(self._counts, metric)
        self._observed = math.fsum(self._of_item(table) for table in tables)
        self._expected = math.fsum(
            count * other * self._distance(a, b)
            for a, count in self._counts.items()
            for b, other in self._counts.items()
        )

    @property
    def parts(self) -> Parts | None:
        return _from_distances(self._observed, self._expected, self._counts.total())

    def without(self, kind: Kind) -> Parts | None:
        table = dict(kind)
        left = math.fsum(
            2 * count * other * self._distance(a, b)
            for a, count in table.items()
            for b, other in self._counts.items()
        ) - math.fsum(
            count * other * self._distance(a, b) for a, count in table.items() for b, other in table.items()
        )
        total = self._counts.total() - sum(table.values())
        return _from_distances(self._observed - self._of_item(table), self._expected - left, total)

    def _of_item(self, table: Mapping[Hashable, int]) -> float:
        ratings = sum(table.values())
        far = math.fsum(
            count * other * self._distance(a, b) for a, count in table.items() for b, other in table.items()
        )
        return far / (ratings - 1)


def _from_distances(observed: float, expected: float, ratings: int) -> Parts | None:
    if ratings < 2 or expected <= 1e-12:
        return None
    return 1 - observed / ratings, 1 - expected / (ratings * (ratings - 1))


def _distances(counts: Mapping[Hashable, int], metric: Metric) -> Callable[[Hashable, Hashable], float]:
    """How far two categories are apart, squared, as a share of the largest distance."""
    if metric == "nominal":
        return lambda a, b: float(a != b)
    if metric not in ("ordinal", "interval"):
        raise InputError(f"metric must be nominal, ordinal or interval, got {metric!r}")
    for category in counts:
        finite = isinstance(category, int) or (isinstance(category, float) and math.isfinite(category))
        if isinstance(category, bool) or not finite:
            raise InputError(f"{metric} ratings must be finite numbers, got {category!r}")
    places = dict(_places(counts, metric))
    span = max(places.values()) - min(places.values()) or Fraction(1)
    return lambda a, b: square(float((places[a] - places[b]) / span))


def _places(counts: Mapping[Hashable, int], metric: Metric) -> Iterator[tuple[Hashable, Fraction]]:
    """Where each category is on a line: its number, or the middle of its ranks."""
    below = 0
    for category in sorted(counts):  # type: ignore[type-var]
        number = Fraction(category)  # type: ignore[call-overload]
        yield category, number if metric == "interval" else below + Fraction(counts[category], 2)
        below += counts[category]


def _equal_pairs(table: Mapping[Hashable, int]) -> int:
    return sum(count * (count - 1) for count in table.values())
