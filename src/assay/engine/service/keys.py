"""Keys: who may do what. A key is shown once; what is kept is its digest.

A secret has 256 bits of chance, so a plain hash of it can't be turned back.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final, Protocol

from assay.core.errors import InputError
from assay.engine.service.host import ServiceHost

PREFIX: Final = "ask_"


class Scope(Enum):
    """What a key is for. ``run`` is bound to one benchmark run: it starts and completes that run's task runs."""

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
    """A new key. This is the only time that its secret can be seen."""

    key: Key
    secret: str


class KeyStore(Protocol):
    """Where keys are kept."""

    def add_key(self, key: Key, digest: str) -> None: ...

    def key_by_digest(self, digest: str) -> Key | None: ...

    def key(self, organisation: str, identity: str) -> Key:
        """Raises ``NotFoundError``."""
        ...

    def revoke_key(self, organisation: str, identity: str, at: datetime) -> Key:
        """Raises ``NotFoundError``. A key that was revoked before keeps its time."""
        ...


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def issue_key(
    store: KeyStore,
    host: ServiceHost,
    owner: Owner,
    scope: Scope,
    name: str,
    expires_at: datetime | None = None,
) -> IssuedKey:
    """Add a key to an organisation. Only a run token is bound to a benchmark run, and only it must end."""
    if (scope is Scope.RUN) != (owner.benchmark_run is not None):
        raise InputError("a key must have the scope run if it is bound to a benchmark run, and only then")
    if scope is Scope.RUN and expires_at is None:
        raise InputError("a run token must have a time at which it expires")
    now = host.now()
    if expires_at is not None and expires_at <= now:
        raise InputError("expires_at must be in the future")
    key = Key(host.new_id("key"), owner.organisation, name, scope, owner.benchmark_run, now, expires_at)
    secret = PREFIX + host.new_secret()
    store.add_key(key, digest_of(secret))
    return IssuedKey(key, secret)


def rotate_key(store: KeyStore, host: ServiceHost, organisation: str, identity: str) -> IssuedKey:
    """A new key in place of an old one, which is revoked at once. Raises ``NotFoundError``."""
    old = store.key(organisation, identity)
    if not old.valid_at(host.now()):
        raise InputError(f"the key {identity} must be valid to be rotated; it is revoked or has expired")
    issued = issue_key(store, host, old.owner, old.scope, old.name, old.expires_at)
    store.revoke_key(organisation, identity, host.now())
    return issued


def key_of(store: KeyStore, secret: str, now: datetime) -> Key | None:
    """The key that a caller presents; None for one that is unknown, revoked or expired."""
    key = store.key_by_digest(digest_of(secret))
    return key if key is not None and key.valid_at(now) else None
