"""Where the variance of rewards comes from: the tasks, the attempts at them, and the verifier itself.

A reward is taken as the sum of four parts: the mean, what the task adds, what the attempt adds, and what the
verifier adds each time it looks. The variances of the last three are estimated from their mean squares. Chance can
make an estimate negative; then it is 0.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from assay.stats.interval import LEVEL, CantSay, Interval, clopper_pearson, square
from assay.stats.means import clustered_mean


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """The variance of a single reward by its source. None where nothing was repeated, so that it can't be told.

    Without repeated attempts, the part of the attempts is in that of the tasks; without repeated gradings, that of
    the verifier is in that of the attempts.
    """

    tasks: float
    attempts: float | None
    verifier: float | None

    @property
    def total(self) -> float:
        """The variance of a reward of any task."""
        return math.fsum((self.tasks, self.attempts or 0.0, self.verifier or 0.0))


def variance_parts(tasks: Sequence[Sequence[Sequence[float]]]) -> VarianceParts | CantSay:
    """The parts from tasks, each a sequence of runs, each the rewards of its gradings."""
    means = _means_of_runs(tasks)
    if len(means) < 2:
        return CantSay("one task says nothing about others" if means else "there are no rewards")
    several = [run for task in tasks for run in task if len(run) > 1]
    verifier = _within(several)
    of_runs = _within(means)
    of_verifier = (
        0.0 if verifier is None else verifier * _mean_share([run for task in tasks for run in task if run])
    )
    centres = [_mean(task) for task in means]
    centre = _mean(centres)
    of_tasks = math.fsum(square(one - centre) for one in centres) / (len(centres) - 1)
    by_chance = (of_runs or 0.0) * _mean_share(means)
    attempts = None if of_runs is None else max(0.0, of_runs - of_verifier)
    left = of_verifier if of_runs is None else by_chance
    return VarianceParts(max(0.0, of_tasks - left), attempts, verifier)


def _means_of_runs(tasks: Sequence[Sequence[Sequence[float]]]) -> list[Sequence[float]]:
    """The mean of each run that has a reward, for the tasks that have such runs."""
    found = (array("d", (run[0] if len(run) == 1 else _mean(run) for run in task if run)) for task in tasks)
    return [task for task in found if task]


def _mean_share(groups: Sequence[Sequence[float]]) -> float:
    """The share that one member has in the mean of its group, on average."""
    return math.fsum(1 / len(group) for group in groups) / len(groups)


def _within(groups: Sequence[Sequence[float]]) -> float | None:
    """The variance within groups, pooled; None if none has two members."""
    several = [group for group in groups if len(group) > 1]
    if not several:
        return None
    squares = (square(one - centre) for group in several for centre in [_mean(group)] for one in group)
    return math.fsum(squares) / sum(len(group) - 1 for group in several)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def without_verifier_noise(
    tasks: Sequence[Sequence[Sequence[float]]], parts: VarianceParts | CantSay, level: float = LEVEL
) -> Interval | CantSay:
    """The interval that the mean of the first gradings would have with a verifier that never wavers.

    The standard error is the one found less the verifier's part of it, as in the variance ``parts`` of the tasks.
    """
    if isinstance(parts, CantSay) or parts.verifier is None:
        return CantSay("no run was graded twice, so the verifier's noise isn't known")
    mean = clustered_mean([[run[0] for run in task if run] for task in tasks], level)
    if isinstance(mean.interval, CantSay) or mean.standard_error is None or mean.value is None:
        return mean.interval
    found = square(mean.standard_error)
    steady = max(0.0, found - parts.verifier / mean.n)
    share = math.sqrt(steady / found) if found > 0 else 1.0
    low = mean.value - share * (mean.value - mean.interval.low)
    high = mean.value + share * (mean.interval.high - mean.value)
    return Interval(low, high, level, mean.interval.method)


@dataclass(frozen=True, slots=True)
class Wavering:
    """How often something gave another answer: of so many looks, so many, with the interval of the rate."""

    name: str
    changed: int
    looks: int
    interval: Interval

    @property
    def rate(self) -> float:
        """The share of looks that gave another answer."""
        return self.changed / self.looks


def wavering(name: str, answers: Sequence[Sequence[float]], level: float = LEVEL) -> Wavering | None:
    """How often a later answer about the same thing differs from the first. None if nothing was asked twice."""
    looks = sum(len(one) - 1 for one in answers if one)
    if not looks:
        return None
    changed = sum(later != one[0] for one in answers if one for later in one[1:])
    return Wavering(name, changed, looks, clopper_pearson(changed, looks, level))
