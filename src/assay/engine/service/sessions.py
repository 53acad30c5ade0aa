"""Sessions of people who look at pages: begun with a key, ended by signing out, by time, or with the key.

The browser keeps a secret; what is kept here is its digest. The token that forms carry follows from the secret, so
that nobody who can't read the cookie can make one.
"""

import hashlib
import hmac
from datetime import timedelta
from typing import Final

from assay.core.errors import InputError
from assay.engine.service.keys import PREFIX, IssuedKey, Key, Keys, Scope, digest_of, key_of
from assay.engine.service.storage import UpTo

LASTING: Final = timedelta(hours=12)


class Sessions:
    """Sessions of people who look at pages."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self.storage = keys.storage

    def begin(self, key: Key) -> IssuedKey:
        """A session of a key that is known to be valid, with its secret. It ends with the key."""
        now, secret = self.keys.host.now(), self.keys.host.new_secret()
        ends = now + LASTING if key.expires_at is None else min(now + LASTING, key.expires_at)
        owner = {"key": key.id, "organisation": key.organisation}
        times = {"created_at": now, "expires_at": ends}
        with self.storage.transaction() as rows:
            # Those that have expired are forgotten.
            rows.remove("sessions", expires_at=UpTo(now))
            rows.insert("sessions", [{"digest": digest_of(secret), **owner, **times}])
        return IssuedKey(key, secret)

    def end(self, digest: str) -> None:
        with self.storage.transaction() as rows:
            rows.remove("sessions", digest=digest)


def sign_in(sessions: Sessions, secret: str) -> IssuedKey:
    """Begin a session with a key. Raises ``InputError`` for what is no key, or one that can't see pages."""
    key = key_of(sessions.keys, secret) if secret.startswith(PREFIX) else None
    if key is None:
        raise InputError(
            f"the key must be a valid one, which begins with {PREFIX}; this one is unknown or has expired"
        )
    if key.scope is Scope.RUN:
        raise InputError("a run token can't see pages: sign in with a key of the scope reader, grader or admin")
    return sessions.begin(key)


def session_of(sessions: Sessions, secret: str) -> Key | None:
    """The key that is signed in with this secret; None if none is, or it isn't valid any more."""
    now, row = sessions.keys.host.now(), sessions.storage.find("sessions", digest=digest_of(secret))
    if row is None or row["expires_at"] <= now:
        return None
    key = sessions.keys.get(row["organisation"], row["key"])
    return key if key.valid_at(now) else None


def form_token(secret: str) -> str:
    """The token that the forms of a session carry."""
    return hmac.new(secret.encode(), b"assay form", hashlib.sha256).hexdigest()


def is_form_token(secret: str, written: str) -> bool:
    return hmac.compare_digest(form_token(secret).encode(), written.encode("utf-8", "replace"))
