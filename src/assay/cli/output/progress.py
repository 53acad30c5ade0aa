"""Read the jobs that a command was given, with a bar in a terminal if that takes longer than a second."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TextIO

from assay.adapters.jobs import results_folder as reading
from assay.adapters.jobs.results_folder import Results
from assay.cli.output.table import clean
from assay.core.errors import InputError
from assay.dialects.harbor.job_stats import Metric
from assay.engine.jobs.job_runs import ReadJob

PATIENCE_SEC = 1.0
REFRESH_SEC = 0.1
WIDTH = 30
FIRST_LINE_SEC, EACH_LINE_SEC = 10.0, 30.0


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


class Progress:
    """Tells how far a long piece of work is, and about when it ends: a line now and then, in a log too.

    Call it with (done, total), from one thread.
    """

    def __init__(self, label: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._label, self._stream, self._clock = label, sys.stderr, clock
        self._began = clock()
        self._next = self._began + FIRST_LINE_SEC

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if now < self._next or done >= total:
            return
        self._next = now + EACH_LINE_SEC
        left = timedelta(seconds=round((now - self._began) / done * (total - done)))
        self._stream.write(f"assay: {self._label} {done:,} of {total:,}, about {left} left\n")
        self._stream.flush()


def read_jobs(paths: Sequence[str]) -> list[ReadJob]:
    """The jobs at these paths, each once. Raises ``InputError`` if one is named twice."""
    seen: dict[str, str] = {}
    for path in paths:
        place = os.path.realpath(path)
        if place in seen:
            raise InputError(f"each job must be named once, but {seen[place]} and {path} are the same folder")
        seen[place] = path
    read = {path: read_results(path) for path in paths}
    return [ReadJob(path, found.job, found.histories) for path, found in read.items()]


def read_results(path: str, script: Metric | None = None) -> Results:
    """The results at a path, whoever wrote them."""
    return reading.read_results(path, script, lambda name: ProgressBar(f"reading {name}"))
