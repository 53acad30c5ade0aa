"""The intervals of a single rate."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.interval import clopper_pearson, fewer_for_estimated_variance, rate_interval, wilson
from tests.stats.oracles import oracle


@pytest.mark.parametrize("one", oracle("rates"), ids=lambda one: f"{one['c']}of{one['n']}at{one['level']}")
def test_rates_are_those_of_statsmodels(one: Any) -> None:
    found = wilson(one["c"] / one["n"], one["n"], one["level"])
    assert (found.low, found.high) == pytest.approx(one["wilson"], abs=1e-9)
    exact = clopper_pearson(one["c"], one["n"], one["level"])
    assert (exact.low, exact.high) == pytest.approx(one["exact"], abs=1e-9)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_rate_and_has_a_width(counts: tuple[int, int]) -> None:
    c, n = counts
    found = rate_interval(c / n, n)
    assert 0 <= found.low <= c / n <= found.high <= 1
    assert found.high - found.low > 0.001


@pytest.mark.parametrize(("c", "end"), [(0, 0.30849710781876083), (10, 0.6915028921812392)])
def test_at_0_and_1_it_is_exact(c: int, end: float) -> None:
    """The end where (1 - p)**10 is 0.025."""
    found = rate_interval(c / 10, 10)
    assert (found.high if c == 0 else found.low) == pytest.approx(end, abs=1e-12)
    assert found.method == "exact binomial"


def test_fewer_units_count_for_less() -> None:
    assert fewer_for_estimated_variance(100, 10_000) == pytest.approx(100, rel=1e-3)
    assert fewer_for_estimated_variance(100, 3) == pytest.approx(
        100 * (1.959963984540054 / 4.302652729749464) ** 2
    )
