"""The rewards of a group of trials by task, with the trials that have no usable one told apart."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from assay.dialects.harbor.trial import Trial
from assay.engine.history import History


@dataclass(slots=True)
class TaskRewards:
    """The rewards of one task's trials, in order, and how many trials are broken: without a usable reward.

    Of the broken ones, ``not_finite`` have NaN or infinity as their reward.
    """

    rewards: list[float] = field(default_factory=list)
    broken: int = 0
    not_finite: int = 0


def rewards_by_task(
    trials: Iterable[Trial], key: str, unusable: Collection[str] = frozenset()
) -> dict[str, TaskRewards]:
    """The rewards under one key. Trials that are named in ``unusable`` count as broken whatever their reward."""
    tasks: dict[str, TaskRewards] = {}
    for trial in trials:
        task = tasks.get(trial.task)
        if task is None:
            task = tasks[trial.task] = TaskRewards()
        value = trial.rewards.get(key) if trial.rewards else None
        if value is None or not math.isfinite(value) or (unusable and trial.name in unusable):
            task.broken += 1
            task.not_finite += value is not None and not math.isfinite(value)
        else:
            task.rewards.append(value)
    return tasks


def unusable_outputs(histories: Iterable[History], grading: str) -> frozenset[str]:
    """The trials whose output can't be parsed or whose verifier didn't complete: nobody measured their 0."""
    return frozenset(
        history.trial
        for history in histories
        for one in (history.first() if grading == "first" else history.latest())
        if not (one.result.validity.output_parseable and one.result.validity.verifier_completed)
    )
