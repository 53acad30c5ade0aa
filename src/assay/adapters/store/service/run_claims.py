"""Claims on the grading of task runs. A single statement decides: of two who ask at one moment, one gets it."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Update, and_, bindparam, exists, func, or_, select, update

from assay.adapters.store.columns import UtcTime
from assay.adapters.store.service.storage import Shape, StoredTransaction, prepared, where
from assay.adapters.store.service_tables import task_runs, work
from assay.adapters.store.store import Store
from assay.adapters.store.tables import metadata
from assay.dialects.criteria.resources import Phase, Status
from assay.engine.service.keys import Owner
from assay.engine.service.runs import Also
from assay.engine.service.storage import Row
from assay.engine.service.work import WorkKind


class StoredRunClaims:
    """Fulfils ``RunClaims``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def accept(
        self,
        owner: Owner,
        identity: str,
        now: datetime,
        claim: Row | None = None,
        also: Also | None = None,
    ) -> Row | None:
        """A caller is told after a durable write only."""
        wanted = {"organisation": owner.organisation, "id": identity, "benchmark_run": owner.benchmark_run}
        going_on = {"status": Status.ACTIVE.value, "phase": Phase.STARTED.value}
        accepted, values = prepared(
            _accepted, "task_runs", {**wanted, **going_on}, "" if claim is None else "claim"
        )
        values = {**values, "now": now, **(claim or {})}
        if also is None:
            return next((row._mapping for row in self._store.write(accepted, values)), None)
        with self._store.writing() as connection:
            row = connection.execute(accepted, values).mappings().first()
            if row is not None:
                also(StoredTransaction(connection))
            return row

    def overdue(self, now: datetime, limit: int) -> Sequence[Row]:
        waiting = exists().where(
            (work.c.kind == WorkKind.COMPLETE_TASK_RUN.value) & (work.c.target == task_runs.c.id)
        )
        forgotten = or_(task_runs.c.claim.is_(None), task_runs.c.claimed_until <= now) & ~waiting
        late = and_(
            task_runs.c.status == Status.ACTIVE.value,
            task_runs.c.deadline_at <= now,
            or_(task_runs.c.completion_requested_at.is_(None), forgotten),
        )
        return [row._mapping for row in self._store.rows(select(task_runs).where(late).limit(limit))]


@cache
def _accepted(table: str, shape: Shape, claims: str) -> Update:
    """With a claim, the run must be free; without one, nobody may have asked before."""
    requested, deadline = task_runs.c.completion_requested_at, task_runs.c.deadline_at
    now = bindparam("now", type_=UtcTime)
    free = or_(task_runs.c.claim.is_(None), task_runs.c.claimed_until <= now)
    changed = update(task_runs).where(
        *where(metadata.tables[table], shape),
        or_(requested.is_not(None), deadline.is_(None), deadline > now),
        free if claims else requested.is_(None),
    )
    return changed.values(completion_requested_at=func.coalesce(requested, now)).returning(task_runs)
