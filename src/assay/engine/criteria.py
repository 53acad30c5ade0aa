"""Complete a task run: ask every criterion's check, and roll the answers up by axis."""

import functools
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.checks import criteria as checks
from assay.core.check import Check
from assay.core.errors import MeasurementError
from assay.core.grading import PlacedCheck, grade
from assay.core.outcome import Errored, NotApplicable, Outcome, Scored
from assay.core.placement import Placed, Placement
from assay.core.rollup import Unscored, by_axis, weighted_mean
from assay.core.total import total
from assay.dialects.criteria.models import (
    DEFAULT_AXIS,
    AxisScore,
    Completion,
    Criterion,
    CriterionRun,
    verdict_of,
)
from assay.dialects.criteria.variables import filled
from assay.engine.found_checks import class_in, made, modules_in
from assay.engine.shared_state import SharedJudge, SharedState
from assay.evidence.paraphrase import Judge
from assay.evidence.playground import Clock, PlaygroundState
from assay.evidence.playground_check import PlaygroundCheck
from assay.formats.field_rules.patterns import SlowPatternError

DISCRIMINATOR = "assert"
# Most of their time, checks wait for a source.
SIDE_BY_SIDE = 32


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The check of an assertion that no check understands: it fails and says why."""

    kind: ClassVar[str] = "unsupported"

    why: str

    def run(self, evidence: PlaygroundState) -> Outcome:  # noqa: ARG002 - there is nothing to look at
        return Scored(0.0, False, f"unsupported assertion: {self.why}")


@dataclass(frozen=True, slots=True)
class InTime:
    """A check that fails if a pattern takes too long to find what it should look at."""

    kind: ClassVar[str] = "in time"

    check: Check[PlaygroundState]

    def run(self, evidence: PlaygroundState) -> Outcome:
        try:
            return self.check.run(evidence)
        except SlowPatternError as error:
            return Scored(0.0, False, str(error))


@functools.cache
def kinds() -> list[str]:
    """The values that ``assert`` can have."""
    return [module.replace("_", "-") for module in modules_in(checks)]


def check_class(kind: str) -> type[PlaygroundCheck]:
    """The class that answers for a value of ``assert``."""
    return class_in(checks, kind.replace("-", "_"), kind)


def check_of(assertion: Mapping[str, Any], data: Mapping[str, Any]) -> PlaygroundCheck:
    """The check that an assertion asks for. Raises ``ValueError`` that says why there is none."""
    kind = assertion.get(DISCRIMINATOR)
    if not isinstance(kind, str) or kind not in kinds():
        raise ValueError(f"{DISCRIMINATOR} must be one of {', '.join(kinds())}, got {kind!r}")
    cls = check_class(kind)
    written = {key: value for key, value in assertion.items() if key != DISCRIMINATOR}
    given = filled(written, data, cls.escapes)
    check: PlaygroundCheck = made(cls, given)
    return check


def complete(
    criteria: Sequence[Criterion],
    data: Mapping[str, Any],
    state: PlaygroundState,
    judge: Judge | None = None,
    time: Clock | None = None,
) -> Completion:
    """Ask all criteria, side by side; no source is asked the same question twice.

    If a source is down, ``MeasurementError`` passes through and nothing is scored; of several, it is that of the
    first criterion. A check that breaks raises it too, because that says nothing about the agent. A judge changes
    no score. Without ``time``, no check waits (``wait_s``).
    """
    shared = SharedState(state, judge=SharedJudge(judge), time=time)
    placed = _graded([_placed(criterion, data) for criterion in criteria], shared)
    _refuse_broken(placed)
    score = weighted_mean(placed, Unscored.ZERO)
    return Completion(
        verdict=verdict_of(score),
        score=score or 0.0,
        axes={axis or DEFAULT_AXIS: _axis(answers) for axis, answers in by_axis(placed).items()},
        criterion_runs=[_run(one, answer) for one, answer in zip(criteria, placed, strict=True)],
    )


def _graded(checks: Sequence[PlacedCheck[PlaygroundState]], shared: SharedState) -> tuple[Placed, ...]:
    with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE, thread_name_prefix="criterion") as threads:
        try:
            return grade(checks, shared, threads.map)
        finally:
            # After an error, those that still wait for something to show up need not go on.
            shared.stop()


def _placed(criterion: Criterion, data: Mapping[str, Any]) -> PlacedCheck[PlaygroundState]:
    check: Check[PlaygroundState]
    try:
        check = InTime(check_of(criterion.assertion, data))
    except ValueError as error:
        check = Unsupported(str(error))
    return PlacedCheck(Placement(criterion.label, criterion.weight, criterion.axis), check)


def _refuse_broken(placed: Sequence[Placed]) -> None:
    """The message of the error is left out, because it may contain values of the playground."""
    for one in placed:
        if isinstance(one.outcome, Errored):
            what = f"the check of criterion {one.placement.name!r} broke ({one.outcome.error_type})"
            raise MeasurementError(f"{what}; nothing is scored")


def _axis(placed: Sequence[Placed]) -> AxisScore:
    score = weighted_mean(placed, Unscored.ZERO)
    return AxisScore(score=score or 0.0, weight=total(one.placement.weight for one in placed))


def _run(criterion: Criterion, placed: Placed) -> CriterionRun:
    outcome = placed.outcome
    return CriterionRun(
        criterion_id=criterion.id,
        label=criterion.label,
        axis=criterion.axis,
        weight=criterion.weight,
        score=outcome.score if isinstance(outcome, Scored) else 0.0,
        passed=isinstance(outcome, Scored) and outcome.passed,
        details=f"does not apply: {outcome.summary}" if isinstance(outcome, NotApplicable) else outcome.summary,
        evidence=dict(outcome.evidence) if isinstance(outcome, Scored) else {},
    )
