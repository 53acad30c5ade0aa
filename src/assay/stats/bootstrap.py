"""An interval of a mean without assuming a shape: the studentized bootstrap of whole tasks, with derived seeds."""

import math
from collections.abc import Sequence
from itertools import chain

from assay.stats.interval import Interval
from assay.stats.seeded import picks, seed_of

RESAMPLES = 999
METHOD = "bootstrap-t over tasks"
# No more resamples than this may be without spread.
_MOST_WITHOUT_SPREAD = 0.05


def bootstrap_t(totals: Sequence[float], sizes: Sequence[int], level: float) -> Interval | None:
    """The interval of the mean of all rewards, from the total and the number of the rewards of each task.

    None if the tasks are too much alike to be resampled: many resamples would have no spread.
    """
    # In an order of their own, so that the order of tasks changes nothing.
    ordered = sorted(zip(totals, sizes, strict=True))
    totals, sizes = [total for total, _ in ordered], [size for _, size in ordered]
    tasks = len(totals)
    mean, error = mean_and_error(totals, sizes)
    drawn = picks(seed_of(chain(totals, map(float, sizes))), RESAMPLES * tasks, tasks)
    found: list[float] = []
    for start in range(0, len(drawn), tasks):
        chosen = drawn[start : start + tasks]
        again, spread = mean_and_error([totals[i] for i in chosen], [sizes[i] for i in chosen])
        if spread > error * 1e-9:
            found.append((again - mean) / spread)
    if len(found) < (1 - _MOST_WITHOUT_SPREAD) * RESAMPLES:
        return None
    found.sort()
    outside = (1 - level) / 2 * (len(found) + 1)
    least, most = (
        found[max(0, math.floor(outside) - 1)],
        found[min(len(found), math.ceil(len(found) + 1 - outside)) - 1],
    )
    return Interval(mean - most * error, mean - least * error, level, METHOD)


def mean_and_error(totals: Sequence[float], sizes: Sequence[int]) -> tuple[float, float]:
    """The mean of all rewards and its standard error, with the task as the cluster."""
    tasks, n = len(totals), sum(sizes)
    mean = math.fsum(totals) / n
    residuals = [total - mean * size for total, size in zip(totals, sizes, strict=True)]
    squares = math.fsum([one * one for one in residuals])
    return mean, math.sqrt(squares * tasks / (tasks - 1)) / n
