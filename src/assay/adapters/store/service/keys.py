"""Organisations and their keys."""

from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Row

from assay.adapters.store import limits
from assay.adapters.store.service.paging import PageRequest, Rows, page
from assay.adapters.store.service_tables import keys, organisations
from assay.adapters.store.store import Store
from assay.adapters.store.writing import added
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Key, Scope


class StoredKeys:
    """Fulfils ``KeyStore``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_organisation(self, identity: str, name: str, at: datetime) -> bool:
        """Whether it is new."""
        values = {
            "id": limits.checked_name(identity, "the id of an organisation"),
            "name": limits.checked_name(name, "the name of an organisation"),
            "created_at": at,
        }
        with self._store.writing() as connection:
            return added(connection, organisations, values)

    def has_keys(self, organisation: str) -> bool:
        return bool(self._store.rows(select(keys.c.id).where(keys.c.organisation == organisation).limit(1)))

    def add_key(self, key: Key, digest: str) -> None:
        values = {
            "id": key.id,
            "organisation": key.organisation,
            "name": limits.checked_name(key.name, "the name of a key"),
            "scope": key.scope.value,
            "digest": digest,
            "benchmark_run": key.benchmark_run,
            "created_at": key.created_at,
            "expires_at": key.expires_at,
            "revoked_at": key.revoked_at,
        }
        with self._store.writing() as connection:
            known = select(organisations.c.id).where(organisations.c.id == key.organisation)
            if connection.execute(known).first() is None:
                raise NotFoundError(f"there is no organisation {key.organisation!r}")
            connection.execute(insert(keys).values(values))

    def key_by_digest(self, digest: str) -> Key | None:
        found = self._store.rows(select(keys).where(keys.c.digest == digest))
        return key_of_row(found[0]) if found else None

    def key(self, organisation: str, identity: str) -> Key:
        mine = (keys.c.organisation == organisation) & (keys.c.id == identity)
        found = self._store.rows(select(keys).where(mine)) if limits.is_text(identity) else ()
        if not found:
            raise NotFoundError("there is no such key")
        return key_of_row(found[0])

    def keys(self, organisation: str, asked: PageRequest) -> Rows:
        return page(self._store, select(keys).where(keys.c.organisation == organisation), keys.c.id, asked)

    def all_keys(self, organisation: str) -> list[Key]:
        """The newest first."""
        query = select(keys).where(keys.c.organisation == organisation).order_by(keys.c.id.desc())
        return [key_of_row(row) for row in self._store.rows(query)]

    def revoke_key(self, organisation: str, identity: str, at: datetime) -> Key:
        mine = (keys.c.organisation == organisation) & (keys.c.id == identity) & keys.c.revoked_at.is_(None)
        if limits.is_text(identity):
            with self._store.writing() as connection:
                connection.execute(update(keys).where(mine).values(revoked_at=at))
        return self.key(organisation, identity)


def key_of_row(row: "Row[*tuple[Any, ...]]") -> Key:
    return Key(
        row.id,
        row.organisation,
        row.name,
        Scope(row.scope),
        row.benchmark_run,
        row.created_at,
        row.expires_at,
        row.revoked_at,
    )
