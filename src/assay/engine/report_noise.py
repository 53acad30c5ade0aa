"""How much of a job's variance is the tasks', the attempts' and the verifier's own, and what wavers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.dialects.harbor.trial import Trial
from assay.engine.history import History
from assay.engine.task_rewards import TaskRewards
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
    groups: Mapping[str, Sequence[Trial]],
    keys: Mapping[str, str],
    rewards: Mapping[str, Mapping[str, TaskRewards]],
    threshold: float,
    histories: Iterable[History],
) -> dict[str, GroupNoise]:
    """The noise of each group in which an attempt or a grading was repeated, by its reward key.

    ``rewards`` has the rewards of each group's tasks under that key.
    """
    by_trial = {history.trial: history for history in histories}
    found = {
        name: _noise(
            _graded_runs(groups[name], key, by_trial) if by_trial else _runs_graded_once(rewards[name]), threshold
        )
        for name, key in keys.items()
    }
    return {name: noise for name, noise in found.items() if noise is not None}


def _runs_graded_once(rewards: Mapping[str, TaskRewards]) -> dict[str, list[list[float]]]:
    runs = {task: [[value] for value in found.rewards if _finite(value)] for task, found in rewards.items()}
    return {task: found for task, found in runs.items() if found}


def _graded_runs(
    trials: Iterable[Trial], key: str, histories: Mapping[str, History]
) -> dict[str, list[list[float]]]:
    tasks: dict[str, list[list[float]]] = {}
    for trial in trials:
        rewards = _rewards(trial, key, histories.get(trial.name))
        if rewards:
            tasks.setdefault(trial.task, []).append(rewards)
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


def _rewards(trial: Trial, key: str, history: History | None) -> list[float]:
    """The rewards of a trial's gradings, the first one first. Of a trial of several steps, only its own reward."""
    own = trial.rewards.get(key) if trial.rewards else None
    alone = [own] if own is not None and _finite(own) else []
    if history is None or trial.steps:
        return alone
    found = [one.rewards[key] for one in history.gradings if one.rewards and key in one.rewards]
    return [value for value in found if value is not None and _finite(value)] or alone


def _finite(value: float) -> bool:
    return abs(value) <= 1e100


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
