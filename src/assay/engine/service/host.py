"""The service's needs from the machine it runs on."""

from datetime import datetime
from typing import Protocol


class ServiceHost(Protocol):
    """Time, ids and secrets."""

    def now(self) -> datetime:
        """The time in UTC."""

    def clock(self) -> float:
        """Seconds on a clock that only goes forward."""

    def sleep(self, seconds: float) -> None: ...

    def new_id(self, prefix: str) -> str:
        """A unique id that nobody can guess. Of two, the later one is the greater one."""

    def new_secret(self) -> str:
        """A text that nobody can guess, for a key."""
