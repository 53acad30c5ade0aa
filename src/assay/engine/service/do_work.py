"""The work of the service's workers, by kind."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.core.broken import where_it_broke
from assay.core.errors import AssayError, BrokenCheckError, MeasurementError
from assay.engine.service.errors import BusyError, ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Owner
from assay.engine.service.runs import TaskRuns
from assay.engine.service.task_runs import Claims, GradeRun, complete_task_run, end_overdue
from assay.engine.service.work import Doer, SourceDownError, Work, WorkKind, WorkQueue, work_once

log = logging.getLogger("assay.worker")
SWEPT_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class ServiceWork:
    """Everything that work is done with. ``coding`` has what this machine can do for coding runs."""

    host: ServiceHost
    runs: TaskRuns
    work: WorkQueue
    grade: GradeRun
    claims: Claims
    coding: Callable[[], Mapping[str, Doer]]

    def doers(self) -> Mapping[str, Doer]:
        known = {WorkKind.COMPLETE_TASK_RUN.value: self.complete, **self.coding()}
        return {kind: _guard(doer) for kind, doer in known.items()}

    def step(self) -> bool:
        """Do one piece of work; whether there was one."""
        did = work_once(self.work, self.host, self.doers(), self.claims)
        return did is not None

    def sweep(self) -> None:
        """End runs whose time is over, also if nobody asks for them. Accepted ones are queued instead."""
        now = self.host.now()
        for organisation, run in self.runs.overdue(now, SWEPT_AT_ONCE):
            if run.completion_requested_at is None:
                end_overdue(self.runs, organisation, run, now)
            else:
                self.work.add(organisation, WorkKind.COMPLETE_TASK_RUN, run.id)

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
