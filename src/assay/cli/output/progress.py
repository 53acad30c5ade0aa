"""How far a long piece of work is: a line that erases itself in a terminal, and now and then a line in a log.

It goes to standard error, begins after two seconds, and has the elapsed time and an estimate of what is left.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TextIO

from assay.cli.output.table import clean

PATIENCE_SEC, REFRESH_SEC = 2.0, 0.25
FIRST_LINE_SEC, EACH_LINE_SEC = 10.0, 30.0
BAR = 20


class Progress:
    """Call it with (done, total) and what is being done, from any thread.

    ``live`` and ``logged`` are for work that prints lines of its own: no line in a terminal, or none in a log.
    ``done_before`` doesn't count for the estimate.
    """

    def __init__(
        self,
        label: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        live: bool = True,
        logged: bool = True,
        done_before: int = 0,
    ) -> None:
        self._label, self._clock = clean(label), clock
        self._stream = stream or sys.stderr
        self._live = live and self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._silent = not (self._live or logged)
        self._began = clock()
        self._next = self._began + (PATIENCE_SEC if self._live else FIRST_LINE_SEC)
        self._done, self._total, self._doing, self._done_before = 0, 0, "", done_before
        self._is_shown = False
        self._lock = threading.RLock()
        self._ended = threading.Event()

    def __call__(self, done: int, total: int, doing: str = "") -> None:
        self._done, self._total, self._doing = done, total, doing
        # Asking for the time costs more than most of the work between two calls.
        if self._silent or (done & 63 and total > 64 and done != total):
            return
        if done >= total:
            self.clear()
        else:
            self._show_if_due()

    def begin(self) -> "Progress":
        """Go on showing the time between two calls."""
        if self._live:
            threading.Thread(target=self._go_on, daemon=True).start()
        return self

    def end(self) -> None:
        with self._lock:
            self._ended.set()
            self.clear()

    @contextmanager
    def going_on(self) -> Iterator["Progress"]:
        """Show the time between two calls, too, as long as this is open."""
        try:
            yield self.begin()
        finally:
            self.end()

    def print(self, text: str) -> None:
        """Print a line above this one."""
        with self._lock:
            self.clear()
            print(text, file=self._stream, flush=True)
            if self._live and 0 < self._total > self._done:
                self._next = min(self._next, max(self._clock(), self._began + PATIENCE_SEC))
                self._show_if_due()

    def clear(self) -> None:
        """Erase the line. The next call may show it again."""
        with self._lock:
            if self._is_shown:
                self._stream.write("\r\x1b[2K")
                self._stream.flush()
                self._is_shown = False

    def _go_on(self) -> None:
        while not self._ended.wait(REFRESH_SEC):
            with self._lock:
                if not self._ended.is_set() and self._done < self._total:
                    self._show_if_due()

    def _show_if_due(self) -> None:
        now = self._clock()
        if now < self._next:
            return
        self._next = now + (REFRESH_SEC if self._live else EACH_LINE_SEC)
        with self._lock:
            if self._live:
                self._stream.write(f"\r\x1b[2K{self._line(now)}")
                self._is_shown = True
            else:
                self._stream.write(f"assay: {self._label} {self._done:,} of {self._total:,}{self._left(now)}\n")
            self._stream.flush()

    def _line(self, now: float) -> str:
        """The line for a terminal, as far as it is wide: a longer one would break, and couldn't be erased."""
        filled = BAR * self._done // self._total
        bar = "█" * filled + "░" * (BAR - filled)
        elapsed = timedelta(seconds=int(now - self._began))
        doing = f" · {clean(self._doing)}" if self._doing else ""
        line = f"{self._label} {bar} {self._done:,}/{self._total:,} · {elapsed}{self._left(now)}{doing}"
        return line[: _columns(self._stream) - 1]

    def _left(self, now: float) -> str:
        new = self._done - self._done_before
        if new <= 0:
            return ""
        left = timedelta(seconds=round((now - self._began) / new * (self._total - self._done)))
        return f", about {left} left"


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
