"""Coding runs until they are graded: their uploads, and how their agents ended."""

import re
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from assay.adapters.store.coding_tables import coding_files, coding_runs, coding_tasks
from assay.adapters.store.run_tables import runs
from assay.adapters.store.runs.run_values import insert_beside, run_values
from assay.adapters.store.runs.totals import uncount
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, of_row, one
from assay.adapters.store.store import Store
from assay.adapters.store.writing import put
from assay.core.errors import InputError
from assay.dialects.scorers.resources import (
    CodingRun,
    CompletedBy,
    GradingState,
    NewCodingRun,
    TaskState,
    UploadedFile,
)
from assay.engine.explorer.blobs import BlobStore
from assay.engine.service.coding_grading import LeftByAgent
from assay.engine.service.coding_rows import waiting_row
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost
from assay.evidence.run import State

MOST_FILES: Final = 1000
_PART: Final = r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}"
_PATH: Final = re.compile(rf"{_PART}(?:/{_PART}){{0,5}}")


# What the explorer shows of a run that was handed in, or ended without that.
_SHOWN: Final = {GradingState.GRADING: State.RUNNING, GradingState.CANCELLED: State.CANCELLED}


class StoredCodingRuns(AddedRows):
    """Runs that take uploads. Once they are graded, ``StoredCodingGradings`` has them."""

    def __init__(self, store: Store, host: ServiceHost, blobs: BlobStore) -> None:
        super().__init__(store, host)
        self._blobs = blobs

    def add(self, organisation: str, task: str, new: NewCodingRun) -> CodingRun:
        """Raises ``NotFoundError``, ``ConflictError`` if the task isn't ready."""
        found = self._one(coding_tasks, organisation, task, "coding task")
        if found.state != TaskState.READY.value:
            raise ConflictError(f"the coding task must be ready, but it is {found.state}")
        name = ((found.record or {}).get("scenario") or {}).get("name")
        told = new.model_dump(exclude={"metadata"})
        values = {**told, "task": task, "about": new.metadata, "state": GradingState.OPEN.value}
        with self._store.writing() as connection:
            identity = self._insert(connection, coding_runs, "run", organisation, **values)
            row = waiting_row(identity, new, task, name, f"{found.scenario}@{found.version}")
            connection.execute(insert(runs).values(run_values(organisation, identity, row, self._host.now())))
            insert_beside(connection, organisation, [(identity, row)])
        return self.coding_run(organisation, identity)

    def coding_run(self, organisation: str, identity: str) -> CodingRun:
        return self._shown([self._one(coding_runs, organisation, identity, "coding run")])[0]

    def page(self, organisation: str, asked: PageRequest, **wanted: str | None) -> Rows[CodingRun]:
        rows = self._page(coding_runs, organisation, asked, **wanted)
        return rows.all(self._shown(rows.rows))

    def _shown(self, rows: Any) -> list[CodingRun]:
        """Rows with their files."""
        files: dict[str, list[UploadedFile]] = {}
        identities = [row.id for row in rows]
        query = select(coding_files).where(coding_files.c.run.in_(identities)).order_by(coding_files.c.path)
        for file in self._store.rows(query) if identities else ():
            files.setdefault(file.run, []).append(of_row(UploadedFile, file, sha256=file.digest))
        return [_run(row, files.get(row.id, [])) for row in rows]

    def put_workspace(self, organisation: str, identity: str, content: bytes) -> None:
        """The archive of what the agent left. One that was sent before is replaced, as long as the run is open."""
        blob = self._blobs.put([content])
        with self._store.writing() as connection:
            self._check_open(connection, organisation, identity)
            changed = update(coding_runs).where(coding_runs.c.id == identity)
            connection.execute(changed.values(workspace=blob.digest, workspace_size=blob.size))

    def put_file(self, organisation: str, identity: str, path: str, content: bytes) -> None:
        """A file among the agent's logs. One of the same path is replaced, as long as the run is open."""
        _check_path(path)
        blob = self._blobs.put([content])
        changed: dict[str, object] = {"digest": blob.digest, "size": blob.size}
        with self._store.writing() as connection:
            self._check_open(connection, organisation, identity)
            known = set(connection.scalars(select(coding_files.c.path).where(coding_files.c.run == identity)))
            _check_room(path, known)
            put(connection, coding_files, {"run": identity, "path": path, **changed}, changed)

    def complete(self, organisation: str, identity: str, ending: CompletedBy, at: datetime) -> bool:
        kept = ending.model_dump(mode="json")
        return self._close(organisation, identity, GradingState.GRADING, at, ending=kept)

    def cancel(self, organisation: str, identity: str, at: datetime) -> bool:
        return self._close(organisation, identity, GradingState.CANCELLED, at)

    def _close(
        self, organisation: str, identity: str, state: GradingState, at: datetime, **values: object
    ) -> bool:
        own = (coding_runs.c.organisation == organisation) & (coding_runs.c.id == identity)
        still = own & (coding_runs.c.state == GradingState.OPEN.value)
        closed = update(coding_runs).where(still).values(state=state.value, ended_at=at, **values)
        shown = _SHOWN[state].value
        with self._store.writing() as connection:
            done = bool(connection.execute(closed).rowcount)
            if done:
                uncount(connection, organisation, [identity])
                row = update(runs).where(runs.c.id == identity)
                connection.execute(row.values(state=shown, run_status=shown))
            return done

    def has_scorers(self, organisation: str, identity: str) -> bool:
        record = self._task_of(organisation, identity).record
        return bool(record["scenario"]["scorers"])

    def left_by_agent(self, organisation: str, identity: str) -> LeftByAgent:
        run = self.coding_run(organisation, identity)
        return LeftByAgent(
            run.task_id,
            self._content(self._task_of(organisation, identity).archive),
            None if run.workspace_sha256 is None else self._content(run.workspace_sha256),
            {file.path: self._content(file.sha256) for file in run.files},
            run.ending or CompletedBy(),
        )

    def _task_of(self, organisation: str, identity: str) -> Any:
        run = self._one(coding_runs, organisation, identity, "coding run")
        return self._one(coding_tasks, organisation, run.task, "coding task")

    def _content(self, digest: str) -> bytes:
        return b"".join(self._blobs.read(digest))

    @staticmethod
    def _check_open(connection: Connection, organisation: str, identity: str) -> None:
        """The row is locked, so that nobody completes the run before the upload is noted."""
        locked = mine(coding_runs, organisation, id=identity).with_for_update()
        row = one(connection.execute(locked).all(), "coding run")
        if row.state != GradingState.OPEN.value:
            raise ConflictError(f"the coding run takes no more files: it is {row.state}")


def _run(row: Any, files: list[UploadedFile]) -> CodingRun:
    return of_row(
        CodingRun,
        row,
        task_id=row.task,
        metadata=row.about,
        state=GradingState(row.state),
        workspace_sha256=row.workspace,
        workspace_bytes=row.workspace_size,
        files=files,
        ending=None if row.ending is None else CompletedBy.model_validate(row.ending),
    )


def _check_path(path: str) -> None:
    if len(path) > 400 or not _PATH.fullmatch(path):
        raise InputError(
            "the path of a file must be names of letters, digits, '.', '_' and '-' with '/' between them, none of"
            f" which begins with '.', got {path[:100]!r}"
        )


def _check_room(path: str, known: set[str]) -> None:
    if path not in known and len(known) >= MOST_FILES:
        raise ConflictError(f"a coding run must have at most {MOST_FILES} files")
    if any(one.startswith(f"{path}/") or path.startswith(f"{one}/") for one in known):
        raise ConflictError("a path must be a file or a folder, and it can't be both")
