"""How much of a job's variance is the tasks', the attempts' and the verifier's own, and what wavers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.dialects.harbor.trial import Trial
from assay.engine.history import History
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
    threshold: float,
    histories: Iterable[History],
) -> dict[str, GroupNoise]:
    """The noise of each group in which an attempt or a grading was repeated, by its reward key."""
    by_trial = {history.trial: history for history in histories}
    found = {name: _noise(groups[name], key, threshold, by_trial) for name, key in keys.items()}
    return {name: noise for name, noise in found.items() if noise is not None}


def _noise(
    trials: Sequence[Trial], key: str, threshold: float, histories: Mapping[str, History]
) -> GroupNoise | None:
    tasks: dict[str, list[list[float]]] = {}
    for trial in trials:
        rewards = _rewards(trial, key, histories.get(trial.name))
        if rewards:
            tasks.setdefault(trial.task, []).append(rewards)
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
    for task, runs in tasks.items():
        successes = sum(run[0] >= threshold for run in runs)
        if 0 < successes < len(runs):
            interval = clopper_pearson(successes, len(runs))
            found.append(MixedTask(task, successes, len(runs), interval))
    return sorted(found, key=lambda one: (abs(2 * one.successes - one.attempts) / one.attempts, one.task))
