"""What the evaluations of some trials come to: their mean, and how many are valid, unusable and broken.

It stands beside harbor's numbers and never mixes up three things: the agent was wrong (valid, with a low reward),
its output is unusable (0, whatever a verifier says), the measurement broke (no reward, so not part of the mean).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.core.errors import MeasurementError
from assay.core.total import mean
from assay.dialects.harbor.multi_step import Strategy
from assay.dialects.harbor.trial import Trial
from assay.engine.history import History, strategy_of

if TYPE_CHECKING:
    # Importing pydantic takes longer than reporting on a job that has no gradings.
    from assay.dialects.evaluation.models import EvaluationResult

VALID, UNUSABLE, BROKEN, UNGRADED = "valid", "unusable", "broken", "ungraded"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The evaluation of one trial, all of its steps together. ``result`` is None if there is no grading."""

    trial: str
    standing: str
    result: "EvaluationResult | None" = None
    reason_code: str | None = None

    @property
    def reward(self) -> float | None:
        """The reward; None, and not 0, if the measurement broke."""
        return self.result.reward if self.result is not None and self.standing != BROKEN else None


@dataclass(frozen=True, slots=True)
class EvaluationSummary:
    """Numbers on the evaluations of some trials. Each trial is counted once: the parts add up to the total.

    ``mean`` is over the valid and the unusable ones, which count as 0. ``mean_of_all`` also counts those without
    a usable reward, as 0. ``passed`` have a reward of at least the threshold.
    """

    mean: float | None
    n_averaged: int
    mean_of_all: float | None
    passed: int
    threshold: float
    valid: int
    unusable: int
    broken: int
    ungraded: int
    total: int


def evaluate_trials(trials: Iterable[Trial], histories: Sequence[History], used: str) -> dict[str, Evaluated]:
    """The evaluation of each trial, by its name. Empty if no trial has a grading, as in jobs of others."""
    known = {history.trial: history for history in histories if history.gradings}
    return {trial.name: _evaluated(trial, known.get(trial.name), used) for trial in trials} if known else {}


def summarize(
    trials: Iterable[str], evaluated: Mapping[str, Evaluated], threshold: float
) -> EvaluationSummary | None:
    """The numbers on some of the trials; None if there are no evaluations."""
    if not evaluated:
        return None
    chosen = [evaluated[trial] for trial in trials]
    counts = Counter(one.standing for one in chosen)
    rewards = [one.reward for one in chosen if one.reward is not None]
    broken = counts[BROKEN]
    return EvaluationSummary(
        mean=mean(rewards) if rewards else None,
        n_averaged=len(rewards),
        mean_of_all=mean([*rewards, *[0.0] * broken]) if rewards or broken else None,
        passed=sum(reward >= threshold for reward in rewards),
        threshold=threshold,
        valid=counts[VALID],
        unusable=counts[UNUSABLE],
        broken=broken,
        ungraded=counts[UNGRADED],
        total=len(chosen),
    )


def _evaluated(trial: Trial, history: History | None, used: str) -> Evaluated:
    broke = trial.exception_type == MeasurementError.__name__
    if broke and not (history is not None and used == "latest" and history.graded_again()):
        return Evaluated(trial.name, BROKEN, reason_code="measurement_broken")
    if history is None:
        return Evaluated(trial.name, UNGRADED)
    from assay.engine.read_result import whole_result  # noqa: PLC0415 - see TYPE_CHECKING above

    final = history.whole(used) is None and strategy_of(trial, history.first()) is Strategy.FINAL
    found = whole_result(history, used, final=final)
    if found is None:
        return Evaluated(trial.name, UNGRADED)
    return Evaluated(trial.name, standing_of(found.result), found.result, found.reason_code)


def standing_of(result: "EvaluationResult") -> str:
    """Valid, unusable or broken. Unusable comes first: then the reward is 0, whatever the verifier had said."""
    if not result.validity.output_parseable:
        return UNUSABLE
    return VALID if result.validity.verifier_completed else BROKEN
