"""Exact shares: decimals as they were written, and one rounding."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.grading import Placed, Placement
from assay.core.outcome import Scored
from assay.core.rollup import exact_mean
from assay.core.total import exact_share, exact_total, written


@given(st.decimals(0, 10**9, places=6))
def test_a_weight_is_the_decimal_that_was_written(decimal: Decimal) -> None:
    assert written(float(decimal)) == Fraction(decimal)


def test_totals_and_shares() -> None:
    assert exact_total([0.1] * 3) == 0.3
    assert exact_total([]) == 0
    assert exact_share([]) is None
    assert exact_share([(0, Fraction(1))]) is None
    assert exact_share([(0.1, Fraction(1)), (0.2, Fraction(0))]) == Fraction(1, 3)


def test_a_score_and_its_fraction_must_be_the_same() -> None:
    assert Scored(0.5, False, exact=Fraction(1, 2)).share == Fraction(1, 2)
    assert Scored(0.1, False).share == Fraction(1, 10)
    with pytest.raises(ValueError, match="must be its exact fraction"):
        Scored(0.5, False, exact=Fraction(1, 3))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e300)), min_size=1))
def test_an_exact_mean_lies_between_its_scores(pairs: list[tuple[float, float]]) -> None:
    mean = exact_mean([Placed(Placement("a", weight), Scored(score, False)) for score, weight in pairs])
    scores = [score for score, weight in pairs if weight]
    assert mean is None if not scores else min(scores) <= (mean or 0.0) <= max(scores)
