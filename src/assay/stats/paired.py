"""Whether two agents differ, from the tasks that both attempted: the difference of each task counts once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.stats.interval import (
    LEVEL,
    CantSay,
    Interval,
    binomial_at_most,
    clopper_pearson,
    normal_quantile,
    square,
    t_quantile,
)
from assay.stats.means import LARGEST_REWARD, clustered_mean
from assay.stats.sign_flips import PValue, sign_flip_test

POWER = 0.8
# Counting choices exactly takes too long for more tasks that differ.
_MOST_COUNTED = 2000


@dataclass(frozen=True, slots=True)
class PairedTask:
    """The rewards of two agents on one task, at least one each."""

    name: str
    first: Sequence[float]
    second: Sequence[float]

    @property
    def difference(self) -> float:
        """How much better the second agent is, on average over its attempts. Rounded, so that equal ones are."""
        value = math.fsum(self.second) / len(self.second) - math.fsum(self.first) / len(self.first)
        return round(value, 12)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second agent is on the tasks that both have, and how sure that is.

    ``smallest`` is the difference that data like these would show four times out of five.
    """

    value: float | None
    interval: Interval | CantSay
    standard_error: float | None
    test: PValue | CantSay
    tasks: int
    smallest: float | None


def paired_difference(tasks: Sequence[PairedTask], level: float = LEVEL) -> Difference:
    """The mean difference over tasks, with its interval and the test of no difference."""
    reason = _unusable(tasks)
    if reason is not None:
        return Difference(None, CantSay(reason), None, CantSay(reason), len(tasks), None)
    differences = [task.difference for task in tasks]
    value = math.fsum(differences) / len(tasks)
    if len(tasks) == 1:
        alone = CantSay("one task says nothing about others")
        return Difference(value, alone, None, alone, 1, None)
    error = math.sqrt(math.fsum(square(one - value) for one in differences) / (len(tasks) - 1) / len(tasks))
    once = all(_once(task) for task in tasks)
    within = all(0 <= reward <= 1 for task in tasks for reward in (*task.first, *task.second))
    interval = _of_pairs(differences, level) if once else _of_differences(differences, within, level)
    test = mcnemar(differences) if once else sign_flip_test(differences, _steps(tasks))
    return Difference(value, interval, error, test, len(tasks), _smallest(error, interval, len(tasks), level))


def _unusable(tasks: Sequence[PairedTask]) -> str | None:
    if not tasks:
        return "there is no task that both have a reward for"
    for task in tasks:
        for one in (*task.first, *task.second):
            if not abs(one) <= LARGEST_REWARD:
                return f"the rewards of {task.name} must be finite and below {LARGEST_REWARD:g}, got {one:g}"
    return None


def _once(task: PairedTask) -> bool:
    return len(task.first) == len(task.second) == 1 and {task.first[0], task.second[0]} <= {0, 1}


def _steps(tasks: Sequence[PairedTask]) -> int:
    """A number that turns differences of success rates into whole ones."""
    steps = 1
    for task in tasks:
        steps = math.lcm(steps, len(task.first), len(task.second))
        if steps > 1_000_000:
            break
    return steps


def mcnemar(differences: Sequence[float]) -> PValue:
    """McNemar's exact test for one attempt of either agent that passed or failed: 1, 0 or -1 for each task."""
    better, worse = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    n, fewer = better + worse, min(better, worse)
    if n <= _MOST_COUNTED:
        p = min(1.0, 2 * sum(math.comb(n, i) for i in range(fewer + 1)) / (1 << n))
    else:
        p = min(1.0, 2 * binomial_at_most(fewer, n, 0.5))
    return PValue(p, "McNemar, exact")


def _of_pairs(differences: Sequence[float], level: float) -> Interval:
    """The interval of Bonett and Price: with one task added on which each agent is the better one."""
    n = len(differences) + 2
    better = (sum(one > 0 for one in differences) + 1) / n
    worse = (sum(one < 0 for one in differences) + 1) / n
    half = normal_quantile((1 + level) / 2) * math.sqrt((better + worse - square(better - worse)) / n)
    centre = better - worse
    return Interval(max(-1.0, centre - half), min(1.0, centre + half), level, "Bonett and Price")


def _of_differences(differences: Sequence[float], within: bool, level: float) -> Interval | CantSay:
    """``within`` says that all rewards lie between 0 and 1, and so all differences between -1 and 1."""
    if len(set(differences)) == 1:
        return _all_equal(differences[0], len(differences), level) if within else CantSay("all tasks differ alike")
    if not within:
        return clustered_mean([[one] for one in differences], level).interval
    # Moved to between 0 and 1, they are like shares.
    found = clustered_mean([[(one + 1) / 2] for one in differences], level).interval
    if isinstance(found, CantSay):
        return found
    return Interval(2 * found.low - 1, 2 * found.high - 1, level, found.method)


def _all_equal(value: float, tasks: int, level: float) -> Interval:
    """Where every task has the same difference, others may still have any, as many as could have been missed."""
    missed = clopper_pearson(0, tasks, level).high
    return Interval(value * (1 - missed) - missed, value * (1 - missed) + missed, level, "exact binomial")


def _smallest(error: float, interval: Interval | CantSay, tasks: int, level: float) -> float | None:
    if error > 0:
        return error * (t_quantile((1 + level) / 2, tasks - 1) + t_quantile(POWER, tasks - 1))
    return None if isinstance(interval, CantSay) else (interval.high - interval.low) / 2
