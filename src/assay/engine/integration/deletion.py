"""Delete for good: what belongs to a thing goes with it, and the audit log keeps that it was there.

A run goes with its gradings, its evidence, its files and what reviewers said, and with the playground that it
worked in, unless other runs worked there. What is going on isn't deleted, nor a part of what has a total.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from assay.dialects.criteria.resources import Status
from assay.dialects.scorers.resources import GradingState
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.service.coding_rows import KIND as CODING
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.host import ServiceHost
from assay.engine.service.runs import KIND as TASK_RUN
from assay.engine.service.storage import Row, Storage, Transaction, UpTo, require

AT_ONCE: Final = 100
PRUNE: Final = "prune"


@dataclass(frozen=True, slots=True)
class Deleter:
    """Whose things are deleted, and what the audit log says about who did it."""

    organisation: str
    key: str | None = None
    request: str | None = None
    action: str = "delete"


@dataclass(frozen=True, slots=True)
class Deletion:
    """``discard`` forgets files of runs by their hashes, wherever they are kept."""

    storage: Storage
    host: ServiceHost
    discard: Callable[[Iterable[str]], None] = field(repr=False)

    def delete(self, kind: str, by: Deleter, identity: str) -> None:
        """``kind`` is the table. Raises ``NotFoundError``, and ``ConflictError`` for what must stay."""
        with self.storage.transaction() as rows:
            row = require(rows.lock(kind, organisation=by.organisation, id=identity), _WORDS[kind])
            lost = _RULES[kind](rows, row)
            for table in ("stored_answers", "webhook_deliveries"):
                rows.remove(table, organisation=by.organisation, target=identity)
            told = {
                "key": by.key,
                "request": by.request,
                "action": f"{by.action}_{_WORDS[kind].replace(' ', '_')}",
            }
            noted = {"organisation": by.organisation, "at": self.host.now(), "target": identity, **told}
            rows.insert("audit", [noted])
        self.discard(lost)

    def prune(self, organisation: str, before: datetime) -> int:
        """Delete what ended or was added before a moment, and return how much. What is going on stays."""
        by, done = Deleter(organisation, action=PRUNE), 0
        old: dict[str, Any] = {"organisation": organisation, "created_at": UpTo(before)}
        for kind in ("benchmark_runs", "task_runs", "runs", "playgrounds"):
            part = self.storage.slice(kind, SliceRequest(AT_ONCE), **old)
            while part.rows:
                done += sum(self._pruned(kind, by, row["id"]) for row in part.rows)
                if part.next is None:
                    break
                part = self.storage.slice(kind, SliceRequest(AT_ONCE, part.next), **old)
        with self.storage.transaction() as rows:
            rows.remove("webhook_deliveries", organisation=organisation, created_at=UpTo(before))
        return done

    def retention(self, organisation: str) -> int | None:
        """After how many days an organisation's runs are pruned; None for never."""
        row = self.storage.find("retention", organisation=organisation)
        return None if row is None else int(row["days"])

    def retain(self, organisation: str, days: int | None) -> None:
        with self.storage.transaction() as rows:
            if days is None:
                rows.remove("retention", organisation=organisation)
            else:
                rows.put("retention", {"organisation": organisation}, {"days": days})

    def prune_all(self, older_than: timedelta | None = None) -> dict[str, int]:
        """Prune every organisation by its own retention, or by ``older_than``; returns how much of each."""
        done = {}
        for row in self.storage.every("organisations"):
            days = self.retention(row["id"])
            age = older_than or (None if days is None else timedelta(days=days))
            if age is not None:
                done[row["id"]] = self.prune(row["id"], self.host.now() - age)
        return done

    def prune_audit(self, older_than: timedelta) -> int:
        """Delete entries of the audit log of all organisations; returns how many."""
        with self.storage.transaction() as rows:
            return rows.remove("audit", at=UpTo(self.host.now() - older_than))

    def _pruned(self, kind: str, by: Deleter, identity: str) -> bool:
        """Delete what is over. Runs that go on stay; what was deleted with something else is gone already."""
        try:
            self.delete(kind, by, identity)
        except (ConflictError, NotFoundError):
            return False
        return True


def _playground(rows: Transaction, row: Row) -> Sequence[str]:
    run = rows.find("task_runs", playground=row["id"])
    if run is not None:
        raise ConflictError(f"the playground can't be deleted before the task runs in it, such as {run['id']}")
    return rows.remove_whole("playgrounds", [row["id"]])


def _task(rows: Transaction, row: Row) -> Sequence[str]:
    return rows.remove_whole("tasks", [row["id"]])


def _task_run(rows: Transaction, row: Row) -> Sequence[str]:
    if row["benchmark_run"] is not None:
        raise ConflictError(f"the task run must be deleted with its benchmark run {row['benchmark_run']}")
    return _task_runs(rows, "task run", row, [row])


def _benchmark_run(rows: Transaction, row: Row) -> Sequence[str]:
    now = rows.every("task_runs", benchmark_run=row["id"])
    rows.remove("keys", benchmark_run=row["id"])
    lost = _task_runs(rows, "benchmark run", row, now)
    return [*lost, *rows.remove_whole("benchmark_runs", [row["id"]])]


def _task_runs(rows: Transaction, word: str, whole: Row, runs: Sequence[Row]) -> list[str]:
    if whole["status"] == Status.ACTIVE.value:
        raise ConflictError(f"the {word} must have ended to be deleted; cancel it first")
    named = {"organisation": whole["organisation"], "name": [run["id"] for run in runs]}
    shown = [row["id"] for row in rows.every("runs", kind=TASK_RUN, **named)]
    lost = [*rows.remove_whole("runs", shown), *rows.remove_whole("task_runs", named["name"])]
    for playground in {run["playground"] for run in runs}:
        if rows.find("task_runs", playground=playground) is None:
            lost += rows.remove_whole("playgrounds", [playground])
    return lost


def _run(rows: Transaction, row: Row) -> Sequence[str]:
    """A run of any kind. The archive of an imported job has the run in it, so it goes, too."""
    if row["kind"] == TASK_RUN:
        return _task_run(rows, require(rows.lock("task_runs", id=row["name"]), "task run"))
    if row["kind"] == CODING:
        coding = rows.lock("coding_runs", id=row["id"])
        if coding is not None and coding["state"] in (GradingState.OPEN.value, GradingState.GRADING.value):
            raise ConflictError("the coding run must have ended to be deleted; cancel it first")
        return [*rows.remove_whole("coding_runs", [row["id"]]), *rows.remove_whole("runs", [row["id"]])]
    archive = rows.find("jobs", organisation=row["organisation"], name=row["job"])
    lost = [] if archive is None else rows.remove_whole("jobs", [archive["id"]])
    return [*lost, *rows.remove_whole("runs", [row["id"]])]


def _job(rows: Transaction, row: Row) -> Sequence[str]:
    trials = rows.every("runs", organisation=row["organisation"], job=row["name"], kind="trial")
    lost = rows.remove_whole("jobs", [row["id"]])
    return [*lost, *rows.remove_whole("runs", [trial["id"] for trial in trials])]


_WORDS: Final = {
    "playgrounds": "playground",
    "tasks": "task",
    "task_runs": "task run",
    "benchmark_runs": "benchmark run",
    "runs": "run",
    "jobs": "job",
}
_RULES: Final[dict[str, Callable[[Transaction, Row], Sequence[str]]]] = {
    "playgrounds": _playground,
    "tasks": _task,
    "task_runs": _task_run,
    "benchmark_runs": _benchmark_run,
    "runs": _run,
    "jobs": _job,
}
