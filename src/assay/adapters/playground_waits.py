"""Says what a grading waits for, so that nobody takes a slow or missing source for a command that hangs.

A source is named once, when one of its answers takes longer than a couple of seconds. Who asks notes it here; a
thread beside looks at the clock. Nothing of what is asked or answered is said.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

PATIENCE_SEC: Final = 2.0
LOOK_EVERY_SEC: Final = 0.5
Say = Callable[[str], None]
Item = TypeVar("Item")


class Waits:
    """What is being waited for. May be told from several threads."""

    def __init__(self, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._lock = threading.Lock()
        self._since: dict[object, tuple[str, float]] = {}
        self._said: set[str] = set()

    @contextmanager
    def of(self, source: str) -> Iterator[None]:
        """While this lasts, the source is waited for."""
        question = object()
        self._since[question] = source, self._clock()
        try:
            yield
        finally:
            del self._since[question]

    def each(self, source: str, ask: Callable[[], Iterable[Item]]) -> Iterator[Item]:
        """The items as they come; only the time until the next one is waited for, not what is done with it."""
        with self.of(source):
            rest = iter(ask())
        while True:
            with self.of(source):
                try:
                    item = next(rest)
                except StopIteration:
                    return
            yield item

    def look(self) -> None:
        """Name the sources that have let somebody wait for long."""
        now = self._clock()
        with self._lock:
            late = {source for source, since in list(self._since.values()) if now - since >= PATIENCE_SEC}
            for source in sorted(late - self._said):
                self._said.add(source)
                self._say(f"waiting for {source}")


@contextmanager
def watching(waits: Waits) -> Iterator[Waits]:
    """Look at the clock while this lasts."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(LOOK_EVERY_SEC):
            waits.look()

    thread = threading.Thread(target=look, name="waits", daemon=True)
    thread.start()
    try:
        yield waits
    finally:
        ended.set()
        thread.join()
