"""Agreement of raters: percent, Cohen's kappa, Fleiss' kappa and Krippendorff's alpha, each with its interval.

A rater may be a person, a verifier or a judge; an item is what they rate, such as a run. Categories may be any
values that can be compared for equality. Functions for two raters take two sequences of the same length; those for
several take a sequence of items, each the ratings that it got, with None for a rating that is missing.

All four have the form (u - e) / (1 - e): u is an agreement between 0 and 1, averaged over the items, and e is the
one to be expected by chance. So all have the same interval: the standard error gives an effective number of items,
that number gives Wilson's interval of u, and the ends of that give those of the measure. It never leaves the
possible range, and perfect agreement on few items has a wide interval. Items must be independent of each other.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from assay.core.errors import InputError
from assay.stats.interval import LEVEL, CantSay, Interval, fewer_for_estimated_variance, rate_interval, square

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


Weights: TypeAlias = Literal["none", "linear", "quadratic"]
Ratings: TypeAlias = Sequence[Hashable | None]

# Rounding alone leaves a variance of this size where there is none.
_NO_VARIANCE = 1e-18


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of agreement over so many items. ``value`` is None where ``interval`` says why there is none."""

    measure: str
    value: float | None
    interval: Interval | CantSay
    items: int
    standard_error: float | None = None


def percent_agreement(one: Ratings, other: Ratings, level: float = LEVEL) -> Agreement:
    """The share of items on which two raters agree. Items that one of them didn't rate are left out."""
    pairs = _pairs(one, other)
    if not pairs:
        return _none("percent agreement", 0, "no item has both ratings")
    share = sum(a == b for a, b in pairs) / len(pairs)
    error = math.sqrt(share * (1 - share) / len(pairs))
    return Agreement("percent agreement", share, rate_interval(share, len(pairs), level), len(pairs), error)


def cohen_kappa(
    one: Ratings,
    other: Ratings,
    weights: Weights = "none",
    categories: Sequence[Hashable] = (),
    level: float = LEVEL,
) -> Agreement:
    """Cohen's kappa of two raters.

    With weights, being one category off counts as less than being far off: in proportion to the distance
    (``linear``) or to its square (``quadratic``). The order is that of ``categories``, which must name them all;
    without it, categories are sorted. The standard error is that of Fleiss, Cohen and Everitt.
    """
    pairs = _pairs(one, other)
    measure = "Cohen's kappa" if weights == "none" else f"Cohen's kappa, {weights} weights"
    if not pairs:
        return _none(measure, 0, "no item has both ratings")
    order = _order([rating for pair in pairs for rating in pair], categories, weights != "none")
    weight = _weights(order, weights)
    n, table = len(pairs), Counter(pairs)
    rows, columns = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    # Counts are divided last, so that an agreement of exactly 1 is seen as such.
    agreed = math.fsum(weight(*pair) * count for pair, count in table.items()) / n
    row_means = {a: math.fsum(weight(a, b) * count for b, count in columns.items()) / n for a in rows}
    column_means = {b: math.fsum(weight(a, b) * count for a, count in rows.items()) / n for b in columns}
    chance = math.fsum(row_means[a] * count for a, count in rows.items()) / n
    if chance >= 1:
        return _none(measure, n, "both raters gave every item the same category, so chance explains it all")
    if agreed == 1 and weights != "none":
        # Without a single difference, nothing says how large differences would be: as large as those by chance.
        return replace(cohen_kappa(one, other, level=level), measure=measure)
    squares = math.fsum(
        count * square(weight(a, b) * (1 - chance) - (row_means[a] + column_means[b]) * (1 - agreed))
        for (a, b), count in table.items()
    )
    centre = agreed * chance - 2 * chance + agreed
    variance = max(0.0, squares / n - square(centre)) / (n * square(square(1 - chance)))
    return _beyond_chance(measure, agreed, chance, variance, n, level)


def fleiss_kappa(items: Sequence[Ratings], level: float = LEVEL) -> Agreement:
    """Fleiss' kappa of several raters. Every item must have the same number of ratings, at least 2.

    The raters of one item needn't be those of another. The standard error leaves out one item at a time.
    """
    tables = [Counter(rating for rating in item if rating is not None) for item in items]
    sizes = {table.total() for table in tables}
    if len(sizes) > 1 or sizes & {0, 1}:
        raise InputError(
            "Fleiss' kappa needs the same number of ratings for each item, at least 2, got "
            f"{', '.join(map(str, sorted(sizes)))}; Krippendorff's alpha takes items with different numbers"
        )
    if not tables:
        return _none("Fleiss' kappa", 0, "there are no items")
    raters = sizes.pop()
    kinds = Counter(frozenset(table.items()) for table in tables)
    whole = EqualRatings(raters, tables)
    return _left_out("Fleiss' kappa", whole.parts, whole.without, kinds, level)


