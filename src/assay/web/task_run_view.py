"""A task run as a page shows it: its criteria with their evidence, and what the playground recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.dialects.criteria.models import CriterionRun
from assay.dialects.criteria.resources import Snapshot, Status, TaskRun
from assay.engine.criteria.watched_sources import ShownRecords
from assay.engine.explorer.why import listed
from assay.engine.service.keys import Owner
from assay.engine.service.runs import Ending, TaskRuns
from assay.evidence.run import MEANINGS, State
from assay.web.evidence_table import EvidenceRow, evidence_rest, evidence_rows, looked_at
from assay.web.playground_view import RecordsView, view_records


@dataclass(frozen=True, slots=True)
class CriterionView:
    """How a criterion came out, with its evidence as rows. ``share`` is its part of the whole weight."""

    run: CriterionRun
    rows: tuple[EvidenceRow, ...]
    rest: Mapping[str, Any]
    share: float


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task run with everything that explains its score."""

    run: TaskRun
    task: Snapshot
    criteria: Sequence[CriterionView]
    records: RecordsView

    @property
    def state(self) -> State:
        """The state of the run, or how far it is."""
        if self.run.status is Status.ACTIVE:
            return State.RUNNING if self.run.started_at else State.PENDING
        ending = Ending(
            self.run.status, self.run.completed_at or self.run.created_at, self.run.verdict, self.run.score
        )
        return ending.decision.state

    @property
    def because(self) -> str:
        """Why it came to that, in one sentence."""
        failed = [one.run.label for one in self.criteria if not one.run.passed]
        if self.run.status is not Status.COMPLETED:
            return self.run.reason or f"{MEANINGS[self.state].capitalize()}."
        return f"{listed(failed)} failed." if failed else "Every criterion holds."

    @property
    def failed_first(self) -> list[CriterionView]:
        """Those that failed before those that passed, each in the order of the task."""
        return sorted(self.criteria, key=lambda one: one.run.passed)


def view_task_run(runs: TaskRuns, records: ShownRecords, owner: Owner, identity: str) -> TaskView:
    """Raises ``NotFoundError``."""
    run = runs.task_run(owner, identity)
    found = runs.criterion_runs_of(owner, run.id)
    whole = sum(one.weight for one in found)
    return TaskView(
        run,
        runs.snapshot(owner.organisation, run.snapshot),
        [view_criterion(one, one.weight / whole if whole else 0.0) for one in found],
        view_records(records, run.playground_id, looked_at(found)),
    )


def view_criterion(run: CriterionRun, share: float = 1.0) -> CriterionView:
    return CriterionView(run, evidence_rows(run.evidence), evidence_rest(run.evidence), share)
