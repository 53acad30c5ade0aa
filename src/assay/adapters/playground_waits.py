"""A thread that looks at the clock while a grading asks its sources."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from assay.engine.waits import Say, Waits

LOOK_EVERY_SEC: Final = 0.5


@contextmanager
def watching(say: Say) -> Iterator[Waits]:
    """Tell ``say`` which sources take long, until the context ends."""
    waits, ended = Waits(say, time.monotonic), threading.Event()

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
