"""Keys: who may do what. A key is shown once; what is kept is its digest.

A secret has 256 bits of chance, so a plain hash of it can't be turned back.
"""

import hashlib
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import Enum
from typing import Final

from assay.core.errors import InputError
from assay.engine.criteria import stored_limits
from assay.engine.service.errors import ConflictError, NotFoundError
from assay.engine.service.storage import EMPTY, Resources

PREFIX: Final = "ask_"


class Scope(Enum):
    """A key's purpose. ``run`` is bound to one benchmark run: it starts and completes that run's task runs."""

    ADMIN = "admin"
    GRADER = "grader"
    READER = "reader"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose things are meant: those of an organisation or, for a run token, of one benchmark run."""

    organisation: str
    benchmark_run: str | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A key without its secret."""

    id: str
    organisation: str
    name: str
    scope: Scope
    benchmark_run: str | None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def owner(self) -> Owner:
        return Owner(self.organisation, self.benchmark_run)

    def valid_at(self, moment: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or moment < self.expires_at)


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key, or a new session of one. This is the only time that the secret can be seen."""

    key: Key
    secret: str


class Keys(Resources[Key]):
    """Organisations and their keys."""

    table, prefix, word, model = "keys", "key", "key", Key

    def add_organisation(self, identity: str, name: str) -> bool:
        """True if it is new."""
        values = {
            "id": stored_limits.checked_name(identity, "the id of an organisation"),
            "name": stored_limits.checked_name(name, "the name of an organisation"),
        }
        with self.storage.transaction() as rows:
            return rows.add("organisations", created_at=self.host.now(), **values)

    def has_keys(self, organisation: str) -> bool:
        return self.storage.find(self.table, organisation=organisation) is not None

    def add(self, key: Key, digest: str) -> None:
        stored_limits.checked_name(key.name, "the name of a key")
        values = {**asdict(key), "scope": key.scope.value, "digest": digest}
        with self.storage.transaction() as rows:
            if rows.find("organisations", id=key.organisation) is None:
                raise NotFoundError(f"there is no organisation {key.organisation!r}")
            rows.insert(self.table, [values])

    def by_digest(self, digest: str) -> Key | None:
        row = self.storage.find(self.table, digest=digest)
        return None if row is None else self._resource(row)

    def every(self, organisation: str) -> list[Key]:
        """The newest first."""
        return self.to_resources(self.storage.every(self.table, organisation=organisation))[::-1]

    def revoke(self, organisation: str, identity: str, *, spare_last_admin: bool = False) -> Key:
        """A key that was revoked before keeps its time. Raises ``NotFoundError``.

        With ``spare_last_admin``, ``ConflictError`` for a key without which nobody could add one.
        """
        with self.storage.transaction() as rows:
            rows.lock("organisations", id=organisation)
            self.row(rows, organisation, identity)
            admins = self.to_resources(rows.every(self.table, organisation=organisation, scope=Scope.ADMIN.value))
            valid = [one.id for one in admins if one.valid_at(self.host.now())]
            if spare_last_admin and valid == [identity]:
                raise ConflictError(
                    "the last admin key must stay: add another one first, or use 'assay keys revoke'"
                )
            rows.change(self.table, {"revoked_at": self.host.now()}, id=identity, revoked_at=EMPTY)
        return self.get(organisation, identity)


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def issue_key(keys: Keys, owner: Owner, scope: Scope, name: str, expires_at: datetime | None = None) -> IssuedKey:
    """Add a key to an organisation. Only a run token is bound to a benchmark run, and only it must end."""
    if (scope is Scope.RUN) != (owner.benchmark_run is not None):
        raise InputError("a key must have the scope run if it is bound to a benchmark run, and only then")
    if scope is Scope.RUN and expires_at is None:
        raise InputError("a run token must have a time at which it expires")
    now = keys.host.now()
    if expires_at is not None and expires_at <= now:
        raise InputError("expires_at must be in the future")
    identity = keys.host.new_id(keys.prefix)
    key = Key(identity, owner.organisation, name, scope, owner.benchmark_run, now, expires_at)
    secret = PREFIX + keys.host.new_secret()
    keys.add(key, digest_of(secret))
    return IssuedKey(key, secret)


def rotate_key(keys: Keys, organisation: str, identity: str) -> IssuedKey:
    """A new key in place of an old one, which is revoked at once. Raises ``NotFoundError``."""
    old = keys.get(organisation, identity)
    if not old.valid_at(keys.host.now()):
        raise InputError(f"the key {identity} must be valid to be rotated; it is revoked or has expired")
    issued = issue_key(keys, old.owner, old.scope, old.name, old.expires_at)
    keys.revoke(organisation, identity)
    return issued


def key_of(keys: Keys, secret: str) -> Key | None:
    """The key that a caller presents; None for one that is unknown, revoked or expired."""
    key = keys.by_digest(digest_of(secret))
    return key if key is not None and key.valid_at(keys.host.now()) else None
