"""Try again, later each time, until a deadline; then the measurement is broken."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from assay.adapters.sources.json_requests import Limits, Pace
from assay.core.errors import MeasurementError

MAX_FILES: Final = 1_000_000
T = TypeVar("T")


class UnreachableError(Exception):
    """A failure that may pass. ``not_before_sec`` is how long a server wants to be left alone."""

    def __init__(self, why: str, not_before_sec: float = 0) -> None:
        super().__init__(why)
        self.not_before_sec = not_before_sec


@dataclass(slots=True)
class Patience:
    """Begins at the first failure; ``renew`` after each success."""

    what: str
    limits: Limits
    pace: Pace
    _end: float | None = field(default=None, init=False)
    _pause: float = field(default=0, init=False)

    def renew(self) -> None:
        """Something worked: the deadline counts from the next failure on."""
        self._end = None

    def wait(self, failure: UnreachableError) -> None:
        """Wait before the next try. Raises ``MeasurementError`` where the time is over."""
        now = self.pace.clock()
        if self._end is None:
            self._end, self._pause = now + self.limits.deadline_sec, self.limits.first_pause_sec
        wait = max(self._pause * self.pace.part(), failure.not_before_sec)
        if now + wait >= self._end:
            raise MeasurementError(f"{self.what}: {failure}, for {self.limits.deadline_sec:g} s") from failure
        self.pace.sleep(wait)
        self._pause = min(self._pause * 2, self.limits.longest_pause_sec)


def patiently(what: str, limits: Limits, pace: Pace, attempt: Callable[[], T]) -> T:
    """The answer of an attempt that raises ``UnreachableError`` where it may be worth another."""
    patience = Patience(what, limits, pace)
    while True:
        try:
            return attempt()
        except UnreachableError as failure:
            patience.wait(failure)
