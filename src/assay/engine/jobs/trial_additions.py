"""Read what was added after a trial's result, for reports: gradings, and verdicts of reviewers and a judge."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from assay.dialects.harbor.rewards import Rewards, Step, Strategy, trial_rewards
from assay.dialects.harbor.trial import Trial
from assay.engine.ports import JobFolder
from assay.evidence.run import Gates

if TYPE_CHECKING:
    # Importing pydantic takes longer than reporting on a job that has no such records.
    from assay.dialects.evaluation.grading import Grading
    from assay.dialects.evaluation.models import AddedTag, Annotation

AGENT_ERRORS = ("AgentTimeoutError", "NonZeroAgentExitCodeError")


@dataclass(frozen=True, slots=True)
class History:
    """The gradings of one trial, the verdicts on it and the tags that were added, the oldest first.

    ``gates`` are those of its newest scoring, with what a judge said last; None if nobody scored or judged it.
    """

    trial: str
    gradings: "list[Grading]"
    annotations: "list[Annotation]"
    tags: "list[AddedTag]" = field(default_factory=list)
    gates: Gates | None = None

    def latest(self) -> "list[Grading]":
        """The newest grading of each step, in the order of the steps."""
        return list({one.step: one for one in self._of_steps()}.values())

    def first(self) -> "list[Grading]":
        """The first grading of each step."""
        oldest: dict[str | None, Grading] = {}
        for grading in self._of_steps():
            oldest.setdefault(grading.step, grading)
        return list(oldest.values())

    def graded_again(self) -> bool:
        """Whether a step, or the run itself if it has no steps, was graded more than once."""
        return len(self._of_steps()) > len(self.first())

    def whole(self, used: str) -> "Grading | None":
        """The first or the latest grading of the whole trial; None if there are only those of its steps."""
        shown = self.first() if used == "first" else self.latest()
        if shown and shown[0].step is None:
            return shown[0]
        numbers = [one.number for one in shown]
        return next((one for one in self.gradings if one.steps == numbers), None)

    def _of_steps(self) -> "list[Grading]":
        return [one for one in self.gradings if one.steps is None]


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
        tags, gates = folder.added_tags(trial.name), folder.gates(trial.name)
        if gradings or annotations or tags or gates is not None:
            yield History(trial.name, gradings, annotations, tags, gates)


def _regraded(trial: Trial, history: History | None) -> Trial:
    if history is None or not history.graded_again():
        return trial
    latest = history.latest()
    if trial.steps:
        rewards = rewards_of_steps(latest, strategy_of(trial, history.first()))
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


def strategy_of(trial: Trial, first: "list[Grading]") -> Strategy:
    """The strategy of the task: the one that leads to the recorded rewards."""
    return next((one for one in Strategy if rewards_of_steps(first, one) == trial.rewards), Strategy.MEAN)


def rewards_of_steps(gradings: "Sequence[Grading]", strategy: Strategy | None) -> Rewards | None:
    """Harbor's rewards of a trial, from the gradings of its steps. Null rewards without an error are a result."""
    steps = [
        Step(verified=one.rewards is not None or one.exception_type is None, rewards=_known(one.rewards))
        for one in gradings
    ]
    result = trial_rewards(steps, strategy)
    return result.rewards if result is not None else None


def _known(rewards: dict[str, float | int | None] | None) -> Rewards | None:
    return None if rewards is None else {key: value for key, value in rewards.items() if value is not None}
