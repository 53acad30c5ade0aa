"""Coding runs as they are kept: their uploads, how their agents ended, and their gradings.

A run's row of the explorer shows its latest grading, unless that broke.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.resources import (
    CodingRun,
    CodingTask,
    CompletedBy,
    GradingState,
    NewCodingRun,
    TaskState,
    UploadedFile,
)
from assay.dialects.scorers.scenario import Scenario, hash_of
from assay.dialects.scorers.scored_run import AgentEnded, Scoring
from assay.engine.criteria.stored_limits import without_nan
from assay.engine.explorer.blobs import Blob, BlobStore
from assay.engine.service.coding_rows import WORKSPACE, coding_row, diff_name, named_files, waiting_row
from assay.engine.service.coding_tasks import CodingTasks
from assay.engine.service.errors import ConflictError
from assay.engine.service.storage import EMPTY, Resources, Row, RowReader, Transaction, insert_owned, require
from assay.evidence.bounds import json_text
from assay.evidence.coding_run import Diff
from assay.evidence.run import State

MOST_FILES: Final = 1000
_PART: Final = r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}"
_PATH: Final = re.compile(rf"{_PART}(?:/{_PART}){{0,5}}")
# What the explorer shows of a run that was handed in, or ended without that.
_LISTED: Final = {GradingState.GRADING: State.RUNNING, GradingState.CANCELLED: State.CANCELLED}
# The files whose words are searched, by the beginning of their names.
_SEARCHED: Final = ("trajectory", "messages", "final_response", "response")


@dataclass(frozen=True, slots=True)
class LeftByAgent:
    """The things to grade: a seeded task, the archive of a workspace, the agent's logs, how its program ended."""

    task_id: str
    task: bytes
    workspace: bytes | None
    logs: Mapping[str, bytes]
    ending: CompletedBy


@dataclass(frozen=True, slots=True)
class CodingResult:
    """The result: the scenario that decided, the report, and what was changed."""

    scenario: Scenario
    report: ScorersReport
    diff: Diff | None
    turns: Sequence[AgentEnded]


@dataclass(frozen=True, slots=True)
class GradingRequest:
    """A wish to grade a run again. ``number`` is that of the grading that came of it, once there is one."""

    id: str
    run: str
    judge_only: bool
    number: int | None


