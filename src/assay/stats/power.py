"""How much data it takes to show a difference between two agents on the same tasks.

The difference of two agents on a task has two sources of variance: tasks that suit one agent better than the
other, which only more tasks average out, and the chance of single attempts, which more attempts average out, too.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.stats.interval import LEVEL, CantSay, square, t_quantile
from assay.stats.paired import POWER, PairedTask

# Nobody runs more, and the search for a number must end somewhere.
MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class Variances:
    """The variance of the difference of two agents: between tasks, and of one attempt of either agent together."""

    tasks: float
    attempts: float

    def __post_init__(self) -> None:
        for name, value in (("between tasks", self.tasks), ("of attempts", self.attempts)):
            if not 0 <= value < math.inf:
                raise InputError(f"the variance {name} must be a finite number of at least 0, got {value:g}")

    def of_mean(self, tasks: float, attempts: float) -> float:
        """The variance of the mean difference over so many tasks with so many attempts of each agent."""
        return (self.tasks + self.attempts / attempts) / tasks


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal: a difference, with the chance of showing it, at the level of the interval."""

    difference: float
    power: float = POWER
    level: float = LEVEL

    def __post_init__(self) -> None:
        if not 0 < self.difference < math.inf:
            raise InputError(f"the difference must be a finite number above 0, got {self.difference:g}")
        if not 0.5 <= self.power < 1:
            raise InputError(f"the power must be from 0.5 to below 1, got {self.power:g}")

    def shown_by(self, variance: float, tasks: int) -> bool:
        """Whether a mean difference with this variance, over so many tasks, shows it often enough."""
        if tasks < 2:
            return False
        quantiles = t_quantile((1 + self.level) / 2, tasks - 1) + t_quantile(self.power, tasks - 1)
        return quantiles * math.sqrt(variance) <= self.difference


def tasks_needed(variances: Variances, attempts: int, goal: Goal) -> int | CantSay:
    """The fewest tasks that do with so many attempts of each agent at each."""
    if not goal.shown_by(variances.of_mean(MOST, attempts), MOST):
        return CantSay(f"more than {MOST:,} tasks")
    return _fewest(1, lambda tasks: goal.shown_by(variances.of_mean(tasks, attempts), tasks))


def attempts_needed(variances: Variances, tasks: int, goal: Goal) -> int | CantSay:
    """The fewest attempts of each agent at each of so many tasks that do."""
    if not goal.shown_by(variances.of_mean(tasks, MOST), tasks):
        return CantSay("no number of attempts is enough: only more tasks help")
    return _fewest(0, lambda attempts: goal.shown_by(variances.of_mean(tasks, attempts), tasks))


def _fewest(low: int, enough: Callable[[int], bool]) -> int:
    """The smallest number above ``low`` that is enough, as ``MOST`` is."""
    high = MOST
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def variances_of_pairs(tasks: Sequence[PairedTask]) -> Variances | CantSay:
    """The variances that two agents showed. Without repeated attempts, all of it counts as that between tasks."""
    if len(tasks) < 2:
        return CantSay("two agents need two tasks in common")
    differences = [task.difference for task in tasks]
    centre = math.fsum(differences) / len(tasks)
    found = math.fsum(square(one - centre) for one in differences) / (len(tasks) - 1)
    first, second = _of_attempts([task.first for task in tasks]), _of_attempts([task.second for task in tasks])
    by_chance = math.fsum(
        first / len(task.first) + second / len(task.second) for task in tasks
    ) / len(tasks)  # fmt: skip
    return Variances(max(0.0, found - by_chance), first + second)


def _of_attempts(tasks: Sequence[Sequence[float]]) -> float:
    degrees = sum(len(task) - 1 for task in tasks)
    if not degrees:
        return 0.0
    squares = math.fsum(
        square(reward - centre) for task in tasks for centre in [math.fsum(task) / len(task)] for reward in task
    )
    return squares / degrees


def cheapest_attempts(variances: Variances, of_task: float, of_attempt: float) -> float:
    """The attempts a task at which the least money buys the most: more only pay if a new task costs something."""
    if variances.tasks <= 0:
        return math.inf if of_task > 0 and variances.attempts > 0 else 1.0
    if of_attempt <= 0:
        return math.inf
    return max(1.0, math.sqrt(of_task * variances.attempts / (of_attempt * variances.tasks)))
