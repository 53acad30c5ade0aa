"""Pure functions from placed outcomes, or from rows of evidence, to a number or a verdict.

Each dialect has its own rule for an answer without a score (``Unscored``) and its own value if nothing counts,
which is None here: 0.0 for evaluation and criteria, N/A for scorers. No rollup rounds to fewer digits.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Protocol

from assay.core.grading import Placed
from assay.core.outcome import NotApplicable, Scored
from assay.core.total import exact_share, total


class Unscored(Enum):
    """How an outcome without a score counts in a mean or a minimum."""

    ZERO = "zero"
    LEFT_OUT = "left out"


class Verdict(Enum):
    """The verdict of a gate."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    NOT_APPLICABLE = "N/A"


def weighted_mean(placed: Iterable[Placed], unscored: Unscored) -> float | None:
    """The weighted mean of the scores. None if nothing counts or all weights are 0."""
    counted = _counted_scores(placed, unscored)
    weight = total(w for w, _ in counted)
    if math.isinf(weight):
        # Dividing by a power of two is exact, and brings weights near the largest float back into range.
        counted = [(math.ldexp(w, -64), score) for w, score in counted]
        weight = total(w for w, _ in counted)
    if weight == 0:
        return None
    raw = total(w * score for w, score in counted) / weight
    # The exact mean lies between the extremes; rounding in the products may push it out by a last bit.
    return min(max(raw, min(s for w, s in counted if w)), max(s for w, s in counted if w))


def exact_mean(placed: Iterable[Placed]) -> float | None:
    """The weighted mean in exact numbers, rounded once; an answer without a score counts as 0.

    None if nothing counts or all weights are 0.
    """
    shares = ((one.placement.weight, _share(one)) for one in placed)
    mean = exact_share(shares)
    return None if mean is None else float(mean)


def _share(placed: Placed) -> Fraction:
    return placed.outcome.share if isinstance(placed.outcome, Scored) else Fraction()


def lowest(placed: Iterable[Placed], unscored: Unscored) -> float | None:
    """The lowest score; weights are ignored. None if nothing counts."""
    return min((score for _, score in _counted_scores(placed, unscored)), default=None)


def gate(placed: Iterable[Placed]) -> Verdict:
    """FAIL if a required outcome failed or broke; N/A if nothing was checked; otherwise PASS.

    An advisory outcome never makes the verdict FAIL, but its score shows that something was checked.
    """
    applicable = [p for p in placed if _is_counted(p)]
    if not applicable:
        return Verdict.NOT_APPLICABLE
    required = [p.outcome for p in applicable if p.placement.required]
    return Verdict.PASS if all(isinstance(o, Scored) and o.passed for o in required) else Verdict.FAIL


def _is_counted(placed: Placed) -> bool:
    """Whether an outcome counts: a score does, and so does a required check that broke."""
    return isinstance(placed.outcome, Scored) or (
        placed.placement.required and not isinstance(placed.outcome, NotApplicable)
    )


def by_axis(placed: Iterable[Placed]) -> dict[str | None, list[Placed]]:
    """The placed outcomes of each axis, in the order in which the axes first appear."""
    axes: dict[str | None, list[Placed]] = {}
    for one in placed:
        axes.setdefault(one.placement.axis, []).append(one)
    return axes


def _counted_scores(placed: Iterable[Placed], unscored: Unscored) -> Sequence[tuple[float, float]]:
    """Weight and score of every outcome that counts."""
    return [
        (one.placement.weight, one.outcome.score if isinstance(one.outcome, Scored) else 0.0)
        for one in placed
        if isinstance(one.outcome, Scored) or unscored is Unscored.ZERO
    ]


Row = Mapping[str, object]


class Weighted(Protocol):
    """A row's rule."""

    @property
    def weight(self) -> float: ...


def scored_rows(rules: Sequence[Weighted], rows: Sequence[Row], under: str, what: str, **more: object) -> Scored:
    """The outcome for ``what``: a row for each rule, with its ``path`` and whether it ``passed``.

    Evidence has the rows under the name ``under``, beside ``more``.
    """
    failed = [str(row["path"]) for row in rows if not row["passed"]]
    share = _share_of_rows(rules, rows) if failed else Fraction(1)
    summary = f"{what}: {len(rows) - len(failed)} of {len(rows)} fields as expected"
    if failed:
        summary += f", first {failed[0]}"
    return Scored(float(share), not failed, summary, {under: list(rows), **more}, share)


def nothing_to_score(rows: Sequence[Row], under: str, why: str, **more: object) -> Scored:
    """The outcome where there is nothing to look at, so that no row can pass."""
    return Scored(0.0, False, why, {under: list(rows), **more})


def _share_of_rows(rules: Sequence[Weighted], rows: Sequence[Row]) -> Fraction:
    """Where no rule has a weight, there is nothing to share: some row has failed, so nothing is earned."""
    earned = ((rule.weight, Fraction(bool(row["passed"]))) for rule, row in zip(rules, rows, strict=True))
    return exact_share(earned) or Fraction()
