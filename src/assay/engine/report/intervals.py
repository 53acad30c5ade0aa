"""How sure the numbers of a report are: intervals with the task as the unit, bounds for open runs, and noise.

Noise says how much of the variance is the tasks', the attempts' and the verifier's own.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from sys import intern

from assay.engine.jobs.job_runs import REWARD, JobQuestion
from assay.engine.jobs.spool import Lazy
from assay.engine.jobs.trial_additions import History
from assay.evidence.run import Run, State
from assay.stats.interval import CantSay, Interval, clopper_pearson
from assay.stats.means import Bounds, Mean, bounds_of_mean, clustered_mean
from assay.stats.noise import VarianceParts, Wavering, variance_parts, wavering, without_verifier_noise
from assay.stats.passes import Attempts, PassCurves, pass_curves


@dataclass(slots=True)
class TaskRewards:
    """The scores of one task's runs, in order. ``broken`` more have none, because the measurement broke.

    ``uncontrolled`` of the scores are the 0 of an unusable answer of which nobody knows whose fault it is.
    """

    rewards: MutableSequence[float] = field(default_factory=lambda: array("d"))
    broken: int = 0
    uncontrolled: int = 0

    @property
    def open(self) -> int:
        """How many runs could have got another number."""
        return self.broken + self.uncontrolled

    def filled(self, value: float) -> list[float]:
        """The scores if every run that is open had got this one."""
        known = list(self.rewards)
        for _ in range(self.uncontrolled):
            known.remove(0.0)
        return [*known, *[value] * self.open]


@dataclass(slots=True)
class TaskScores:
    """The scores of a group of runs by task, and how many runs of each task that has a score passed."""

    rewards: dict[str, TaskRewards] = field(default_factory=dict)
    passed: dict[str, int] = field(default_factory=dict)

    def add(self, run: Run, score: float | None) -> None:
        """Count a run that has a score, or is broken."""
        if score is None and run.state is not State.BROKEN:
            return
        task = self.rewards.get(run.task)
        if task is None:
            task = self.rewards[intern(run.task)] = TaskRewards()
        if score is None:
            task.broken += 1
            return
        task.rewards.append(score)
        task.uncontrolled += run.state is State.UNUSABLE and run.cause is None
        passed = self.passed.get(run.task)
        if passed is None:
            self.passed[intern(run.task)] = run.state is State.PASSED
        elif run.state is State.PASSED:
            self.passed[run.task] = passed + 1

    def scores(self) -> Iterator[float]:
        """All scores, task by task."""
        return chain.from_iterable(task.rewards for task in self.rewards.values())

    def attempts(self) -> dict[str, Attempts]:
        """How many runs of each task count, and how many of them passed."""
        return {task: Attempts(len(self.rewards[task].rewards), c) for task, c in self.passed.items()}


@dataclass(frozen=True, slots=True)
class GroupIntervals:
    """The intervals of one group of runs: the mean of their scores, and pass@k and pass^k for every k."""

    mean: Mean
    passes: PassCurves


@dataclass(frozen=True, slots=True)
class GroupBounds:
    """Bounds of a group's mean. ``unplaced`` runs of the job may belong to any group."""

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
            known = array("d", chain.from_iterable(task.rewards for task in tasks))
            broken = placed + sum(task.broken for task in tasks)
            uncontrolled = sum(task.uncontrolled for task in tasks)
            found[name] = GroupBounds(bounds_of_mean(known, broken, uncontrolled), unplaced)
    return found


@dataclass(frozen=True, slots=True)
class MixedTask:
    """A task of which some attempts succeed and some don't, with the interval of its own success rate."""

    task: str
    successes: int
    attempts: int
    interval: Interval


@dataclass(frozen=True, slots=True)
class GroupNoise:
    """The noise of one group. ``steady`` is the interval of the mean with a verifier that never wavers."""

    parts: VarianceParts | CantSay
    steady: Interval | CantSay
    verifiers: list[Wavering]
    runs_graded_again: int
    tasks: list[MixedTask]


def group_noise(
    groups: Mapping[str, Iterable[Run]],
    rewards: Mapping[str, Mapping[str, TaskRewards]],
    question: JobQuestion,
    histories: Iterable[History],
) -> dict[str, GroupNoise]:
    """The noise of each group in which an attempt or a grading was repeated.

    ``rewards`` has the scores of each group's tasks.
    """
    # A measure that is asked for by name isn't in the evaluations.
    again = {one.trial: one for one in histories if question.key in (None, REWARD) and len(one.gradings) > 1}
    found = {
        name: _noise(
            _graded_runs(groups.get(name, ()), again) if again else _runs_graded_once(tasks), question.threshold
        )
        for name, tasks in rewards.items()
    }
    return {name: noise for name, noise in found.items() if noise is not None}


def _runs_graded_once(rewards: Mapping[str, TaskRewards]) -> dict[str, Sequence[Sequence[float]]]:
    known = {task: found.rewards for task, found in rewards.items() if found.rewards}
    return {task: Lazy(partial(zip, scores), len(scores)) for task, scores in known.items()}


def _graded_runs(runs: Iterable[Run], histories: Mapping[str, History]) -> dict[str, Sequence[Sequence[float]]]:
    tasks: dict[str, list[Sequence[float]]] = {}
    for run in runs:
        if run.score is not None:
            tasks.setdefault(run.task, []).append(_scores(run.score, histories.get(run.name)))
    return dict(tasks)


def _noise(tasks: Mapping[str, Sequence[Sequence[float]]], threshold: float) -> GroupNoise | None:
    repeated = any(len(runs) > 1 or any(len(run) > 1 for run in runs) for runs in tasks.values())
    if not repeated:
        return None
    runs_of_tasks = list(tasks.values())
    parts = variance_parts(runs_of_tasks)
    again = sum(len(run) > 1 for runs in runs_of_tasks for run in runs)
    looks = [wavering(task, runs) for task, runs in tasks.items()] if again else []
    known = [one for one in looks if one is not None]
    return GroupNoise(
        parts=parts,
        steady=without_verifier_noise(runs_of_tasks, parts),
        verifiers=sorted((one for one in known if one.changed), key=lambda one: (-one.rate, one.name)),
        runs_graded_again=again,
        tasks=_mixed(tasks, threshold),
    )


def _scores(score: float, history: History | None) -> list[float]:
    """The rewards of a run's gradings, the first one first. Of a run of several steps, only its own score."""
    if history is None or any(one.step is not None for one in history.gradings):
        return [score]
    return [one.result.reward for one in history.gradings if one.result.validity.verifier_completed] or [score]


def _mixed(tasks: Mapping[str, Sequence[Sequence[float]]], threshold: float) -> list[MixedTask]:
    """Tasks with both successes and failures among their attempts, those nearest to half and half first."""
    found = []
    # Tasks with the same numbers of attempts and successes share an interval, so there are only a few.
    intervals: dict[tuple[int, int], Interval] = {}
    for task, runs in tasks.items():
        counts = sum(run[0] >= threshold for run in runs), len(runs)
        if 0 < counts[0] < counts[1]:
            interval = intervals.get(counts) or intervals.setdefault(counts, clopper_pearson(*counts))
            found.append(MixedTask(task, *counts, interval))
    return sorted(found, key=lambda one: (abs(2 * one.successes - one.attempts) / one.attempts, one.task))
