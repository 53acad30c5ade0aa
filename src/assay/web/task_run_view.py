"""A task run as a page shows it: its criteria with their evidence, and the first records of its playground.

What is read is bounded by far less than what criteria may read, because a page is read by a person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.dialects.criteria.models import CriterionRun
from assay.dialects.criteria.resources import Snapshot, Status, TaskRun
from assay.engine.criteria.watched_sources import MOST_SHOWN, Contents, ShownRecords
from assay.engine.explorer.why import listed
from assay.engine.service.keys import Owner
from assay.engine.service.runs import Ending, TaskRuns
from assay.evidence.playground import StateRow, StoredFile, Turn
from assay.evidence.run import MEANINGS, State
from assay.web.evidence_table import EvidenceRow, Looked, evidence_rest, evidence_rows, looked_at
from assay.web.readable_messages import ReadableMessages, ShownMessage, readable_hl7, readable_x12, unreadable

OUTBOUND: Final = "hl7_outbound"


@dataclass(frozen=True, slots=True)
class RecordsView:
    """A playground's records."""

    contents: Contents
    hl7: ReadableMessages
    x12: ReadableMessages
    other_events: Sequence[ShownMessage]
    rows: Mapping[str, Sequence[StateRow]]
    turns: Sequence[Turn]
    files: Sequence[StoredFile]


def view_records(records: ShownRecords, playground: str, looked: Sequence[Looked] = ()) -> RecordsView:
    """The records of a playground, with the fields marked that criteria looked at."""
    found = records.contents(playground)
    others = [one for kind in found.events if kind != OUTBOUND for one in records.events(playground, kind)]
    return RecordsView(
        found,
        readable_hl7(records.events(playground, OUTBOUND), looked),
        readable_x12(records.x12_responses(playground), looked),
        [unreadable(one, one.unread or "") for one in others[:MOST_SHOWN]],
        {name: records.state_rows(playground, name)[:MOST_SHOWN] for name in list(found.resources)[:MOST_SHOWN]},
        records.turns(playground),
        records.files(playground, MOST_SHOWN),
    )


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
