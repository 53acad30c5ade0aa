"""The machine, for the service: time, ids that grow with time, and secrets."""

import secrets
import threading
import time
from datetime import UTC, datetime
from typing import Final

_CHANCE_BYTES: Final = 10


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
