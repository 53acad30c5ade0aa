"""Tasks, their criteria, and their frozen copies."""

import hashlib
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, delete, update
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, of_row, one
from assay.adapters.store.service_tables import criteria, snapshots, tasks
from assay.adapters.store.writing import added
from assay.dialects.criteria.resources import MOST_CRITERIA, NewTask, Snapshot, Task, TaskCriterion, Written
from assay.engine.service.errors import ConflictError


class StoredTasks(AddedRows):
    """Tasks of organisations. A task can change; what runs are graded by are its frozen copies."""

    def add(self, organisation: str, new: NewTask) -> Task:
        with self._store.writing() as connection:
            identity = self._insert(connection, tasks, "task", organisation, **_values(new))
            self._add_criteria(connection, organisation, identity, new.criteria)
        return self.task(organisation, identity)

    def task(self, organisation: str, identity: str) -> Task:
        """Raises ``NotFoundError``."""
        return of_row(Task, self._one(tasks, organisation, identity, "task"))

    def page(self, organisation: str, asked: PageRequest) -> Rows[Task]:
        return self._page(tasks, organisation, asked).each(partial(of_row, Task))

    def replace(self, organisation: str, identity: str, new: NewTask, *, keep_criteria: bool = False) -> Task:
        """Change a task, with its criteria unless these are kept. Frozen copies stay as they are."""
        values = _values(new)
        with self._store.writing() as connection:
            _task(connection, organisation, identity)
            connection.execute(update(tasks).where(tasks.c.id == identity).values(values))
            if not keep_criteria:
                connection.execute(delete(criteria).where(criteria.c.task == identity))
                self._add_criteria(connection, organisation, identity, new.criteria)
        return self.task(organisation, identity)

    def add_criterion(self, organisation: str, task: str, written: Written) -> TaskCriterion:
        with self._store.writing() as connection:
            _task(connection, organisation, task)
            if len(connection.execute(mine(criteria, organisation, task=task)).all()) >= MOST_CRITERIA:
                raise ConflictError(f"a task must have at most {MOST_CRITERIA} criteria")
            [identity] = self._add_criteria(connection, organisation, task, [written])
        return self.criterion(organisation, identity)

    def replace_criterion(self, organisation: str, identity: str, written: Written) -> TaskCriterion:
        """Change a criterion of a task. Frozen copies stay as they are. Raises ``NotFoundError``."""
        self.criterion(organisation, identity)
        values = {"written": limits.checked_data(written, "a criterion")}
        with self._store.writing() as connection:
            connection.execute(update(criteria).where(criteria.c.id == identity).values(values))
        return self.criterion(organisation, identity)

    def criteria_of(self, organisation: str, task: str) -> list[TaskCriterion]:
        """All criteria of a task, in the order in which they are asked."""
        query = mine(criteria, organisation, task=task).order_by(criteria.c.id)
        return [criterion_of_row(row) for row in self._store.rows(query)]

    def remove_criterion(self, organisation: str, identity: str) -> None:
        self.criterion(organisation, identity)
        with self._store.writing() as connection:
            connection.execute(delete(criteria).where(criteria.c.id == identity))

    def criterion(self, organisation: str, identity: str) -> TaskCriterion:
        """Raises ``NotFoundError``."""
        return criterion_of_row(self._one(criteria, organisation, identity, "criterion"))

    def criteria(self, organisation: str, task: str | None, asked: PageRequest) -> Rows[TaskCriterion]:
        if task is not None:
            self.task(organisation, task)
        return self._page(criteria, organisation, asked, task=task).each(criterion_of_row)

    def _add_criteria(
        self, connection: Connection, organisation: str, task: str, new: Sequence[Written]
    ) -> list[str]:
        checked = [limits.checked_data(written, "a criterion") for written in new]
        return [
            self._insert(connection, criteria, "crit", organisation, task=task, written=one) for one in checked
        ]


def _values(new: NewTask) -> dict[str, object]:
    return {**new.model_dump(exclude={"criteria"}), "data": limits.checked_data(new.data, "data")}


def freeze(connection: Connection, organisation: str, task: str) -> Snapshot:
    """A copy of a task as it is now. The same content is kept once. Raises ``NotFoundError``."""
    row = _task(connection, organisation, task)
    written = connection.execute(mine(criteria, organisation, task=task).order_by(criteria.c.id)).all()
    content = {
        "task_id": row.id,
        "name": row.name,
        "instruction": row.instruction,
        "data": row.data,
        "timeout_s": row.timeout_s,
        "criteria": [{**one.written, "id": one.id} for one in written],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    added(connection, snapshots, {"organisation": organisation, "digest": digest, "content": content})
    return Snapshot(digest=digest, **content)


def criterion_of_row(row: "Row[*tuple[Any, ...]]") -> TaskCriterion:
    return TaskCriterion.model_validate({**row.written, "id": row.id, "task_id": row.task})


def _task(connection: Connection, organisation: str, identity: str) -> Any:
    return one(connection.execute(mine(tasks, organisation, id=identity)).all(), "task")
