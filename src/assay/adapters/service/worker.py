"""Threads that do queued work, one piece each at a time, until they are told to end."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from assay.core.broken import where_it_broke
from assay.core.errors import AssayError

log = logging.getLogger("assay.worker")

IDLE_SEC: Final = 0.25
LONGEST_IDLE_SEC: Final = 2.0
SWEEP_EVERY_SEC: Final = 5.0


class Worker:
    """``step`` does a piece of work and says whether there was one; ``sweep`` is called now and then."""

    def __init__(self, step: Callable[[], bool], sweep: Callable[[], None], threads: int = 2) -> None:
        self._step = step
        self._sweep = sweep
        self._ended = threading.Event()
        self._woken = threading.Event()
        self._threads = [
            threading.Thread(target=self._go_on, name=f"worker-{n}", args=(n == 0,), daemon=True)
            for n in range(threads)
        ]

    def start(self) -> None:
        for one in self._threads:
            one.start()

    def wake(self) -> None:
        """There is work: don't wait for the next look."""
        self._woken.set()

    def end(self) -> None:
        """Finish what was begun, and take nothing more."""
        self._ended.set()
        self._woken.set()
        for one in self._threads:
            one.join()

    def _go_on(self, sweeps: bool) -> None:
        idle, swept = IDLE_SEC, 0.0
        while not self._ended.is_set():
            try:
                if sweeps and time.monotonic() - swept > SWEEP_EVERY_SEC:
                    swept = time.monotonic()
                    self._sweep()
                did = self._step()
            except AssayError as error:
                log.warning("the worker waits: %s", error)
                did = False
            except Exception as error:  # noqa: BLE001 - a worker goes on, whatever broke
                # A mistake of Assay's own. The work is taken over when its claim runs out.
                log.error("the worker broke at a piece of work: %s", where_it_broke(error))
                did = False
            if did:
                idle = IDLE_SEC
                continue
            self._woken.wait(idle)
            self._woken.clear()
            idle = min(idle * 2, LONGEST_IDLE_SEC)
