"""The machine that Assay runs on, for the use cases: time, ids, secrets, environment variables."""

import os
import platform
import random
import secrets
import string
import threading
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime

_CHANCE_BYTES = 10
_LETTERS = string.ascii_letters + string.digits


class ThisHost:
    """This machine. ``env`` is what tasks may see of its environment variables: all of them by default."""

    def __init__(self, env: Mapping[str, str] | None = None) -> None:
        self.env: Mapping[str, str] = os.environ if env is None else env
        self.python = platform.python_version()
        self.platform = platform.platform(terse=True)

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def new_id(self) -> str:
        return str(uuid.uuid4())

    def random_letters(self, count: int) -> str:
        return "".join(random.choices(_LETTERS, k=count))  # noqa: S311 - a name, not a secret


class ThisServer:
    """Fulfils ``ServiceHost``. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def now(self) -> datetime:
        return datetime.now(UTC)

    def clock(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def new_id(self, prefix: str) -> str:
        """Microseconds and 80 bits of chance, in hexadecimal. Two of one process never have the same moment."""
        with self._lock:
            self._last = moment = max(self._last + 1, time.time_ns() // 1000)
        return f"{prefix}_{moment:014x}{secrets.token_hex(_CHANCE_BYTES)}"

    def new_secret(self) -> str:
        return secrets.token_urlsafe(32)
