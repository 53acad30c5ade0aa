"""What a mean could have been, whatever the runs without a usable answer would have got."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.total import total
from assay.stats.interval import CantSay


@dataclass(frozen=True, slots=True)
class Bounds:
    """The mean of all runs if every open one had got a 0, and if every one had got a 1."""

    low: float
    high: float
    broken: int
    uncontrolled: int = 0


def bounds_of_mean(rewards: Sequence[float], broken: int, uncontrolled: int = 0) -> Bounds | CantSay:
    """The bounds from the scores, the number of broken runs, and how many scores are an uncontrolled 0."""
    if rewards and not 0 <= min(rewards) <= max(rewards) <= 1:
        return CantSay("scores lie outside of 0 to 1, so a broken run could have got any")
    runs = len(rewards) + broken
    if not runs:
        return CantSay("there are no runs")
    known = total(rewards)
    return Bounds(known / runs, (known + broken + uncontrolled) / runs, broken, uncontrolled)
