"""How much of a job's variance is the tasks', the attempts' and the verifier's own, and what wavers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.engine.jobs.job_runs import REWARD, Question
from assay.engine.jobs.trial_additions import History
from assay.engine.report.task_rewards import TaskRewards
from assay.evidence.run import Run
from assay.stats.interval import CantSay, Interval, clopper_pearson
from assay.stats.noise import VarianceParts, Wavering, variance_parts, wavering, without_verifier_noise


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
    groups: Mapping[str, Sequence[Run]],
    rewards: Mapping[str, Mapping[str, TaskRewards]],
    question: Question,
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


def _runs_graded_once(rewards: Mapping[str, TaskRewards]) -> dict[str, list[list[float]]]:
    return {task: [[value] for value in found.rewards] for task, found in rewards.items() if found.rewards}


def _graded_runs(runs: Iterable[Run], histories: Mapping[str, History]) -> dict[str, list[list[float]]]:
    tasks: dict[str, list[list[float]]] = {}
    for run in runs:
        if run.score is not None:
            tasks.setdefault(run.task, []).append(_scores(run.score, histories.get(run.name)))
    return tasks


def _noise(tasks: Mapping[str, list[list[float]]], threshold: float) -> GroupNoise | None:
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
        counts = sum([run[0] >= threshold for run in runs]), len(runs)
        if 0 < counts[0] < counts[1]:
            interval = intervals.get(counts) or intervals.setdefault(counts, clopper_pearson(*counts))
            found.append(MixedTask(task, *counts, interval))
    return sorted(found, key=lambda one: (abs(2 * one.successes - one.attempts) / one.attempts, one.task))