def krippendorff_alpha(items: Sequence[Ratings], metric: Metric = "nominal", level: float = LEVEL) -> Agreement:
    """Krippendorff's alpha of several raters, any of whom may have left items out.

    Items with fewer than two ratings don't count. ``metric`` says how far two categories are apart: equal or not
    (``nominal``), by rank (``ordinal``), or by their difference as numbers (``interval``). The standard error
    leaves out one item at a time.
    """
    tables = [Counter(rating for rating in item if rating is not None) for item in items]
    pairable = [table for table in tables if table.total() >= 2]
    measure = f"Krippendorff's alpha, {metric}"
    if not pairable:
        return _none(measure, 0, "no item has two ratings")
    kinds = Counter(frozenset(table.items()) for table in pairable)
    whole = Coincidences(pairable, metric)
    if metric != "nominal" and whole.parts is not None and whole.parts[0] == 1:
        return replace(krippendorff_alpha(items, level=level), measure=measure)  # As with kappa.
    return _left_out(measure, whole.parts, whole.without, kinds, level)


def _left_out(
    measure: str,
    whole: Parts | None,
    without: Callable[[Kind], Parts | None],
    kinds: Mapping[Kind, int],
    level: float,
) -> Agreement:
    """The measure with its jackknife variance. Items that are alike are left out once for all of them."""
    n = sum(kinds.values())
    if whole is None:
        return _none(measure, n, "every rating is the same category, so chance explains it all")
    if whole[0] == 1:
        return _beyond_chance(measure, *whole, 0.0, n, level)
    parts = [(without(kind), count) for kind, count in kinds.items()]
    values = [(_value(*part), count) for part, count in parts if part is not None]
    if len(values) < len(parts):
        reason = "without one of the items, every rating is the same category"
        return Agreement(measure, _value(*whole), CantSay(reason), n)
    centre = math.fsum(value * count for value, count in values) / n
    variance = (n - 1) / n * math.fsum(square(value - centre) * count for value, count in values)
    return _beyond_chance(measure, *whole, variance, n, level)


def _beyond_chance(measure: str, agreed: float, chance: float, variance: float, n: int, level: float) -> Agreement:
    value = _value(agreed, chance)
    if n < 2:
        return Agreement(measure, value, CantSay("one item says nothing about others"), n)
    of_agreed = variance * square(1 - chance)
    if of_agreed <= _NO_VARIANCE:
        inner = rate_interval(agreed, n, level)
    else:
        effective = fewer_for_estimated_variance(agreed * (1 - agreed) / of_agreed, n, level)
        inner = rate_interval(agreed, effective, level)
    low, high = max(-1.0, _value(inner.low, chance)), _value(inner.high, chance)
    return Agreement(measure, value, Interval(low, high, level, inner.method), n, math.sqrt(variance))


def _value(agreed: float, chance: float) -> float:
    return (agreed - chance) / (1 - chance)


def _none(measure: str, items: int, reason: str) -> Agreement:
    return Agreement(measure, None, CantSay(reason), items)


def _pairs(one: Ratings, other: Ratings) -> list[tuple[Hashable, Hashable]]:
    if len(one) != len(other):
        raise InputError(f"both raters must have a rating or None for each item, got {len(one)} and {len(other)}")
    return [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]


def _order(found: Sequence[Hashable], categories: Sequence[Hashable], needed: bool) -> dict[Hashable, int]:
    """The place of each category in their order."""
    if not categories:
        names = set(found)
        try:
            ordered: list[Hashable] = sorted(names)  # type: ignore[type-var]
        except TypeError:
            if needed:
                raise InputError("categories can't be sorted: pass them in their order") from None
            ordered = list(names)
        return {category: place for place, category in enumerate(ordered)}
    unknown = [category for category in found if category not in categories]
    if unknown:
        raise InputError(f"ratings must be one of {', '.join(map(repr, categories))}, got {unknown[0]!r}")
    return {category: place for place, category in enumerate(categories)}


def _weights(order: Mapping[Hashable, int], weights: Weights) -> Callable[[Hashable, Hashable], float]:
    if weights not in ("none", "linear", "quadratic"):
        raise InputError(f"weights must be none, linear or quadratic, got {weights!r}")
    if weights == "none":
        return lambda a, b: float(a == b)
    span = max(1, len(order) - 1)
    if weights == "linear":
        return lambda a, b: 1 - abs(order[a] - order[b]) / span
    return lambda a, b: 1 - square((order[a] - order[b]) / span)
