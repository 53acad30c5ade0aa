"""Sessions of people who look at pages."""

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, insert, select

from assay.adapters.store.service.keys import key_of_row
from assay.adapters.store.service.paging import StoredRows
from assay.adapters.store.service_tables import keys, sessions
from assay.engine.service.keys import Key
from assay.engine.service.sessions import Session


class StoredSessions(StoredRows):
    """Fulfils ``SessionStore``."""

    def add_session(self, session: Session) -> None:
        with self._store.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.expires_at <= session.created_at))
            connection.execute(insert(sessions).values(asdict(session)))

    def session_key(self, digest: str, now: datetime) -> Key | None:
        mine = (sessions.c.digest == digest) & (sessions.c.expires_at > now)
        found = self._store.rows(select(keys).join(sessions, sessions.c.key == keys.c.id).where(mine))
        return key_of_row(found[0]) if found else None

    def end_session(self, digest: str) -> None:
        with self._store.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == digest))
