"""Organisations and their keys."""

from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update

from assay.adapters.store import limits
from assay.adapters.store.service.paging import PageRequest, Rows, StoredRows, mine
from assay.adapters.store.service_tables import keys, organisations
from assay.adapters.store.writing import added
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Key, Scope


class StoredKeys(StoredRows):
    """Fulfils ``KeyStore``."""

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
        limits.checked_name(key.name, "the name of a key")
        values = {**asdict(key), "scope": key.scope.value, "digest": digest}
        with self._store.writing() as connection:
            known = select(organisations.c.id).where(organisations.c.id == key.organisation)
            if connection.execute(known).first() is None:
                raise NotFoundError(f"there is no organisation {key.organisation!r}")
            connection.execute(insert(keys).values(values))

    def key_by_digest(self, digest: str) -> Key | None:
        found = self._store.rows(select(keys).where(keys.c.digest == digest))
        return key_of_row(found[0]) if found else None

    def key(self, organisation: str, identity: str) -> Key:
        return key_of_row(self._one(keys, organisation, identity, "key"))

    def keys(self, organisation: str, asked: PageRequest) -> Rows[Key]:
        return self._page(keys, organisation, asked).each(key_of_row)

    def all_keys(self, organisation: str) -> list[Key]:
        """The newest first."""
        rows = self._store.rows(mine(keys, organisation).order_by(keys.c.id.desc()))
        return [key_of_row(row) for row in rows]

    def revoke_key(self, organisation: str, identity: str, at: datetime) -> Key:
        self.key(organisation, identity)
        valid = update(keys).where(keys.c.id == identity, keys.c.revoked_at.is_(None))
        with self._store.writing() as connection:
            connection.execute(valid.values(revoked_at=at))
        return self.key(organisation, identity)


def key_of_row(row: Any) -> Key:
    return Key(**{one.name: getattr(row, one.name) for one in fields(Key)} | {"scope": Scope(row.scope)})
