"""Sessions of people who look at pages."""

from datetime import datetime

from sqlalchemy import delete, insert, select

from assay.adapters.store.service.keys import key_of_row
from assay.adapters.store.service_tables import keys, sessions
from assay.adapters.store.store import Store
from assay.engine.service.keys import Key
from assay.engine.service.sessions import Session


class StoredSessions:
    """Fulfils ``SessionStore``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_session(self, session: Session) -> None:
        values = {
            "digest": session.digest,
            "organisation": session.organisation,
            "key": session.key,
            "created_at": session.created_at,
            "expires_at": session.expires_at,
        }
        with self._store.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.expires_at <= session.created_at))
            connection.execute(insert(sessions).values(values))

    def session_key(self, digest: str, now: datetime) -> Key | None:
        mine = (sessions.c.digest == digest) & (sessions.c.expires_at > now)
        found = self._store.rows(select(keys).join(sessions, sessions.c.key == keys.c.id).where(mine))
        return key_of_row(found[0]) if found else None

    def end_session(self, digest: str) -> None:
        with self._store.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == digest))
