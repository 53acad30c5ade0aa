"""A progress bar that appears only in a terminal, and only if the work takes longer than a second."""

import sys
import time
from typing import TextIO

from assay.cli.table import clean

PATIENCE_SEC = 1.0
REFRESH_SEC = 0.1
WIDTH = 30


class ProgressBar:
    """Call it with (done, total). It writes to standard error and erases itself at the end."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self._label = clean(label)
        self._stream = stream or sys.stderr
        self._watched = self._stream.isatty()
        self._next = time.monotonic() + PATIENCE_SEC
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        # Asking for the time costs more than most of the work between two calls.
        if not self._watched or (done & 63 and done != total):
            return
        if done >= total:
            self._clear()
            return
        now = time.monotonic()
        if now >= self._next:
            self._next = now + REFRESH_SEC
            self._shown = True
            filled = WIDTH * done // total
            bar = "█" * filled + "░" * (WIDTH - filled)
            self._stream.write(f"\r{self._label} {bar} {done}/{total}")
            self._stream.flush()

    def _clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._shown = False
