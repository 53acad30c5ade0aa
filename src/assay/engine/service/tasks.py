"""Tasks, their criteria, and their frozen copies, by which runs are graded."""

import hashlib
import json
from collections.abc import Collection, Sequence
from typing import Any, Final

from assay.dialects.criteria.resources import MOST_CRITERIA, NewTask, Snapshot, Task, TaskCriterion, Written
from assay.engine.criteria import stored_limits
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.errors import ConflictError
from assay.engine.service.storage import Resources, Row, RowReader, Transaction, require, tag_of

# What a frozen copy has beside the columns of the task.
_OWN: Final = ("digest", "task_id", "criteria")


class Criteria(Resources[TaskCriterion]):
    """Criteria of tasks, as they are written. Frozen copies of a task stay as they are, whatever changes here."""

    table, prefix, word, model = "criteria", "crit", "criterion", TaskCriterion

    def _resource(self, row: Row, **more: Any) -> TaskCriterion:
        return TaskCriterion.model_validate({**row["written"], "id": row["id"], "task_id": row["task"], **more})

    def within(self, organisation: str, task: str | None, asked: SliceRequest) -> Slice[TaskCriterion]:
        """Those of a task, or all. Raises ``NotFoundError``."""
        if task is not None:
            task_row(self.storage, organisation, task)
        return self.slice(organisation, asked, task=task)

    def in_order(self, organisation: str, task: str) -> list[TaskCriterion]:
        """All criteria of a task, in the order in which they are asked."""
        return self.to_resources(self.storage.every(self.table, organisation=organisation, task=task))

    def add(self, organisation: str, task: str, written: Written) -> TaskCriterion:
        """Raises ``NotFoundError``, ``ConflictError``."""
        with self.storage.transaction() as rows:
            task_row(rows, organisation, task)
            if len(rows.every(self.table, organisation=organisation, task=task)) >= MOST_CRITERIA:
                raise ConflictError(f"a task must have at most {MOST_CRITERIA} criteria")
            [identity] = self.add_all(rows, organisation, task, [written])
        return self.get(organisation, identity)

    def add_all(self, rows: Transaction, organisation: str, task: str, new: Sequence[Written]) -> list[str]:
        """Add criteria to a task that is there; returns their ids."""
        checked = [stored_limits.checked_data(one, "a criterion") for one in new]
        return [self._insert(rows, organisation, task=task, written=one) for one in checked]

    def replace(
        self, organisation: str, identity: str, written: Written, expected: Collection[str] | None = None
    ) -> TaskCriterion:
        """Raises ``NotFoundError``, ``OutdatedError``."""
        checked = stored_limits.checked_data(written, "a criterion")
        with self.storage.transaction() as rows:
            self.check_tag(rows, self.lock_row(rows, organisation, identity), expected)
            rows.change(self.table, {"written": checked}, id=identity)
        return self.get(organisation, identity)

    def remove(self, organisation: str, identity: str, expected: Collection[str] | None = None) -> None:
        """Raises ``NotFoundError``, ``OutdatedError``."""
        with self.storage.transaction() as rows:
            self.check_tag(rows, self.lock_row(rows, organisation, identity), expected)
            rows.remove(self.table, id=identity)


class Tasks(Resources[Task]):
    """Tasks of organisations. A task can change; what runs are graded by are its frozen copies."""

    table, prefix, word, model = "tasks", "task", "task", Task

    def __init__(self, criteria: Criteria) -> None:
        super().__init__(criteria.storage, criteria.host)
        self._criteria = criteria

    def add(self, organisation: str, new: NewTask) -> Task:
        with self.storage.transaction() as rows:
            identity = self.add_within(rows, organisation, new)
        return self.get(organisation, identity)

    def add_within(self, rows: Transaction, organisation: str, new: NewTask) -> str:
        """The same within a transaction; returns its id."""
        identity = self._insert(rows, organisation, **_values(new))
        self._criteria.add_all(rows, organisation, identity, new.criteria)
        return identity

    def tag(self, rows: RowReader, row: Row) -> str:
        return tag_of([row, *rows.every("criteria", task=row["id"])])

    def replace(
        self,
        organisation: str,
        identity: str,
        new: NewTask,
        expected: Collection[str] | None = None,
        *,
        keep_criteria: bool = False,
    ) -> Task:
        """Change a task, with its criteria unless these are kept. Raises ``NotFoundError``, ``OutdatedError``."""
        values = _values(new)
        with self.storage.transaction() as rows:
            self.check_tag(rows, self.lock_row(rows, organisation, identity), expected)
            rows.change(self.table, values, id=identity)
            if not keep_criteria:
                rows.remove("criteria", task=identity)
                self._criteria.add_all(rows, organisation, identity, new.criteria)
        return self.get(organisation, identity)


def _values(new: NewTask) -> dict[str, object]:
    columns = new.model_dump(include=set(NewTask.model_fields) - {"criteria"})
    return {**columns, "data": stored_limits.checked_data(new.data, "data")}


def freeze(rows: Transaction, organisation: str, task: str) -> Snapshot:
    """A copy of a task as it is now. The same content is kept once. Raises ``NotFoundError``."""
    row = task_row(rows, organisation, task)
    written = rows.every("criteria", organisation=organisation, task=task)
    content = {
        "task_id": row["id"],
        **{name: row[name] for name in Snapshot.model_fields if name not in _OWN},
        "criteria": [{**one["written"], "id": one["id"]} for one in written],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    rows.add("snapshots", organisation=organisation, digest=digest, content=content)
    return Snapshot(digest=digest, **content)


def snapshot_in(rows: RowReader, organisation: str, digest: str) -> Snapshot:
    """A frozen copy of a task. Raises ``NotFoundError``."""
    row = require(rows.find("snapshots", organisation=organisation, digest=digest), "snapshot")
    return Snapshot(digest=row["digest"], **row["content"])


def task_row(rows: RowReader, organisation: str, identity: str) -> Row:
    """Raises ``NotFoundError``."""
    return require(rows.find("tasks", organisation=organisation, id=identity), "task")
