"""How sure the numbers of a report are: intervals with the task as the unit, and bounds for broken trials."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

from assay.engine.task_rewards import TaskRewards
from assay.stats.attempts import Attempts
from assay.stats.bounds import Bounds, bounds_of_mean
from assay.stats.interval import CantSay
from assay.stats.means import Mean, clustered_mean
from assay.stats.passes import PassCurves, pass_curves


@dataclass(frozen=True, slots=True)
class GroupIntervals:
    """The intervals of one group of trials: the mean of the usable rewards, and pass@k and pass^k for every k."""

    mean: Mean
    passes: PassCurves


@dataclass(frozen=True, slots=True)
class GroupBounds:
    """What the mean of one group could have been. ``unplaced`` trials of the job may belong to any group."""

    bounds: Bounds | CantSay
    unplaced: int


def group_intervals(tasks: Mapping[str, TaskRewards], attempts: Mapping[str, Attempts]) -> GroupIntervals:
    """The intervals of one group from the rewards of its tasks and the attempts at them."""
    mean = clustered_mean([task.rewards for task in tasks.values()])
    if any(task.not_finite for task in tasks.values()):
        mean = replace(mean, value=None, interval=CantSay("a reward is NaN or infinite"), standard_error=None)
    return GroupIntervals(mean, pass_curves(list(attempts.values())))


def group_bounds(
    rewards: Mapping[str, Mapping[str, TaskRewards]], unread: int, *, only_group: bool
) -> dict[str, GroupBounds]:
    """The bounds of each group from the rewards of its tasks, if a trial of it is broken.

    ``unread`` trials have no result that says which group they are of. If there is only one group, they are its.
    """
    lost, unplaced = (unread, 0) if only_group else (0, unread)
    found: dict[str, GroupBounds] = {}
    for name, by_task in rewards.items():
        tasks = by_task.values()
        broken = lost + sum(task.broken for task in tasks)
        if broken or unplaced:
            known = list(chain.from_iterable(task.rewards for task in tasks))
            found[name] = GroupBounds(bounds_of_mean(known, broken), unplaced)
    return found
