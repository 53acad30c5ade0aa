"""Start, complete and cancel a task run.

The first completion that comes in time is accepted: that is the agent's part. From then on the deadline no longer
applies, and only the grading ends the run, by the state of that moment.

A run is graded once. Who completes it claims it first, so that of two at the same time one grades and the other
waits for that result. A source that is down scores nothing: the claim is given back, and the run can be completed
again. If the process dies, its claim runs out.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from assay.dialects.criteria.models import Completion, CriterionRun, Verdict
from assay.dialects.criteria.resources import Phase, Snapshot, Status, TaskRun
from assay.engine.service.errors import BusyError, ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Owner
from assay.engine.service.runs import Also, Ending, TaskRuns

WAIT_SEC: Final = 60.0
FIRST_PAUSE_SEC: Final = 0.005
LONGEST_PAUSE_SEC: Final = 0.25


@dataclass(frozen=True, slots=True)
class Completed:
    """A run that ended with a score, and how its criteria came out."""

    run: TaskRun
    criterion_runs: Sequence[CriterionRun]


class GradeRun(Protocol):
    """Holds the criteria of a task against the playground of a run. Raises ``MeasurementError``."""

    def __call__(self, organisation: str, run: TaskRun, snapshot: Snapshot) -> Completion: ...


class Claims(Protocol):
    """A process's claims. A claim that nobody renews runs out after ``lasting``."""

    @property
    def lasting(self) -> timedelta: ...

    def holding(self, claim: str) -> AbstractContextManager[None]:
        """Within the context, the claim is renewed before it runs out."""


def start_task_run(store: TaskRuns, owner: Owner, identity: str) -> TaskRun:
    """Start a run; one that was started before stays as it is. Raises ``ConflictError`` for one that ended."""
    run = store.start(owner, identity, store.host.now())
    if run.status is not Status.ACTIVE:
        raise ConflictError(f"the task run can't be started: it is {run.status.value}")
    return run


def cancel_task_run(store: TaskRuns, owner: Owner, identity: str, reason: str | None) -> TaskRun:
    """Cancel a run that has not ended; it doesn't count. Raises ``ConflictError`` for one that ended otherwise."""
    return _end_without_grading(store, owner, identity, Ending(Status.CANCELLED, store.host.now(), reason=reason))


def fail_task_run(store: TaskRuns, owner: Owner, identity: str, reason: str | None) -> TaskRun:
    """End a run that broke on the agent's side: it counts as 0."""
    ending = Ending(Status.FAILED, store.host.now(), Verdict.FAIL, 0.0, {}, reason)
    return _end_without_grading(store, owner, identity, ending)


def _end_without_grading(store: TaskRuns, owner: Owner, identity: str, ending: Ending) -> TaskRun:
    store.task_run(owner, identity)
    store.end(owner.organisation, identity, ending, None)
    run = store.task_run(owner, identity)
    if run.status is not ending.status:
        raise ConflictError(f"the task run must be active, but it is {run.status.value}")
    return run


def complete_task_run(
    store: TaskRuns,
    host: ServiceHost,
    grade: GradeRun,
    claims: Claims,
    owner: Owner,
    identity: str,
    also: Also | None = None,
) -> Completed:
    """Grade a started run, or answer how it ended before. Never grades twice; ``also`` is done with grading it.

    Raises ``ConflictError`` for a run that has no result to give, and ``MeasurementError`` if a source is down.
    """
    claim = host.new_id("claim")
    patience = _Patience(host)
    while True:
        now = host.now()
        run = store.claim(owner, identity, claim, now, now + claims.lasting)
        if run is not None:
            done = _grade(store, grade, claims, owner.organisation, run, claim)
            result = (done.verdict, done.score, done.axes, None, done.criterion_runs)
            ending = Ending(Status.COMPLETED, host.now(), *result)
            if store.end(owner.organisation, run.id, ending, claim, also):
                return Completed(_ended_run(run, ending), ending.criterion_runs)
        else:
            run = store.task_run(owner, identity)
            if run.status is Status.ACTIVE and not end_overdue(store, owner.organisation, run, now):
                if run.phase is Phase.CREATED:
                    raise ConflictError("the task run must be started before it is completed")
                patience.wait()
                continue
        run = store.task_run(owner, identity)
        if run.status is not Status.ACTIVE:
            return _result(store, owner, run)


def end_overdue(store: TaskRuns, organisation: str, run: TaskRun, now: datetime) -> bool:
    """Whether the time of a run is over, and no completion came before. Then it is timed out: fail, with 0."""
    if run.status is not Status.ACTIVE or run.deadline_at is None or now < run.deadline_at:
        return False
    if run.completion_requested_at is not None:
        return False
    ending = Ending(Status.TIMED_OUT, now, Verdict.FAIL, 0.0, {}, "the time of the run is over")
    return store.end(organisation, run.id, ending, None)


def _result(store: TaskRuns, owner: Owner, run: TaskRun) -> Completed:
    if run.status in (Status.CANCELLED, Status.FAILED):
        raise ConflictError(f"the task run can't be completed: it is {run.status.value}")
    return Completed(run, store.criterion_runs_of(owner, run.id))


def _grade(
    store: TaskRuns, grade: GradeRun, claims: Claims, organisation: str, run: TaskRun, claim: str
) -> Completion:
    """How a claimed run comes out. If that can't be found out, the claim is given back."""
    try:
        with claims.holding(claim):
            return grade(organisation, run, store.snapshot(organisation, run.snapshot))
    except BaseException:
        store.release(claim)
        raise


def _ended_run(run: TaskRun, ending: Ending) -> TaskRun:
    """The run as it is written."""
    same = {name: getattr(ending, name) for name in ("status", "verdict", "score", "axes")}
    return run.model_copy(update={**same, "phase": Phase.COMPLETED, "completed_at": ending.at})


class _Patience:
    """Waits a little longer each time, and not for ever."""

    def __init__(self, host: ServiceHost) -> None:
        self._host = host
        self._end = host.clock() + WAIT_SEC
        self._pause = FIRST_PAUSE_SEC

    def wait(self) -> None:
        if self._host.clock() > self._end:
            raise BusyError("the task run is being graded; ask again in a moment")
        self._host.sleep(self._pause)
        self._pause = min(self._pause * 2, LONGEST_PAUSE_SEC)
