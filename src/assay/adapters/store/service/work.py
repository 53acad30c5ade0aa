"""Work in the store. On PostgreSQL, workers pass by what others are taking at the same moment."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, and_, func, or_, select, update

from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows
from assay.adapters.store.service_tables import work
from assay.engine.service.errors import ConflictError
from assay.engine.service.work import MOST_TRIES, STALLED, Work, WorkKind, WorkState

QUEUED, RUNNING = WorkState.QUEUED.value, WorkState.RUNNING.value
OPEN: Final = (QUEUED, RUNNING)
NO_WAIT: Final = {"source_down_since": None, "source_waits": 0}


class StoredWork(AddedRows):
    """Fulfils ``WorkStore``."""

    def add(self, organisation: str, kind: WorkKind, target: str, priority: int = 0) -> Work:
        """Accept work. If the same is waiting or being done, that is returned."""
        with self._store.writing() as connection:
            same = (work.c.kind == kind.value) & (work.c.target == target) & work.c.state.in_(OPEN)
            mine = same & (work.c.organisation == organisation)
            found = connection.execute(select(work).where(mine)).first()
            if found is not None:
                return work_of_row(found)
            values = {
                "kind": kind.value,
                "target": target,
                "state": QUEUED,
                "priority": priority,
                "turn": _next_turn(connection, organisation),
                "tries": 0,
                "not_before": self._host.now(),
            }
            identity = self._insert(connection, work, "work", organisation, **values)
        return self.work(organisation, identity)

    def work(self, organisation: str, identity: str) -> Work:
        """Raises ``NotFoundError``."""
        return work_of_row(self._one(work, organisation, identity, "work"))

    def page(self, organisation: str, state: str | None, asked: PageRequest) -> Rows[Work]:
        return self._page(work, organisation, asked, state=state).each(work_of_row)

    def again(self, organisation: str, identity: str) -> Work:
        """Send work that was set aside once more. Raises ``ConflictError`` for any other."""
        self.work(organisation, identity)
        aside = and_(
            work.c.organisation == organisation,
            work.c.id == identity,
            work.c.state == WorkState.SET_ASIDE.value,
        )
        changed = {
            "state": QUEUED,
            "tries": 0,
            "not_before": self._host.now(),
            "reason": None,
            "finished_at": None,
            **NO_WAIT,
        }
        with self._store.writing() as connection:
            if not connection.execute(update(work).where(aside).values(changed)).rowcount:
                raise ConflictError("only work that was set aside can be sent again")
        return self.work(organisation, identity)

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
            return work_of_row(connection.execute(taken).one())

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


def work_of_row(row: Any) -> Work:
    return Work(**{one.name: getattr(row, one.name) for one in fields(Work)} | {"state": WorkState(row.state)})
