"""Tasks, their criteria, and their frozen copies."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.service_tables import criteria, snapshots, tasks
from assay.adapters.store.store import Store
from assay.adapters.store.writing import added
from assay.dialects.criteria.resources import MOST_CRITERIA, NewTask, Snapshot, Task, TaskCriterion, Written
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.host import ServiceHost


class StoredTasks:
    """Tasks of organisations. A task can change; what runs are graded by are its frozen copies."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        self._store = store
        self._host = host

    def add(self, organisation: str, new: NewTask) -> Task:
        identity, now = self._host.new_id("task"), self._host.now()
        values = {
            "id": identity,
            "organisation": organisation,
            "name": new.name,
            "instruction": new.instruction,
            "data": limits.checked_data(new.data, "data"),
            "timeout_s": new.timeout_s,
            "created_at": now,
        }
        with self._store.writing() as connection:
            connection.execute(insert(tasks).values(values))
            for written in new.criteria:
                self._add_criterion(connection, organisation, identity, written)
        return self.task(organisation, identity)

    def task(self, organisation: str, identity: str) -> Task:
        """Raises ``NotFoundError``."""
        return task_of_row(_one(self._store.rows(_task(organisation, identity)), "task"))

    def page(self, organisation: str, asked: PageRequest) -> Rows:
        return page(self._store, select(tasks).where(tasks.c.organisation == organisation), tasks.c.id, asked)

    def replace(self, organisation: str, identity: str, new: NewTask, *, keep_criteria: bool = False) -> Task:
        """Change a task, with its criteria unless these are kept. Frozen copies stay as they are."""
        values = {
            "name": new.name,
            "instruction": new.instruction,
            "data": limits.checked_data(new.data, "data"),
            "timeout_s": new.timeout_s,
        }
        with self._store.writing() as connection:
            _one(connection.execute(_task(organisation, identity)).all(), "task")
            connection.execute(update(tasks).where(tasks.c.id == identity).values(values))
            if not keep_criteria:
                connection.execute(delete(criteria).where(criteria.c.task == identity))
            for written in () if keep_criteria else new.criteria:
                self._add_criterion(connection, organisation, identity, written)
        return self.task(organisation, identity)

    def add_criterion(self, organisation: str, task: str, written: Written) -> TaskCriterion:
        with self._store.writing() as connection:
            _one(connection.execute(_task(organisation, task)).all(), "task")
            if len(connection.execute(_criteria(organisation, task)).all()) >= MOST_CRITERIA:
                raise ConflictError(f"a task must have at most {MOST_CRITERIA} criteria")
            identity = self._add_criterion(connection, organisation, task, written)
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
        query = _criteria(organisation, task).order_by(criteria.c.id)
        return [criterion_of_row(row) for row in self._store.rows(query)]

    def remove_criterion(self, organisation: str, identity: str) -> None:
        self.criterion(organisation, identity)
        with self._store.writing() as connection:
            connection.execute(delete(criteria).where(criteria.c.id == identity))

    def criterion(self, organisation: str, identity: str) -> TaskCriterion:
        """Raises ``NotFoundError``."""
        mine = (criteria.c.organisation == organisation) & (criteria.c.id == identity)
        found = self._store.rows(select(criteria).where(mine)) if limits.is_text(identity) else ()
        return criterion_of_row(_one(found, "criterion"))

    def criteria(self, organisation: str, task: str | None, asked: PageRequest) -> Rows:
        query = select(criteria).where(criteria.c.organisation == organisation)
        if task is not None:
            self.task(organisation, task)
            query = query.where(criteria.c.task == task)
        return page(self._store, query, criteria.c.id, asked)

    def _add_criterion(self, connection: Connection, organisation: str, task: str, written: Written) -> str:
        identity = self._host.new_id("crit")
        values = {
            "id": identity,
            "organisation": organisation,
            "task": task,
            "written": limits.checked_data(written, "a criterion"),
            "created_at": self._host.now(),
        }
        connection.execute(insert(criteria).values(values))
        return identity


def freeze(connection: Connection, organisation: str, task: str) -> Snapshot:
    """A copy of a task as it is now. The same content is kept once. Raises ``NotFoundError``."""
    row = _one(connection.execute(_task(organisation, task)).all(), "task")
    written = connection.execute(_criteria(organisation, task).order_by(criteria.c.id)).all()
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


def task_of_row(row: "Row[*tuple[Any, ...]]") -> Task:
    return Task.model_construct(
        id=row.id,
        name=row.name,
        instruction=row.instruction,
        data=row.data,
        timeout_s=row.timeout_s,
        created_at=row.created_at,
    )


def criterion_of_row(row: "Row[*tuple[Any, ...]]") -> TaskCriterion:
    return TaskCriterion.model_validate({**row.written, "id": row.id, "task_id": row.task})


def _task(organisation: str, identity: str) -> Any:
    known = identity if limits.is_text(identity) else ""
    return select(tasks).where((tasks.c.organisation == organisation) & (tasks.c.id == known))


def _criteria(organisation: str, task: str) -> Any:
    return select(criteria).where((criteria.c.organisation == organisation) & (criteria.c.task == task))


def _one(rows: "Sequence[Row[*tuple[Any, ...]]]", what: str) -> "Row[*tuple[Any, ...]]":
    if not rows:
        raise NotFoundError(f"there is no such {what}")
    return rows[0]
