"""Assay's side of the watchdog that ends its containers when it is gone."""

import contextlib
import os
import sys
import threading
from pathlib import Path

from assay.core.errors import MeasurementError

START = (sys.executable, "-I", "-S", str(Path(__file__).with_name("container_watchdog.py")))


class WatchdogClient:
    """Tells a watchdog which containers there are. It is started when there is something to tell."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._names: set[str] = set()
        self._lock = threading.Lock()
        self._watchdog: tuple[int, int] | None = None

    def begin(self, name: str) -> None:
        """From now on, a container of this name does not outlive Assay."""
        with self._lock:
            self._names.add(name)
            self._tell(f"+{name}\n")

    def end(self, name: str) -> None:
        """The container is removed."""
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
            # Somebody killed it. The next one is told everything.
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
    """The one of this process."""
    return _CLIENTS.setdefault(engine, WatchdogClient(engine))


def _after_fork() -> None:
    """The watchdog of a parent would wait for its children as well."""
    for one in _CLIENTS.values():
        one.leave()
    _CLIENTS.clear()


os.register_at_fork(after_in_child=_after_fork)


def _start(engine: str) -> tuple[int, int]:
    """Its process, and the pipe on which it listens. What ends Assay from its terminal does not reach it."""
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
            raise MeasurementError("the watchdog of the containers does not start")
    return pid, pipe
