"""Several agents: Holm's correction against statsmodels, and ranks."""

from typing import Any

import pytest

from assay.stats.ranking import Ranks, holm, rank_ranges
from tests.stats.oracles import oracle


@pytest.mark.parametrize("one", oracle("holm"))
def test_holm_is_that_of_statsmodels(one: Any) -> None:
    assert holm(one["p"]) == pytest.approx(one["adjusted"], abs=1e-12)


def test_no_p_values_stay_none() -> None:
    assert holm([]) == []


def test_ranks_are_as_wide_as_what_is_not_shown() -> None:
    assert rank_ranges(3, {}) == [Ranks(1, 3)] * 3
    assert rank_ranges(3, {0: {1, 2}, 1: {2}}) == [Ranks(1, 1), Ranks(2, 2), Ranks(3, 3)]
    assert rank_ranges(3, {0: {2}}) == [Ranks(1, 2), Ranks(1, 3), Ranks(2, 3)]
