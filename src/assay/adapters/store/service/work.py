"""Work of the store as it is taken. On PostgreSQL, workers pass by what others are taking at the same moment."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, and_, func, or_, select, update

from assay.adapters.store.service_tables import work
from assay.adapters.store.store import Store
from assay.engine.service.storage import Row
from assay.engine.service.work import MOST_TRIES, STALLED, WorkState

QUEUED, RUNNING = WorkState.QUEUED.value, WorkState.RUNNING.value


class StoredWorkClaims:
    """Implements ``WorkClaims``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Row | None:
        with self._store.writing(durable=False) as connection:
            _set_aside(connection, now)
            free = or_(
                and_(work.c.state == QUEUED, work.c.not_before <= now),
                and_(work.c.state == RUNNING, work.c.claimed_until <= now),
            )
            order = (work.c.priority.desc(), work.c.turn, work.c.id)
            query = select(work.c.id).where(free & work.c.kind.in_(sorted(kinds))).order_by(*order).limit(1)
            if connection.dialect.name == "postgresql":
                query = query.with_for_update(skip_locked=True)
            identity = connection.execute(query).scalar()
            if identity is None:
                return None
            values = {"state": RUNNING, "claim": claim, "claimed_until": until, "tries": work.c.tries + 1}
            taken = update(work).where(work.c.id == identity).values(values).returning(work)
            return connection.execute(taken).mappings().one()

    def next_turn(self, organisation: str) -> int:
        queued = work.c.state == QUEUED
        mine = select(func.max(work.c.turn)).where((work.c.organisation == organisation) & queued)
        first = select(func.min(work.c.turn)).where(queued)
        [[last, least]] = self._store.rows(select(mine.scalar_subquery(), first.scalar_subquery()))
        return max(last or 0, (least or 1) - 1) + 1


def _set_aside(connection: Connection, now: datetime) -> None:
    """Work that took its worker with it, again and again."""
    dead = and_(work.c.state == RUNNING, work.c.claimed_until <= now, work.c.tries >= MOST_TRIES)
    values = {
        "state": WorkState.SET_ASIDE.value,
        "claim": None,
        "claimed_until": None,
        "reason": STALLED,
        "finished_at": now,
    }
    connection.execute(update(work).where(dead).values(values))
