"""Work in the store. On PostgreSQL, workers pass by what others are taking at the same moment."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, and_, func, or_, select, update

from assay.adapters.store.service.storage import StoredStorage, StoredTransaction
from assay.adapters.store.service_tables import work
from assay.adapters.store.store import Store
from assay.engine.service.host import ServiceHost
from assay.engine.service.work import MOST_TRIES, NO_WAIT, STALLED, Work, WorkKind, WorkQueue, WorkState

QUEUED, RUNNING = WorkState.QUEUED.value, WorkState.RUNNING.value
OPEN: Final = (QUEUED, RUNNING)


class StoredWork(WorkQueue):
    """Fulfils ``WorkStore``."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        super().__init__(StoredStorage(store), host)
        self._store = store

    def add(self, organisation: str, kind: WorkKind, target: str, priority: int = 0) -> Work:
        """Accept work. If the same is waiting or being done, that is returned."""
        same: dict[str, Any] = {"organisation": organisation, "kind": kind.value, "target": target}
        with self._store.writing() as connection:
            rows = StoredTransaction(connection)
            waiting = rows.find(self.table, state=list(OPEN), **same)
            if waiting is not None:
                return self._resource(waiting)
            values = {
                "kind": kind.value,
                "target": target,
                "state": QUEUED,
                "priority": priority,
                "turn": _next_turn(connection, organisation),
                "tries": 0,
                "not_before": self.host.now(),
            }
            identity = self._insert(rows, organisation, **values)
        return self.get(organisation, identity)

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Work | None:
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
            found = connection.execute(query).first()
            if found is None:
                return None
            values = {"state": RUNNING, "claim": claim, "claimed_until": until, "tries": work.c.tries + 1}
            taken = update(work).where(work.c.id == found.id).values(values).returning(work)
            return self._resource(connection.execute(taken).mappings().one())

    def renew(self, claims: Iterable[str], until: datetime) -> None:
        held = list(claims)
        if held:
            with self._store.writing(durable=False) as connection:
                connection.execute(update(work).where(work.c.claim.in_(held)).values(claimed_until=until))

    def finish(self, work_: Work, claim: str, at: datetime) -> bool:
        return self._given_back(work_, claim, {"state": WorkState.DONE.value, "finished_at": at, **NO_WAIT})

    def fail(self, work_: Work, claim: str, reason: str, again_at: datetime | None, now: datetime) -> None:
        if again_at is None:
            values = {"state": WorkState.SET_ASIDE.value, "finished_at": now}
        else:
            values = {"state": QUEUED, "not_before": again_at}
        self._given_back(work_, claim, {**values, "reason": reason.replace("\0", ""), **NO_WAIT})

    def wait(self, work_: Work, claim: str, reason: str, again_at: datetime, now: datetime) -> None:
        values = {
            "state": QUEUED,
            "not_before": again_at,
            "reason": reason.replace("\0", ""),
            "tries": work.c.tries - 1,
            "source_down_since": work_.source_down_since or now,
            "source_waits": work.c.source_waits + 1,
        }
        self._given_back(work_, claim, values)

    def _given_back(self, work_: Work, claim: str, values: Mapping[str, Any]) -> bool:
        """Whether the claim still held."""
        free = {"claim": None, "claimed_until": None}
        with self._store.writing() as connection:
            held = (work.c.id == work_.id) & (work.c.claim == claim)
            return bool(connection.execute(update(work).where(held).values(**values, **free)).rowcount)

    def waiting(self) -> int:
        """How much work is not done yet."""
        return int(self._store.rows(select(func.count()).where(work.c.state.in_(OPEN)))[0][0])

    def waiting_for_source(self) -> int:
        """How much of that waits for a source that is down."""
        down = work.c.state.in_(OPEN) & work.c.source_down_since.is_not(None)
        return int(self._store.rows(select(func.count()).where(down))[0][0])


def _next_turn(connection: Connection, organisation: str) -> int:
    """One after the last of this organisation that waits, but not before those that wait for longest."""
    queued = work.c.state == QUEUED
    own = connection.execute(
        select(func.max(work.c.turn)).where((work.c.organisation == organisation) & queued)
    ).scalar()
    first = connection.execute(select(func.min(work.c.turn)).where(queued)).scalar()
    return max(own or 0, (first or 1) - 1) + 1


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
