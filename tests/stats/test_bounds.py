"""What broken runs, and unusable ones that nobody looked into, could do to a mean."""

import math

import pytest

from assay.stats.interval import CantSay
from assay.stats.means import Bounds, bounds_of_mean


@pytest.mark.parametrize(
    ("rewards", "broken", "uncontrolled", "bounds"),
    [
        ([1.0, 0.0], 0, 0, Bounds(0.5, 0.5, 0)),
        ([1.0, 0.0, 0.5], 1, 0, Bounds(0.375, 0.625, 1)),
        ([], 3, 0, Bounds(0, 1, 3)),
        # An uncontrolled 0 is among the scores already: only the upper bound moves.
        ([1.0, 0.0], 0, 1, Bounds(0.5, 1.0, 0, 1)),
        ([1.0, 0.0, 0.0, 0.5], 1, 1, Bounds(0.3, 0.7, 1, 1)),
        ([], 0, 0, CantSay("there are no runs")),
        ([2.0], 1, 0, CantSay("scores lie outside of 0 to 1, so a broken run could have got any")),
        ([math.nan], 1, 0, CantSay("scores lie outside of 0 to 1, so a broken run could have got any")),
    ],
)
def test_bounds(rewards: list[float], broken: int, uncontrolled: int, bounds: Bounds | CantSay) -> None:
    assert bounds_of_mean(rewards, broken, uncontrolled) == bounds
