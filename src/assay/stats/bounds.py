"""What a mean could have been, whatever the trials without a usable reward would have got."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.total import total
from assay.stats.interval import CantSay


@dataclass(frozen=True, slots=True)
class Bounds:
    """The mean of all trials if every broken one had got a 0, and if every one had got a 1."""

    low: float
    high: float
    broken: int


def bounds_of_mean(rewards: Sequence[float], broken: int) -> Bounds | CantSay:
    """The bounds from the rewards that are known and the number of trials without one."""
    if not all(map(math.isfinite, rewards)) or (rewards and not 0 <= min(rewards) <= max(rewards) <= 1):
        return CantSay("rewards lie outside of 0 to 1, so a broken trial could have got any")
    trials = len(rewards) + broken
    if not trials:
        return CantSay("there are no trials")
    known = total(rewards)
    return Bounds(known / trials, (known + broken) / trials, broken)
