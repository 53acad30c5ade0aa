"""Sessions of people who look at pages: begun with a key, ended by signing out, by time, or with the key.

The browser keeps a secret; what is kept here is its digest. The token that forms carry follows from the secret, so
that nobody who can't read the cookie can make one.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from assay.core.errors import InputError
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import PREFIX, Key, KeyStore, Scope, digest_of, key_of

LASTING: Final = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Session:
    """A session without its secret."""

    digest: str
    key: str
    organisation: str
    created_at: datetime
    expires_at: datetime


class SessionStore(Protocol):
    """Where sessions are kept."""

    def add_session(self, session: Session) -> None:
        """Keep a session, and forget those that have expired."""
        ...

    def session_key(self, digest: str, now: datetime) -> Key | None:
        """The key that a session was begun with; None if there is no such session, or it has expired."""
        ...

    def end_session(self, digest: str) -> None: ...


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session. This is the only time that its secret can be seen."""

    key: Key
    secret: str


def sign_in(keys: KeyStore, sessions: SessionStore, host: ServiceHost, secret: str) -> SignedIn:
    """Begin a session with a key. Raises ``InputError`` for what is no key, or one that can't see pages."""
    key = key_of(keys, secret, host.now()) if secret.startswith(PREFIX) else None
    if key is None:
        raise InputError(
            f"the key must be a valid one, which begins with {PREFIX}; this one is unknown or has expired"
        )
    if key.scope is Scope.RUN:
        raise InputError("a run token can't see pages: sign in with a key of the scope reader, grader or admin")
    return begin(sessions, host, key)


def begin(sessions: SessionStore, host: ServiceHost, key: Key) -> SignedIn:
    """A session of a key that is known to be valid. It ends with the key."""
    now, secret = host.now(), host.new_secret()
    ends = now + LASTING if key.expires_at is None else min(now + LASTING, key.expires_at)
    sessions.add_session(Session(digest_of(secret), key.id, key.organisation, now, ends))
    return SignedIn(key, secret)


def session_of(sessions: SessionStore, secret: str, now: datetime) -> Key | None:
    """Who is signed in with this secret; None if nobody is, or the key isn't valid any more."""
    key = sessions.session_key(digest_of(secret), now)
    return key if key is not None and key.valid_at(now) else None


def form_token(secret: str) -> str:
    """The token that the forms of a session carry."""
    return hmac.new(secret.encode(), b"assay form", hashlib.sha256).hexdigest()


def is_form_token(secret: str, written: str) -> bool:
    return hmac.compare_digest(form_token(secret).encode(), written.encode("utf-8", "replace"))
