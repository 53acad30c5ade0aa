"""Read what was added after a trial's result, for reports: further gradings, and reviewers' verdicts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from assay.dialects.harbor.multi_step import Step, Strategy, trial_rewards
from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import Trial
from assay.engine.ports import JobFolder

if TYPE_CHECKING:
    # Importing pydantic takes longer than reporting on a job that has no such records.
    from assay.dialects.evaluation.grading import Grading
    from assay.dialects.evaluation.models import Annotation

AGENT_ERRORS = ("AgentTimeoutError", "NonZeroAgentExitCodeError")


@dataclass(frozen=True, slots=True)
class History:
    """The gradings of one trial and the verdicts on it, the oldest first."""

    trial: str
    gradings: "list[Grading]"
    annotations: "list[Annotation]"

    def latest(self) -> "list[Grading]":
        """The newest grading of each step, in the order of the steps."""
        newest: dict[str | None, Grading] = {}
        for grading in self.gradings:
            newest[grading.step] = grading
        return list(newest.values())

    def first(self) -> "list[Grading]":
        """The first grading of each step."""
        oldest: dict[str | None, Grading] = {}
        for grading in self.gradings:
            oldest.setdefault(grading.step, grading)
        return list(oldest.values())


def read_histories(folder: JobFolder, trials: Iterable[Trial]) -> list[History]:
    """The histories of the trials that have one. Raises ``InputError`` for a record that can't be read."""
    return list(_read(folder, trials)) if folder.has_records() else []


def with_latest(trials: Iterable[Trial], histories: Iterable[History]) -> list[Trial]:
    """The trials with the rewards of their newest gradings instead of those of the run."""
    by_name = {history.trial: history for history in histories}
    return [_regraded(trial, by_name.get(trial.name)) for trial in trials]


def _read(folder: JobFolder, trials: Iterable[Trial]) -> Iterator[History]:
    for trial in trials:
        gradings, annotations = folder.gradings(trial.name), folder.annotations(trial.name)
        if gradings or annotations:
            yield History(trial.name, gradings, annotations)


def _regraded(trial: Trial, history: History | None) -> Trial:
    if history is None or len(history.gradings) == len(history.first()):
        return trial
    latest = history.latest()
    if trial.steps:
        rewards = _of_steps(latest, _strategy(trial, history.first()))
        return msgspec.structs.replace(trial, rewards=rewards, verified=rewards is not None)
    newest = latest[-1]
    # An exception of the agent stays; one of the verifier is replaced by that of the new grading.
    kept = trial.exception_type if trial.exception_type in AGENT_ERRORS else None
    return msgspec.structs.replace(
        trial,
        rewards=_known(newest.rewards),
        lost=tuple(key for key, value in (newest.rewards or {}).items() if value is None),
        verified=newest.rewards is not None,
        exception_type=newest.exception_type or kept,
        exception_message="",
    )


def _strategy(trial: Trial, first: "list[Grading]") -> Strategy:
    """The strategy of the task: the one that leads to the recorded rewards."""
    return next((one for one in Strategy if _of_steps(first, one) == trial.rewards), Strategy.MEAN)


def _of_steps(gradings: "list[Grading]", strategy: Strategy) -> Rewards | None:
    steps = [Step(verified=one.rewards is not None, rewards=_known(one.rewards)) for one in gradings]
    result = trial_rewards(steps, strategy)
    return result.rewards if result is not None else None


def _known(rewards: dict[str, float | int | None] | None) -> Rewards | None:
    return None if rewards is None else {key: value for key, value in rewards.items() if value is not None}
