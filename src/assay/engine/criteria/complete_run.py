"""Complete a task run: ask every criterion's check, and roll the answers up by axis."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from assay.checks import criteria as checks
from assay.core.errors import BoundsError, BrokenCheckError, UnmeasuredError
from assay.core.grading import Ask, Placed, PlacedCheck, Placement, grade
from assay.core.outcome import Check, Errored, NotApplicable, Outcome, Scored
from assay.core.rollup import by_axis, exact_mean
from assay.core.total import exact_total
from assay.dialects.criteria.models import (
    DEFAULT_AXIS,
    AskedCriterion,
    AxisScore,
    Completion,
    CriterionRun,
    UnusableCriterion,
    verdict_of,
)
from assay.dialects.criteria.variables import fill_variables
from assay.engine.check_catalog import class_in, make_check, modules_in
from assay.engine.criteria.bounded_evidence import DISCRIMINATOR, LoadedCriteria, shown_details, shown_evidence
from assay.engine.criteria.shared_state import SharedJudge, SharedState
from assay.evidence.playground import Clock, PlaygroundCheck, PlaygroundState
from assay.evidence.verdict import Judge

# Most of their time, checks of these kinds wait for a source.
REMOTE = frozenset(("fhir-resource-state", "sftp-file-present"))
SIDE_BY_SIDE = 32
NOT_MEASURED = {"measured": False}


@dataclass(frozen=True, slots=True)
class Stamp:
    """Outside facts for the runs of one completion: ids, the time, and the task run they belong to.

    ``accepted_at`` is when the completion was accepted: what systems changed later doesn't count.
    """

    created_at: datetime
    new_id: Callable[[], str]
    task_run_id: str | None = None
    accepted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unusable:
    """The check of a criterion that can't be used: it fails and says why."""

    kind: ClassVar[str] = "unusable"

    why: str

    def run(self, evidence: PlaygroundState) -> Outcome:  # noqa: ARG002 - there is nothing to look at
        return Scored(0.0, False, self.why)


@dataclass(frozen=True, slots=True)
class WithinBounds:
    """A check that is not measured if what it should look at is too much, or a pattern takes too many steps."""

    kind: ClassVar[str] = "within bounds"

    check: Check[PlaygroundState]

    def run(self, evidence: PlaygroundState) -> Outcome:
        try:
            return self.check.run(evidence)
        except (BoundsError, UnmeasuredError) as error:
            return Scored(0.0, False, f"not measured: {error}", NOT_MEASURED)


@functools.cache
def kinds() -> list[str]:
    """The values that ``assert`` can have."""
    return [module.replace("_", "-") for module in modules_in(checks)]


def check_class(kind: str) -> type[PlaygroundCheck]:
    """The class that answers for a value of ``assert``."""
    return class_in(checks, kind.replace("-", "_"), kind)


def check_of(assertion: Mapping[str, Any], data: Mapping[str, Any]) -> PlaygroundCheck:
    """The check that an assertion asks for. Raises ``ValueError`` that says why there is none."""
    try:
        return _made_check(assertion, data) if data else _check_without_data(json.dumps(assertion))
    except (TypeError, RecursionError):
        return _made_check(assertion, data)


@functools.lru_cache(maxsize=1024)
def _check_without_data(assertion: str) -> PlaygroundCheck:
    """Made once for many playgrounds: a check never changes."""
    return _made_check(json.loads(assertion), {})


def _made_check(assertion: Mapping[str, Any], data: Mapping[str, Any]) -> PlaygroundCheck:
    kind = assertion.get(DISCRIMINATOR)
    if not isinstance(kind, str) or kind not in kinds():
        raise ValueError(f"{DISCRIMINATOR} must be one of {', '.join(kinds())}, got {kind!r}")
    cls = check_class(kind)
    written = {key: value for key, value in assertion.items() if key != DISCRIMINATOR}
    given = fill_variables(written, data, cls.escapes)
    check: PlaygroundCheck = make_check(cls, given)
    return check


def complete(
    criteria: Sequence[AskedCriterion],
    data: Mapping[str, Any],
    state: PlaygroundState,
    stamp: Stamp,
    judge: Judge | None = None,
    time: Clock | None = None,
) -> Completion:
    """Ask all criteria, side by side; no source is asked the same question twice.

    If a source is down, ``MeasurementError`` passes through and nothing is scored; of several, it is that of the
    first criterion. A check that breaks raises it too, because that says nothing about the agent. A judge changes
    no score. Without ``time``, no check waits (``wait_s``).
    """
    return ask(compile_criteria(criteria, data), state, stamp, judge, time)


@dataclass(frozen=True, slots=True)
class CompiledCriteria:
    """Criteria with their checks, made once: asking them again costs no more than asking."""

    criteria: tuple[AskedCriterion, ...]
    checks: tuple[PlacedCheck[PlaygroundState], ...]

    @property
    def may_wait(self) -> bool:
        """Whether a check asks another system than the records."""
        return any(_may_wait(one) for one in self.checks)


def compile_criteria(criteria: Sequence[AskedCriterion], data: Mapping[str, Any]) -> CompiledCriteria:
    """The checks of criteria, with the values of ``data`` filled in."""
    return CompiledCriteria(
        tuple(criteria),
        tuple(PlacedCheck(Placement(one.label, one.weight, one.axis), _check(one, data)) for one in criteria),
    )