class CodingRuns(Resources[CodingRun]):
    """Runs of agents at seeded tasks. An open run takes uploads."""

    table, prefix, word, model = "coding_runs", "run", "coding run", CodingRun
    renamed: ClassVar = {
        "task_id": "task",
        "metadata": "about",
        "workspace_sha256": "workspace",
        "workspace_bytes": "workspace_size",
    }

    def __init__(self, tasks: CodingTasks, blobs: BlobStore) -> None:
        super().__init__(tasks.storage, tasks.host)
        self.tasks = tasks
        self.blobs = blobs

    def to_resources(self, rows: Sequence[Row]) -> list[CodingRun]:
        files: dict[str, list[UploadedFile]] = {row["id"]: [] for row in rows}
        for one in self.storage.every("coding_files", order="path", run=list(files)):
            files[one["run"]].append(UploadedFile(path=one["path"], size=one["size"], sha256=one["digest"]))
        return [self._resource(row, files=files[row["id"]]) for row in rows]

    def add(self, organisation: str, task: str, new: NewCodingRun) -> CodingRun:
        """Raises ``NotFoundError``, ``ConflictError`` if the task isn't ready."""
        row = self.tasks.row(self.storage, organisation, task)
        if row["state"] != TaskState.READY.value:
            raise ConflictError(f"the coding task must be ready, but it is {row['state']}")
        name = ((row["record"] or {}).get("scenario") or {}).get("name")
        values = {**new.model_dump(exclude={"metadata"}), "about": new.metadata, "task": task}
        with self.storage.transaction() as rows:
            identity = self._insert(rows, organisation, **values, state=GradingState.OPEN.value)
            listed = waiting_row(identity, new, task, name, f"{row['scenario']}@{row['version']}")
            rows.list_run(organisation, identity, listed, self.host.now())
        return self.get(organisation, identity)

    def put_workspace(self, organisation: str, identity: str, content: bytes) -> None:
        """The archive of what the agent left. One that was sent before is replaced, as long as the run is open."""
        blob = self.blobs.put([content])
        with self.storage.transaction() as rows:
            self._check_open(rows, organisation, identity)
            rows.change(self.table, {"workspace": blob.digest, "workspace_size": blob.size}, id=identity)

    def put_file(self, organisation: str, identity: str, path: str, content: bytes) -> None:
        """A file among the agent's logs. One of the same path is replaced, as long as the run is open."""
        _check_path(path)
        blob = self.blobs.put([content])
        with self.storage.transaction() as rows:
            self._check_open(rows, organisation, identity)
            _check_room(path, {row["path"] for row in rows.every("coding_files", order="path", run=identity)})
            rows.put("coding_files", {"run": identity, "path": path}, {"digest": blob.digest, "size": blob.size})

    def close(self, organisation: str, identity: str, state: GradingState, at: datetime, **values: Any) -> bool:
        """Close an open run, for grading or for good. Returns whether it was open."""
        still = {"organisation": organisation, "id": identity, "state": GradingState.OPEN.value}
        with self.storage.transaction() as rows:
            closed = rows.change(self.table, {"state": state.value, "ended_at": at, **values}, **still)
            if closed:
                listed = _LISTED[state].value
                rows.note_run(organisation, identity, {"state": listed, "run_status": listed})
            return bool(closed)

    def has_scorers(self, organisation: str, run: CodingRun) -> bool:
        """Whether the run's task has any."""
        return bool(self.tasks.row(self.storage, organisation, run.task_id)["record"]["scenario"]["scorers"])

    def left_by_agent(self, organisation: str, identity: str) -> LeftByAgent:
        run = self.get(organisation, identity)
        return LeftByAgent(
            run.task_id,
            self._content(self.tasks.row(self.storage, organisation, run.task_id)["archive"]),
            None if run.workspace_sha256 is None else self._content(run.workspace_sha256),
            {file.path: self._content(file.sha256) for file in run.files},
            run.ending or CompletedBy(),
        )

    def searched_text(self, run: CodingRun) -> str:
        """The words of trajectory and final response."""
        wanted = [file.sha256 for file in run.files if file.path.rpartition("/")[2].startswith(_SEARCHED)]
        return "\n".join(self._content(digest).decode(errors="replace") for digest in wanted)

    def _content(self, digest: str) -> bytes:
        return b"".join(self.blobs.read(digest))

    def _check_open(self, rows: Transaction, organisation: str, identity: str) -> None:
        """The row is locked, so that nobody completes the run before the upload is noted."""
        row = self.lock_row(rows, organisation, identity)
        if row["state"] != GradingState.OPEN.value:
            raise ConflictError(f"the coding run takes no more files: it is {row['state']}")


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


