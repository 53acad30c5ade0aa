"""A job row by row: its tasks, or its trials, with rewards, failures, time and cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.core.total import mean
from assay.dialects.harbor.failure_cause import failure_cause
from assay.dialects.harbor.reasons import reason_of_exception
from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import NO_SECONDS, Seconds, Trial, Usage
from assay.engine.job import Problem
from assay.engine.usage_report import mean_seconds, sum_of_usage


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial. ``failure`` is the type of its exception, or why it can't be counted."""

    trial: str
    task: str
    group: str | None
    rewards: Rewards | None
    failure: str | None
    cause: str | None
    reason_code: str | None
    usage: Usage | None
    seconds: Seconds
    model_usage: Mapping[str, Usage] | None = None


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task in one group: its attempts, how many succeeded, and the means over them.

    ``successes`` and ``mean_reward`` are None if no reward decides. A trial without the reward is a failed attempt
    and doesn't count in the mean.
    """

    task: str
    group: str
    attempts: int
    scored: int
    successes: int | None
    mean_reward: float | None
    failures: Mapping[str, int]
    usage: Usage
    seconds: Seconds


def trial_rows(trials: Sequence[Trial], problems: Sequence[Problem]) -> list[TrialRow]:
    """The trials in the order of the job, then those that can't be counted."""
    return [*map(_trial_row, trials), *map(_problem_row, problems)]


def _trial_row(trial: Trial) -> TrialRow:
    failure = trial.exception_type or next(iter(trial.step_exceptions), None)
    reason = None if failure is None else reason_of_exception(failure, trial.exception_message)
    if failure is None and trial.rewards is None:
        failure, reason = unrewarded(trial), "harbor_reward_missing"
    return TrialRow(
        trial=trial.name,
        task=trial.task,
        group=trial.evals_key,
        rewards=trial.rewards,
        failure=failure,
        cause=cause_of(trial),
        reason_code=reason,
        usage=trial.usage,
        seconds=trial.seconds or NO_SECONDS,
        model_usage=trial.model_usage,
    )


def _problem_row(problem: Problem) -> TrialRow:
    task = problem.trial.rpartition("__")[0] or problem.trial
    return TrialRow(problem.trial, task, None, None, problem.detail, None, problem.reason_code, None, NO_SECONDS)


def unrewarded(trial: Trial) -> str:
    """Why a trial without an error has no reward."""
    if trial.disabled:
        return "verification was disabled"
    return "a result without rewards" if trial.verified else "no verifier result and no error"


def cause_of(trial: Trial) -> str | None:
    """The cause of a trial's failure, or of the first failure of a step; None if there was none."""
    if trial.exception_type is not None:
        return failure_cause(trial.exception_type, trial.exception_message)
    return failure_cause(trial.step_exceptions[0]) if trial.step_exceptions else None


def task_rows(trials: Sequence[Trial], keys: Mapping[str, str | None], threshold: float) -> list[TaskRow]:
    """One row for each task in each group. ``keys`` has the reward that decides in each group."""
    found: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        found.setdefault((trial.evals_key, trial.task), []).append(trial)
    return [
        _task_row(group, task, members, keys.get(group), threshold) for (group, task), members in found.items()
    ]


def _task_row(group: str, task: str, trials: Sequence[Trial], key: str | None, threshold: float) -> TaskRow:
    values = [] if key is None else [t.rewards[key] for t in trials if t.rewards and key in t.rewards]
    return TaskRow(
        task=task,
        group=group,
        attempts=len(trials),
        scored=sum(trial.rewards is not None for trial in trials),
        successes=None if key is None else sum(value >= threshold for value in values),
        mean_reward=mean(values) if values else None,
        failures=dict(Counter(cause for trial in trials if (cause := cause_of(trial)) is not None)),
        usage=sum_of_usage(trials),
        seconds=mean_seconds([trial.seconds for trial in trials if trial.seconds is not None]),
    )
