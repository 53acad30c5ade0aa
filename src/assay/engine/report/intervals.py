"""How sure the numbers of a report are: intervals with the task as the unit, and bounds for open runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from assay.engine.report.task_rewards import TaskRewards
from assay.stats.bounds import Bounds, bounds_of_mean
from assay.stats.interval import CantSay
from assay.stats.means import Mean, clustered_mean
from assay.stats.passes import Attempts, PassCurves, pass_curves


@dataclass(frozen=True, slots=True)
class GroupIntervals:
    """The intervals of one group of runs: the mean of their scores, and pass@k and pass^k for every k."""

    mean: Mean
    passes: PassCurves


@dataclass(frozen=True, slots=True)
class GroupBounds:
    """What the mean of one group could have been. ``unplaced`` runs of the job may belong to any group."""

    bounds: Bounds | CantSay
    unplaced: int


def group_intervals(tasks: Mapping[str, TaskRewards], attempts: Mapping[str, Attempts]) -> GroupIntervals:
    """The intervals of one group from the scores of its tasks and the attempts at them."""
    return GroupIntervals(
        clustered_mean([task.rewards for task in tasks.values()]), pass_curves(list(attempts.values()))
    )


def group_bounds(
    rewards: Mapping[str, Mapping[str, TaskRewards]], lost: int, *, only_group: bool
) -> dict[str, GroupBounds]:
    """The bounds of each group from the scores of its tasks, if a run of it is open.

    ``lost`` broken runs have no result that says which group they are of. If there is only one, they are its.
    """
    placed, unplaced = (lost, 0) if only_group else (0, lost)
    found: dict[str, GroupBounds] = {}
    for name, by_task in rewards.items():
        tasks = by_task.values()
        if placed or unplaced or any(task.open for task in tasks):
            known = list(chain.from_iterable(task.rewards for task in tasks))
            broken = placed + sum(task.broken for task in tasks)
            uncontrolled = sum(task.uncontrolled for task in tasks)
            found[name] = GroupBounds(bounds_of_mean(known, broken, uncontrolled), unplaced)
    return found
