"""Gradings of coding runs. A run's row shows its latest grading, unless that broke."""

import json
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from assay.adapters.store.coding_tables import coding_runs, grading_requests
from assay.adapters.store.run_tables import gradings, run_files, runs
from assay.adapters.store.runs.reviews import note_reviews
from assay.adapters.store.runs.run_values import insert_beside, run_values
from assay.adapters.store.runs.totals import uncount
from assay.adapters.store.service.coding_runs import StoredCodingRuns
from assay.adapters.store.service.coding_tasks import StoredCodingTasks
from assay.adapters.store.service.paging import AddedRows, mine, one
from assay.adapters.store.service.run_rows import without_nan
from assay.adapters.store.store import Store
from assay.dialects.scorers.report import json_text
from assay.dialects.scorers.resources import CodingRun, CodingTask, GradingState
from assay.dialects.scorers.scenario import hash_of
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.explorer.blobs import Blob, BlobStore
from assay.engine.explorer.imported_runs import Kept
from assay.engine.service.coding_grading import CodingResult, GradingRequest
from assay.engine.service.coding_rows import WORKSPACE, coding_row, diff_name, named_files
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost
from assay.evidence.coding_run import Diff
from assay.evidence.run import State

SEARCHED = ("trajectory", "messages", "final_response", "response")
# What of a run is decided when it is added.
_KEPT = ("id", "organisation", "created_at", "kind", "job", "name", "digest")


class StoredCodingGradings(AddedRows):
    """Fulfils ``GradingStore``."""

    def __init__(
        self,
        store: Store,
        host: ServiceHost,
        blobs: BlobStore,
        tasks: StoredCodingTasks,
        found: StoredCodingRuns,
    ) -> None:
        super().__init__(store, host)
        self._blobs = blobs
        self._tasks = tasks
        self._runs = found

    def keep_grading(
        self, organisation: str, run: str, graded: CodingResult, at: datetime, request: str | None = None
    ) -> None:
        known = self._graded(organisation, run, graded)
        with self._store.writing() as connection:
            if not _taken(connection, organisation, run, at, request):
                return
            record = known.record(at, *_last(connection, run))
            _show(connection, organisation, known, record, at)
            written = without_nan(json_text(record.model_dump(mode="json")))
            values = {"run": run, "number": record.number, "record": written, "created_at": at}
            self._insert(connection, gradings, "grad", organisation, **values)
            if request is not None:
                done = update(grading_requests).where(grading_requests.c.id == request)
                connection.execute(done.values(number=record.number))

    def add_request(self, organisation: str, run: str, judge_only: bool) -> GradingRequest:
        """Ask for another grading. One of the same kind that waits is returned. Raises ``NotFoundError``."""
        coding = self._runs.coding_run(organisation, run)
        if coding.state is not GradingState.GRADED:
            raise ConflictError(
                f"the coding run must be graded to be graded again, but it is {coding.state.value}"
            )
        table = grading_requests
        waiting = (table.c.run == run) & (table.c.judge_only == judge_only) & table.c.number.is_(None)
        with self._store.writing() as connection:
            connection.execute(select(coding_runs.c.id).where(coding_runs.c.id == run).with_for_update())
            found = connection.execute(select(table).where(waiting)).first()
            asked = {"run": run, "judge_only": judge_only}
            known = self._insert(connection, table, "again", organisation, **asked) if found is None else found.id
        return self.request(organisation, known)

    def request(self, organisation: str, identity: str) -> GradingRequest:
        row = self._one(grading_requests, organisation, identity, "request")
        return GradingRequest(row.id, row.run, row.judge_only, row.number)

    def latest_grading(self, organisation: str, run: str) -> tuple[Scoring, Diff | None]:
        query = mine(gradings, organisation, run=run).order_by(gradings.c.number.desc()).limit(1)
        record = Scoring.model_validate_json(json.dumps(one(self._store.rows(query), "grading").record))
        if record.diff_sha256 is None:
            return record, None
        text = b"".join(self._blobs.read(record.diff_sha256)).decode(errors="replace")
        return record, Diff(text, record.diff_sha256, record.diff_cut)

    def _graded(self, organisation: str, run: str, graded: CodingResult) -> "_Graded":
        """Everything that is kept of a grading. Its diff is safe when this returns."""
        coding = self._runs.coding_run(organisation, run)
        text = None if graded.diff is None else graded.diff.text.encode("utf-8", "replace")
        return _Graded(
            coding,
            self._tasks.coding_task(organisation, coding.task_id),
            graded,
            None if text is None else self._blobs.put([text]),
            self._searched(coding),
        )

    def _searched(self, coding: CodingRun) -> str:
        """The words of trajectory and final response."""
        wanted = [file.sha256 for file in coding.files if file.path.rpartition("/")[2].startswith(SEARCHED)]
        return "\n".join(b"".join(self._blobs.read(digest)).decode(errors="replace") for digest in wanted)


