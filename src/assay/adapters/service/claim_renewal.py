"""Keeps claims from running out while somebody is still at work on them.

One thread renews all claims of a process. It is started with the first claim that lasts.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

LASTING: Final = timedelta(seconds=60)

Renew = Callable[[Iterable[str], datetime], None]


class HeldClaims:
    """Fulfils ``Claims``. To be closed. ``renew`` is told which claims are still held, and until when."""

    def __init__(self, renew: Renew, lasting: timedelta = LASTING) -> None:
        self.lasting = lasting
        self._renew = renew
        self._every = lasting.total_seconds() / 5
        self._lock = threading.Lock()
        self._held: set[str] = set()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def holding(self, claim: str) -> Iterator[None]:
        """Within the context, the claim is held."""
        with self._lock:
            self._held.add(claim)
            if self._thread is None:
                self._thread = threading.Thread(target=self._go_on, name="held-claims", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(claim)

    def close(self) -> None:
        self._closed.set()

    def _go_on(self) -> None:
        while not self._closed.wait(self._every):
            with self._lock:
                held = list(self._held)
            try:
                if held:
                    self._renew(held, datetime.now(UTC) + self.lasting)
            except Exception:  # noqa: BLE001, S112 - the store may be back in time; otherwise the claim runs out
                continue