class CodingGradings:
    """The gradings of coding runs, each of which follows the one before it. They are only added."""

    def __init__(self, runs: CodingRuns) -> None:
        self._runs = runs
        self._storage, self._host = runs.storage, runs.host

    def keep(
        self, organisation: str, run: str, graded: CodingResult, at: datetime, request: str | None = None
    ) -> None:
        """Add a grading with its number, naming the one before it: the first one of a run that is being graded, or
        that of a request which has none yet. Otherwise nothing is written.
        """
        coding = self._runs.get(organisation, run)
        task = self._runs.tasks.get(organisation, coding.task_id)
        # The diff is safe before anything names it.
        text = None if graded.diff is None else graded.diff.text.encode("utf-8", "replace")
        diff = None if text is None else self._runs.blobs.put([text])
        searched = self._runs.searched_text(coding)
        with self._storage.transaction() as rows:
            if not self._is_wanted(rows, organisation, run, at, request):
                return
            record = _record(rows, organisation, coding, graded, diff, at)
            self._list(rows, organisation, coding, task, record, diff, searched, at)
            written = without_nan(json_text(record.model_dump(mode="json")))
            values = {"created_at": at, "run": run, "number": record.number, "record": written}
            insert_owned(rows, self._host, "gradings", "grad", organisation, **values)
            if request is not None:
                rows.change("grading_requests", {"number": record.number}, id=request)

    def add_request(self, organisation: str, run: str, judge_only: bool) -> GradingRequest:
        """Ask for another grading. One of the same kind that waits is returned.

        Raises ``NotFoundError``, ``ConflictError`` for a run that isn't graded yet, or isn't a coding run.
        """
        if self._storage.find("coding_runs", organisation=organisation, id=run) is None:
            require(self._storage.find("runs", organisation=organisation, id=run), "run")
            raise ConflictError("a run must be a coding run to be graded again; others keep no workspace")
        state = self._runs.get(organisation, run).state
        if state is not GradingState.GRADED:
            raise ConflictError(f"the coding run must be graded to be graded again, but it is {state.value}")
        wanted: Row = {"run": run, "judge_only": judge_only}
        with self._storage.transaction() as rows:
            rows.lock("coding_runs", id=run)
            waiting = rows.find("grading_requests", number=EMPTY, **wanted)
            if waiting is not None:
                return _request(waiting)
            identity = insert_owned(rows, self._host, "grading_requests", "again", organisation, **wanted)
        return self.request(organisation, identity)

    def request(self, organisation: str, identity: str) -> GradingRequest:
        """Raises ``NotFoundError``."""
        found = self._storage.find("grading_requests", organisation=organisation, id=identity)
        return _request(require(found, "request"))

    def latest(self, organisation: str, run: str) -> tuple[Scoring, Diff | None]:
        """Raises ``NotFoundError``."""
        row = require(_newest(self._storage, organisation, run), "grading")
        record = Scoring.model_validate_json(json.dumps(row["record"]))
        if record.diff_sha256 is None:
            return record, None
        text = b"".join(self._runs.blobs.read(record.diff_sha256)).decode(errors="replace")
        return record, Diff(text, record.diff_sha256, record.diff_cut)

    def _is_wanted(
        self, rows: Transaction, organisation: str, run: str, at: datetime, request: str | None
    ) -> bool:
        """Whether the grading is still wanted. The run's row is locked, so that gradings follow each other."""
        row = self._runs.lock_row(rows, organisation, run)
        if request is not None:
            return require(rows.find("grading_requests", id=request), "request")["number"] is None
        if row["state"] != GradingState.GRADING.value:
            return False
        rows.change("coding_runs", {"state": GradingState.GRADED.value, "graded_at": at}, id=run)
        return True

    def _list(
        self,
        rows: Transaction,
        organisation: str,
        coding: CodingRun,
        task: CodingTask,
        record: Scoring,
        diff: Blob | None,
        searched: str,
        at: datetime,
    ) -> None:
        """The row of the explorer. A grading that broke replaces no other one's answers."""
        first, beside = record.number == 1, {} if diff is None else {diff_name(record.number): diff}
        for name, blob in beside.items() if not first else ():
            file = {"run": coding.id, "name": name, "blob": blob.digest, "size": blob.size}
            rows.insert("run_files", [{"organisation": organisation, **file}])
        if coding.workspace_sha256 is not None:
            beside[WORKSPACE] = Blob(coding.workspace_sha256, coding.workspace_bytes or 0)
        listed = coding_row(coding, task, record, named_files(coding.files, beside), searched)
        event = "measurement.broken" if listed.run.state is State.BROKEN else "coding_run.graded"
        told = {"id": coding.id, "state": listed.run.state.value, "score": listed.run.score}
        self._runs.announce(rows, organisation, event, {**told, "grading": record.number})
        if first or listed.run.state is not State.BROKEN:
            rows.list_run(organisation, coding.id, listed, at, beside=first)


def _request(row: Row) -> GradingRequest:
    return GradingRequest(row["id"], row["run"], row["judge_only"], row["number"])


def _newest(rows: RowReader, organisation: str, run: str) -> Row | None:
    gradings = rows.every("gradings", order="number", organisation=organisation, run=run)
    return gradings[-1] if gradings else None


def _record(
    rows: Transaction, organisation: str, coding: CodingRun, graded: CodingResult, diff: Blob | None, at: datetime
) -> Scoring:
    newest = _newest(rows, organisation, coding.id)
    return Scoring(
        number=1 if newest is None else newest["number"] + 1,
        task=coding.task_id,
        scenario=graded.scenario,
        scored_at=at,
        turns=list(graded.turns),
        workspace_sha256=coding.workspace_sha256,
        diff_sha256=None if diff is None else diff.digest,
        diff_cut=graded.diff is not None and graded.diff.cut,
        previous=None if newest is None else hash_of(newest["record"]),
        report=graded.report,
    )
