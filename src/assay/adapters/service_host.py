"""The machine, for the service: time, ids that grow with time, and secrets."""

import secrets
import threading
import time
from datetime import UTC, datetime
from typing import Final

# Without letters that look alike; in the order of their codes, so that ids sort as numbers do.
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS: Final = 11
_CHANCE_DIGITS: Final = 15


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
        """Microseconds, and 75 bits of chance. Two of one process never have the same moment."""
        with self._lock:
            self._last = moment = max(self._last + 1, time.time_ns() // 1000)
        return f"{prefix}_{_spelled(moment, _TIME_DIGITS)}{_spelled(secrets.randbits(75), _CHANCE_DIGITS)}"

    def new_secret(self) -> str:
        return secrets.token_urlsafe(32)


def _spelled(number: int, digits: int) -> str:
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(digits)))
