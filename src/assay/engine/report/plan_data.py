"""How many tasks and attempts it takes to show a difference, and which of them is cheaper to add."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.engine.report.compare import ArmPair, compare
from assay.engine.report.compare_arms import Arm, Arms
from assay.stats.interval import CantSay
from assay.stats.noise import variance_parts
from assay.stats.power import (
    Goal,
    Variances,
    attempts_needed,
    cheapest_attempts,
    tasks_needed,
    variances_of_pairs,
)


@dataclass(frozen=True, slots=True)
class Pilot:
    """A pilot's results: the variances, how large it was, what a trial costs, and how all that was found out."""

    variances: Variances
    source: str
    tasks: int | None = None
    attempts: int | None = None
    cost_per_trial: float | None = None
    uncertainty: float | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """So many tasks with so many attempts of each of two agents. ``tasks`` says why there is no such number."""

    attempts: int
    tasks: int | CantSay
    trials: int | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Designs that show the difference, and what is cheaper to add to the pilot."""

    goal: Goal
    pilot: Pilot
    designs: list[Design]
    more_attempts: Design | None
    advice: str


def pilot_of_two(found: Arms, *, anyway: bool) -> Pilot:
    """The pilot of two agents that have had the same tasks. Raises ``InputError`` if it shows no variance."""
    if len(found.arms) > 2:
        raise InputError(f"a pilot is of one or two agents, got {', '.join(arm.label for arm in found.arms)}")
    [pair] = compare(found, anyway=anyway).pairs
    variances = variances_of_pairs(pair.pairs)
    if isinstance(variances, CantSay):
        raise InputError(f"{pair.first} and {pair.second} can't be a pilot: {variances.reason}")
    tasks = len(pair.pairs)
    source = f"from {pair.first} and {pair.second}, {tasks} tasks"
    _check_variance(variances, f"{pair.first} and {pair.second}")
    return Pilot(variances, source, tasks, _attempts(pair), _cost(found.arms), _uncertainty(pair))


def _check_variance(variances: Variances, pilot: str) -> None:
    if not variances.tasks + variances.attempts:
        raise InputError(
            f"{pilot} can't be a pilot: nothing varies in it, so it doesn't tell how much data it takes"
        )


def _uncertainty(pair: ArmPair) -> float | None:
    """How far the difference of the pilot may be from what was found, as its comparison says."""
    interval = pair.difference.interval
    return None if isinstance(interval, CantSay) else (interval.high - interval.low) / 2


def pilot_of_one(arm: Arm, correlation: float) -> Pilot:
    """The pilot of one agent. How alike a second one finds the tasks isn't in it, so that is assumed."""
    if not -1 <= correlation <= 1:
        raise InputError(f"a correlation must be from -1 to 1, got {correlation:g}")
    tasks = [task.rewards for task in arm.tasks.values() if task.rewards]
    parts = variance_parts([[[reward] for reward in task] for task in tasks])
    if isinstance(parts, CantSay):
        raise InputError(f"{arm.label} can't be a pilot: {parts.reason}")
    variances = Variances(2 * parts.tasks * (1 - correlation), 2 * (parts.attempts or 0.0))
    _check_variance(variances, arm.label)
    source = (
        f"from {arm.label}, {len(tasks)} tasks, if a second agent's means correlate with its by {correlation:g}"
    )
    return Pilot(variances, source, len(tasks), max(1, round(sum(map(len, tasks)) / len(tasks))), _cost([arm]))


def plan_data(pilot: Pilot, goal: Goal, attempts: Sequence[int], task_cost: float) -> StudyPlan:
    """The effort. ``task_cost`` is what a new task costs, in the unit of the cost of a trial."""
    designs = [_design(n, tasks_needed(pilot.variances, n, goal), pilot, task_cost) for n in attempts]
    more = None
    if pilot.tasks is not None:
        needed = attempts_needed(pilot.variances, pilot.tasks, goal)
        more = None if isinstance(needed, CantSay) else _design(needed, pilot.tasks, pilot, task_cost)
    return StudyPlan(goal, pilot, designs, more, _advice(pilot, goal, more, task_cost))


def _design(attempts: int, tasks: int | CantSay, pilot: Pilot, task_cost: float) -> Design:
    if isinstance(tasks, CantSay):
        return Design(attempts, tasks, None, None)
    trials = 2 * tasks * attempts
    new = max(0, tasks - (pilot.tasks or 0))
    cost = None if pilot.cost_per_trial is None else trials * pilot.cost_per_trial + new * task_cost
    return Design(attempts, tasks, trials, cost)


def _advice(pilot: Pilot, goal: Goal, more: Design | None, task_cost: float) -> str:
    if pilot.tasks is None or pilot.attempts is None:
        return _best(pilot, task_cost)
    needed = tasks_needed(pilot.variances, pilot.attempts, goal)
    if isinstance(needed, CantSay):
        return f"adding tasks needs {needed.reason}"
    if needed <= pilot.tasks:
        size = f"the pilot's {pilot.tasks} tasks with {pilot.attempts} attempts"
        if pilot.uncertainty is not None and pilot.uncertainty > goal.difference:
            return f"{size} leave ±{pilot.uncertainty:.4f} undecided, though their variance would do: add tasks"
        return f"{size} are enough"
    by_tasks = _design(pilot.attempts, needed, pilot, task_cost)
    tasks = f"{needed - pilot.tasks} more tasks with {pilot.attempts} attempts{_design_cost(by_tasks)}"
    if more is None:
        return f"only more tasks help: {tasks}; no number of attempts at the pilot's {pilot.tasks} tasks is enough"
    attempts = (
        f"{more.attempts - pilot.attempts} more attempts at the pilot's {pilot.tasks} tasks{_design_cost(more)}"
    )
    cheaper = _cheaper(by_tasks, more)
    first, second = (tasks, attempts) if cheaper == "tasks" else (attempts, tasks)
    return f"more {cheaper} are cheaper: {first}, rather than {second}"


def _cheaper(by_tasks: Design, more: Design) -> str:
    if by_tasks.cost is not None and more.cost is not None:
        return "tasks" if by_tasks.cost <= more.cost else "attempts"
    return "tasks" if (by_tasks.trials or 0) <= (more.trials or 0) else "attempts"


def _design_cost(design: Design) -> str:
    cost = "" if design.cost is None else f", cost {design.cost:.2f}"
    return f" ({design.trials} trials in all{cost})"


def _best(pilot: Pilot, task_cost: float) -> str:
    best = cheapest_attempts(pilot.variances, task_cost, 2 * (pilot.cost_per_trial or 1.0))
    if best == 1 or task_cost <= 0:
        return "more tasks with one attempt each are cheapest, as long as a new task costs nothing"
    return f"about {best:.1f} attempts a task are cheapest at these costs"


def _attempts(pair: ArmPair) -> int:
    trials = sum(len(one.first) + len(one.second) for one in pair.pairs)
    return max(1, round(trials / (2 * len(pair.pairs))))


def _cost(arms: Sequence[Arm]) -> float | None:
    """The cost of a trial in the pilot, averaged over its agents; None if it isn't known for all of them."""
    known = [arm.costs.cost_usd for arm in arms if arm.costs.cost_usd is not None]
    return sum(known) / len(known) if len(known) == len(arms) and known else None
