"""What came after a trial's result: further gradings, and reviewers' verdicts. Read for reports."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from assay.core.errors import InputError
from assay.dialects.harbor.multi_step import Step, Strategy, trial_rewards
from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import Trial
from assay.engine.ports import JobFolder

AGENT_ERRORS = ("AgentTimeoutError", "NonZeroAgentExitCodeError")


class _Validity(msgspec.Struct):
    output_parseable: bool
    schema_valid: bool
    verifier_completed: bool


class _Tag(msgspec.Struct):
    category: str
    source: str


class _Confidence(msgspec.Struct):
    confidence_method: str | None = None


class _Result(msgspec.Struct):
    reward: float
    validity: _Validity
    error_taxonomy: list[_Tag] | None = None
    confidence: _Confidence | None = None


class GradingView(msgspec.Struct):
    """A grading, as far as a report needs it."""

    number: int
    step: str | None
    result: _Result
    reason_code: str | None
    rewards: dict[str, float | int | None] | None
    exception_type: str | None

    @property
    def flaky(self) -> bool:
        """Whether verifying the same output again gave another reward."""
        method = self.result.confidence.confidence_method if self.result.confidence is not None else None
        return method is not None and method.startswith("flaky")


class AnnotationView(msgspec.Struct):
    """A reviewer's verdict, as far as a report needs it."""

    reviewer_id: str
    judgment: str
    categories: list[str] = []
    notes: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The gradings of one trial and the verdicts on it, the oldest first."""

    trial: str
    gradings: list[GradingView]
    annotations: list[AnnotationView]

    def latest(self) -> list[GradingView]:
        """The newest grading of each step, in the order of the steps."""
        newest: dict[str | None, GradingView] = {}
        for grading in self.gradings:
            newest[grading.step] = grading
        return list(newest.values())

    def first(self) -> list[GradingView]:
        """The first grading of each step."""
        oldest: dict[str | None, GradingView] = {}
        for grading in self.gradings:
            oldest.setdefault(grading.step, grading)
        return list(oldest.values())


def read_histories(folder: JobFolder, trials: Iterable[Trial]) -> list[History]:
    """The histories of those trials that have one. Raises ``InputError`` for a record that can't be read."""
    return list(_read(folder, trials)) if folder.has_records() else []


def with_latest(trials: Iterable[Trial], histories: Iterable[History]) -> list[Trial]:
    """The trials with the rewards of their newest gradings in place of their own."""
    by_name = {history.trial: history for history in histories}
    return [_regraded(trial, by_name.get(trial.name)) for trial in trials]


def _read(folder: JobFolder, trials: Iterable[Trial]) -> Iterator[History]:
    for trial in trials:
        gradings = [_decode(data, GradingView, trial) for data in folder.records(trial.name, "gradings")]
        annotations = [_decode(data, AnnotationView, trial) for data in folder.records(trial.name, "annotations")]
        if gradings or annotations:
            yield History(trial.name, gradings, annotations)


def _decode(data: bytes, kind: Any, trial: Trial) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise InputError(f"a record of {trial.name} can't be read: {error}") from error


def _regraded(trial: Trial, history: History | None) -> Trial:
    if history is None or len(history.gradings) == len(history.first()):
        return trial
    latest = history.latest()
    if trial.steps:
        rewards = _of_steps(latest, _strategy(trial, history.first()))
        return msgspec.structs.replace(trial, rewards=rewards, verified=rewards is not None)
    newest = latest[-1]
    # An exception of the agent stays; one of the verifier is replaced by what the new grading says.
    kept = trial.exception_type if trial.exception_type in AGENT_ERRORS else None
    return msgspec.structs.replace(
        trial,
        rewards=_known(newest.rewards),
        lost=tuple(key for key, value in (newest.rewards or {}).items() if value is None),
        verified=newest.rewards is not None,
        exception_type=newest.exception_type or kept,
        exception_message="",
    )


def _strategy(trial: Trial, first: list[GradingView]) -> Strategy:
    """Which strategy the task has: the one that gave the recorded rewards."""
    return next((one for one in Strategy if _of_steps(first, one) == trial.rewards), Strategy.MEAN)


def _of_steps(gradings: list[GradingView], strategy: Strategy) -> Rewards | None:
    steps = [Step(verified=one.rewards is not None, rewards=_known(one.rewards)) for one in gradings]
    result = trial_rewards(steps, strategy)
    return result.rewards if result is not None else None


def _known(rewards: dict[str, float | int | None] | None) -> Rewards | None:
    return None if rewards is None else {key: value for key, value in rewards.items() if value is not None}
