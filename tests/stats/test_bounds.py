"""What broken trials could do to a mean."""

import math

import pytest

from assay.stats.bounds import Bounds, bounds_of_mean
from assay.stats.interval import CantSay


@pytest.mark.parametrize(
    ("rewards", "broken", "bounds"),
    [
        ([1.0, 0.0], 0, Bounds(0.5, 0.5, 0)),
        ([1.0, 0.0, 0.5], 1, Bounds(0.375, 0.625, 1)),
        ([], 3, Bounds(0, 1, 3)),
        ([], 0, CantSay("there are no trials")),
        ([2.0], 1, CantSay("rewards lie outside of 0 to 1, so a broken trial could have got any")),
        ([math.nan], 1, CantSay("rewards lie outside of 0 to 1, so a broken trial could have got any")),
    ],
)
def test_bounds(rewards: list[float], broken: int, bounds: Bounds | CantSay) -> None:
    assert bounds_of_mean(rewards, broken) == bounds
