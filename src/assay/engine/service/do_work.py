"""The work of the service's workers, by kind."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from assay.core.broken import where_it_broke
from assay.core.errors import AssayError, BrokenCheckError, MeasurementError
from assay.dialects.criteria.resources import Status
from assay.engine.service.errors import BusyError, ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Owner
from assay.engine.service.runs import TaskRuns
from assay.engine.service.storage import Transaction
from assay.engine.service.task_runs import Claims, GradeRun, complete_task_run, end_overdue
from assay.engine.service.work import (
    Doer,
    SourceDownError,
    Work,
    WorkEnding,
    WorkKind,
    WorkQueue,
    try_work,
    work_once,
)

log = logging.getLogger("assay.worker")
SWEPT_AT_ONCE: Final = 100
PRUNED_AT_ONCE: Final = 500
MOST_PRUNED: Final = 20 * PRUNED_AT_ONCE
KEPT: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ServiceWork:
    """Everything that work is done with. ``coding`` has what this machine can do for coding runs.

    Work that is done is kept for ``kept``.
    """

    host: ServiceHost
    runs: TaskRuns
    work: WorkQueue
    grade: GradeRun
    claims: Claims
    coding: Callable[[], Mapping[str, Doer]]
    kept: timedelta = KEPT

    def doers(self) -> Mapping[str, Doer]:
        known = {WorkKind.COMPLETE_TASK_RUN.value: self.complete, **self.coding()}
        return {kind: _guard(doer) for kind, doer in known.items()}

    def step(self) -> bool:
        """Take one piece of work and do it; whether there was one."""
        return work_once(self.work, self.host, self.doers(), self.claims)

    def attempt(self, work: Work) -> WorkEnding:
        """Do a piece that a queue has handed out, and say how it goes on."""
        return try_work(work, self.doers(), self.host.now)

    def sweep(self) -> None:
        """End runs whose time is over, also if nobody asks for them. Accepted ones are queued instead.

        Forget old work, in small pieces that nobody has to wait for.
        """
        now = self.host.now()
        for organisation, run in self.runs.overdue(now, SWEPT_AT_ONCE):
            if run.completion_requested_at is None:
                end_overdue(self.runs, organisation, run, now)
            else:
                self.work.add(organisation, WorkKind.COMPLETE_TASK_RUN, run.id)
        for _ in range(0, MOST_PRUNED, PRUNED_AT_ONCE):
            if self.work.store.prune(now - self.kept, PRUNED_AT_ONCE) < PRUNED_AT_ONCE:
                break

    def complete(self, work: Work) -> None:
        """A run that ended in the meantime needs no grading any more. Only what breaks uses up a try."""
        owner = Owner(work.organisation)
        try:
            complete_task_run(self.runs, self.host, self.grade, self.claims, owner, work.target)
        except BrokenCheckError:
            raise
        except (BusyError, MeasurementError) as error:
            raise SourceDownError(str(error)) from error
        except ConflictError as error:
            log.info("nothing to complete: %s", error)


def queue_completion(runs: TaskRuns, queue: WorkQueue, owner: Owner, identity: str) -> Work | None:
    """Accept a completion and queue it, both or neither. None for a run that needs none, or comes too late."""
    added: list[str] = []

    def add(rows: Transaction) -> None:
        added.append(queue.add_within(rows, owner.organisation, WorkKind.COMPLETE_TASK_RUN, identity))

    run = runs.accept(owner, identity, add)
    if added:
        queue.wake()
        return queue.get(owner.organisation, added[0])
    if run.status is not Status.ACTIVE or run.completion_requested_at is None:
        return None
    return queue.add(owner.organisation, WorkKind.COMPLETE_TASK_RUN, run.id)


def _guard(doer: Doer) -> Doer:
    """A mistake of Assay's own breaks a piece of work, and not the worker."""

    def do(work: Work) -> None:
        try:
            doer(work)
        except AssayError:
            raise
        except Exception as error:
            log.error("work %s broke: %s", work.id, where_it_broke(error))
            raise MeasurementError(f"the worker broke ({type(error).__name__})") from error

    return do