def ask(
    asked: CompiledCriteria,
    state: PlaygroundState,
    stamp: Stamp,
    judge: Judge | None = None,
    time: Clock | None = None,
) -> Completion:
    """The same as ``complete``, with checks that were made before."""
    shared = SharedState(state, judge=SharedJudge(judge), time=time, accepted_at=stamp.accepted_at)
    placed = _grade_checks(asked.checks, shared)
    _refuse_broken(placed)
    score = exact_mean(placed)
    runs = zip(asked.criteria, asked.checks, placed, strict=True)
    return Completion(
        verdict=verdict_of(score),
        score=score or 0.0,
        axes={axis or DEFAULT_AXIS: _axis(answers) for axis, answers in by_axis(placed).items()},
        criterion_runs=[_run(one, check, answer, stamp) for one, check, answer in runs],
    )


def _grade_checks(checks: Sequence[PlacedCheck[PlaygroundState]], shared: SharedState) -> tuple[Placed, ...]:
    """Checks that only look at records are asked here. A thread costs more than most of their answers."""
    if sum(_may_wait(one) for one in checks) < 2:
        return grade(checks, shared)
    with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE, thread_name_prefix="criterion") as threads:
        try:
            return grade(checks, shared, partial(_side_by_side, threads))
        finally:
            # After an error, those that still wait for something to show up need not go on.
            shared.stop()


def _side_by_side(
    threads: ThreadPoolExecutor, put: Ask[PlaygroundState], checks: Iterable[PlacedCheck[PlaygroundState]]
) -> Iterator[Placed]:
    """Those that may wait are asked all at once; the answers come in the order of the checks."""
    asked = [(one, threads.submit(put, one) if _may_wait(one) else None) for one in checks]
    return (put(one) if waiting is None else waiting.result() for one, waiting in asked)


def _may_wait(placed: PlacedCheck[PlaygroundState]) -> bool:
    """Whether a check asks another system than the records: a server, a place for files, a judge."""
    check = placed.check.check if isinstance(placed.check, WithinBounds) else placed.check
    return check.kind in REMOTE or getattr(check, "paraphrase", False)


def _check(criterion: AskedCriterion, data: Mapping[str, Any]) -> Check[PlaygroundState]:
    if isinstance(criterion, UnusableCriterion):
        return Unusable(f"the criterion can't be used: {criterion.why}")
    try:
        return WithinBounds(check_of(criterion.assertion, data))
    except ValueError as error:
        return Unusable(f"unsupported assertion: {error}")


def _refuse_broken(placed: Sequence[Placed]) -> None:
    """The message of the error is left out, because it may contain values of the playground."""
    for one in placed:
        if isinstance(one.outcome, Errored):
            what = f"the check of criterion {one.placement.name!r} broke ({one.outcome.error_type})"
            raise BrokenCheckError(f"{what}; nothing is scored")


def _axis(placed: Sequence[Placed]) -> AxisScore:
    return AxisScore(score=exact_mean(placed) or 0.0, weight=exact_total(one.placement.weight for one in placed))


def _is_unmeasured(outcome: Outcome) -> bool:
    return isinstance(outcome, Scored) and outcome.evidence.get("measured") is False


def _run(
    criterion: AskedCriterion, asked: PlacedCheck[PlaygroundState], placed: Placed, stamp: Stamp
) -> CriterionRun:
    outcome, kind = placed.outcome, criterion.assertion.get(DISCRIMINATOR)
    details = f"does not apply: {outcome.summary}" if isinstance(outcome, NotApplicable) else outcome.summary
    return CriterionRun(
        id=stamp.new_id(),
        task_run_id=stamp.task_run_id,
        criterion_id=criterion.id,
        label=criterion.label,
        assert_=kind if isinstance(kind, str) else None,
        axis=criterion.axis,
        weight=criterion.weight,
        score=outcome.score if isinstance(outcome, Scored) else 0.0,
        passed=isinstance(outcome, Scored) and outcome.passed,
        status="failed" if isinstance(asked.check, Unusable) or _is_unmeasured(outcome) else "completed",
        details=shown_details(details),
        evidence=shown_evidence(outcome.evidence) if isinstance(outcome, Scored) else {},
        created_at=stamp.created_at,
    )


@dataclass(frozen=True, slots=True)
class OpenPlayground:
    """A playground whose sources can be asked. ``stored`` and ``given`` are values that criteria can refer to."""

    state: PlaygroundState
    stored: Mapping[str, Any]
    given: Mapping[str, Any]
    judge: Judge | None = None


def verify_criteria(
    file: LoadedCriteria, playground: AbstractContextManager[OpenPlayground], time: Clock, stamp: Stamp
) -> Completion:
    """Open the playground, ask its sources and score.

    Values in ``given`` take precedence over those in the criteria file, which take precedence over ``stored``.
    Raises ``MeasurementError`` if a source can't be reached.
    """
    with playground as sources:
        data = {**sources.stored, **file.data, **sources.given}
        return complete(file.criteria, data, sources.state, stamp, sources.judge, time)
