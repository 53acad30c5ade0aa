"""Work of the store: in which order it is taken, and how what is done is forgotten.

On PostgreSQL, ``work`` is a view of procrastinate's jobs (``migrations/work.sql``), which procrastinate's own
workers take. On SQLite it is a table: each question below is answered by an index that has only the rows in
question, so that neither what waits nor what is done makes it slower.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, select, text

from assay.adapters.store.columns import UtcTime
from assay.adapters.store.service_tables import work
from assay.adapters.store.store import Store
from assay.engine.service.storage import Row

# SQLite uses an index of some rows only where the query names these rows without a parameter; with the plus, it
# doesn't take the index of kinds instead.
TAKE: Final = text("""
    UPDATE work SET state = 'running', claim = :claim, claimed_until = :until, tries = tries + 1
    WHERE id = coalesce(
        (SELECT id FROM work WHERE state = 'running' AND claimed_until <= :now AND +kind IN :kinds
         ORDER BY claimed_until LIMIT 1),
        (SELECT id FROM work WHERE state = 'queued' AND not_before <= :now AND +kind IN :kinds
         ORDER BY turn, id LIMIT 1)
    ) RETURNING id
""").bindparams(bindparam("kinds", expanding=True), *(bindparam(one, type_=UtcTime) for one in ("now", "until")))
# Priorities are apart by more turns than will ever wait.
SPAN: Final = 100_000_000
_TURN: Final = text("""
    SELECT 1 + max(
        coalesce((SELECT max(turn) FROM work WHERE state = 'queued' AND organisation = :organisation
                  AND turn BETWEEN :first AND :last), :first),
        coalesce((SELECT min(turn) FROM work WHERE state = 'queued'
                  AND turn BETWEEN :first AND :last) - 1, :first))
""")
_PRUNE: Final = {
    dialect: text(query).bindparams(bindparam("before", type_=UtcTime))
    for dialect, query in (
        (
            "sqlite",
            "DELETE FROM work WHERE id IN"
            " (SELECT id FROM work WHERE state = 'done' AND finished_at <= :before LIMIT :most)",
        ),
        (
            "postgresql",
            "DELETE FROM procrastinate_jobs WHERE status = 'succeeded' AND id IN"
            " (SELECT job_id FROM procrastinate_events WHERE type = 'succeeded' AND at <= :before LIMIT :most)",
        ),
    )
}


class StoredWork:
    """Fulfils ``WorkStore``, and on SQLite ``WorkClaims``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Row | None:
        values = {"claim": claim, "now": now, "until": until, "kinds": sorted(kinds)}
        with self._store.writing(durable=False) as connection:
            identity = connection.execute(TAKE, values).scalar()
            if identity is None:
                return None
            return connection.execute(select(work).where(work.c.id == identity)).mappings().one()

    def next_turn(self, organisation: str, priority: int) -> int | None:
        if self._store.is_postgres:
            return None
        first = -priority * SPAN
        values = {"organisation": organisation, "first": first, "last": first + SPAN - 1}
        [[turn]] = self._store.rows(_TURN, values)
        return int(turn)

    def prune(self, before: datetime, most: int) -> int:
        with self._store.writing(durable=False) as connection:
            return connection.execute(_PRUNE[connection.dialect.name], {"before": before, "most": most}).rowcount