@dataclass(frozen=True, slots=True)
class _Graded:
    """A grading on its way into the store."""

    coding: CodingRun
    task: CodingTask
    graded: CodingResult
    diff: Blob | None
    searched: str

    def record(self, at: datetime, last: int, previous: str | None) -> Scoring:
        return Scoring(
            number=last + 1,
            task=self.task.id,
            scenario=self.graded.scenario,
            scored_at=at,
            turns=list(self.graded.turns),
            workspace_sha256=self.coding.workspace_sha256,
            diff_sha256=None if self.diff is None else self.diff.digest,
            diff_cut=self.graded.diff is not None and self.graded.diff.cut,
            previous=previous,
            report=self.graded.report,
        )

    def row(self, record: Scoring) -> Kept:
        beside = {} if self.diff is None else {diff_name(record.number): self.diff}
        if self.coding.workspace_sha256 is not None:
            beside[WORKSPACE] = Blob(self.coding.workspace_sha256, self.coding.workspace_bytes or 0)
        return coding_row(self.coding, self.task, record, named_files(self.coding.files, beside), self.searched)


def _taken(connection: Connection, organisation: str, run: str, at: datetime, request: str | None) -> bool:
    """Whether the grading is still wanted. The run's row is locked, so that gradings follow each other."""
    row = connection.execute(mine(coding_runs, organisation, id=run).with_for_update()).one()
    if request is None:
        if row.state != GradingState.GRADING.value:
            return False
        graded = update(coding_runs).where(coding_runs.c.id == run)
        connection.execute(graded.values(state=GradingState.GRADED.value, graded_at=at))
        return True
    number = select(grading_requests.c.number).where(grading_requests.c.id == request)
    return connection.execute(number).scalar_one() is None


def _last(connection: Connection, run: str) -> tuple[int, str | None]:
    """The number of the newest grading, and the hash of its record."""
    newest = select(gradings).where(gradings.c.run == run).order_by(gradings.c.number.desc()).limit(1)
    row = connection.execute(newest).first()
    return (0, None) if row is None else (row.number, hash_of(row.record))


def _show(connection: Connection, organisation: str, known: _Graded, record: Scoring, at: datetime) -> None:
    """The row of the explorer. A grading that broke replaces no other one's answers."""
    run, row = known.coding.id, known.row(record)
    if record.number > 1 and known.diff is not None:
        name = diff_name(record.number)
        file = {"run": run, "name": name, "blob": known.diff.digest, "size": known.diff.size}
        connection.execute(insert(run_files).values(organisation=organisation, **file))
    if record.number == 1 or row.run.state is not State.BROKEN:
        # It is counted later, so that gradings that end at the same time don't wait for each other.
        uncount(connection, organisation, [run])
        values = run_values(organisation, run, row, at)
        shown = {name: value for name, value in values.items() if name not in _KEPT or name == "digest"}
        connection.execute(update(runs).where(runs.c.id == run).values(shown))
        note_reviews(connection, run)
    if record.number == 1:
        insert_beside(connection, organisation, [(run, row)], anew=True)
