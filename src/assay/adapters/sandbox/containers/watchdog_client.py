"""Assay's side of the watchdog, which removes Assay's containers when Assay is gone."""

import contextlib
import os
import sys
import threading
from pathlib import Path

from assay.core.errors import MeasurementError

START = (sys.executable, "-I", "-S", str(Path(__file__).with_name("watchdog.py")))


class WatchdogClient:
    """Tells a watchdog which containers exist. The watchdog starts with the first of them."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._names: set[str] = set()
        self._lock = threading.Lock()
        self._watchdog: tuple[int, int] | None = None

    def begin(self, name: str) -> None:
        """From now on, a container of this name doesn't outlive Assay."""
        with self._lock:
            self._names.add(name)
            self._tell(f"+{name}\n")

    def end(self, name: str) -> None:
        """The container has been removed."""
        with self._lock:
            self._names.discard(name)
            self._tell(f"-{name}\n")

    def leave(self) -> None:
        """Let go of the watchdog."""
        if self._watchdog is not None:
            os.close(self._watchdog[1])
            self._watchdog = None

    def _tell(self, line: str) -> None:
        try:
            self._write(line)
        except BrokenPipeError:
            # Somebody killed it. Tell the next one everything.
            self._bury()
            self._write("".join(f"+{name}\n" for name in sorted(self._names)))

    def _write(self, lines: str) -> None:
        if self._watchdog is None:
            self._watchdog = _start(self._engine)
        os.write(self._watchdog[1], lines.encode())

    def _bury(self) -> None:
        if self._watchdog is not None:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._watchdog[0], 0)
            self.leave()


_CLIENTS: dict[str, WatchdogClient] = {}


def watchdog_of(engine: str) -> WatchdogClient:
    """The client of this process for an engine."""
    return _CLIENTS.setdefault(engine, WatchdogClient(engine))


def _after_fork() -> None:
    """The parent's watchdog would wait for its forked children as well."""
    for one in _CLIENTS.values():
        one.leave()
    _CLIENTS.clear()


os.register_at_fork(after_in_child=_after_fork)


def _start(engine: str) -> tuple[int, int]:
    """The process id, and the pipe that it listens to. Signals from Assay's terminal don't reach it."""
    heard, pipe = os.pipe()
    answer, said = os.pipe()
    streams = [
        (os.POSIX_SPAWN_DUP2, heard, 0),
        (os.POSIX_SPAWN_DUP2, said, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        pid = os.posix_spawn(START[0], [*START, engine], os.environ, file_actions=streams, setsid=True)
    finally:
        os.close(heard)
        os.close(said)
    with open(answer, "rb") as stream:
        if stream.read(1) == b"":
            raise MeasurementError("the watchdog for containers doesn't start")
    return pid, pipe
