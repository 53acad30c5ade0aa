"""The pictures of reports and comparisons, for the command line and for pages."""

from collections.abc import Mapping

from assay.dialects.criteria.models import DEFAULT_AXIS, AxisScore
from assay.engine.report.compare import ArmComparison
from assay.engine.report.intervals import GroupIntervals
from assay.stats.interval import CantSay
from assay.stats.pictures import Point, bars, curve, differences, forest

_NO_INTERVAL = CantSay("one run has no interval")
_NONE = CantSay("single tasks have no interval")


def comparison_svg(found: ArmComparison) -> str:
    """The differences by task of two agents, or the means of more of them with their intervals."""
    if len(found.agents) > 2:
        known = [(agent.arm.label, agent.mean) for agent in found.agents]
        points = [Point(label, mean.value, mean.interval) for label, mean in known if mean.value is not None]
        return forest("Mean reward of each agent, 95 % intervals", points, axis="mean reward")
    [pair] = found.pairs
    tasks = [Point(task.task, task.difference, _NONE) for task in pair.tasks if task.difference]
    ordered = sorted(tasks, key=lambda one: (-one.value, one.name))
    return differences(
        f"{pair.second} against {pair.first}, by task", ordered, axis="difference of the mean rewards"
    )


def axes_svg(axes: Mapping[str, AxisScore]) -> str:
    """The score of each axis of a task run. Criteria without an axis are called so."""
    points = [
        Point("no axis" if name == DEFAULT_AXIS else name, one.score, _NO_INTERVAL) for name, one in axes.items()
    ]
    return bars("Score by axis, from 0 to 1", points)


def pass_at_k_svg(name: str, found: GroupIntervals) -> str:
    """The pass@k curve of one group with its band."""
    points = [Point(f"k={rate.k}", rate.value, rate.interval) for rate in found.passes.at]
    return curve(f"pass@k of {name}, 95 % band over tasks", points)
