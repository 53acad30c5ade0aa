"""Launchers that are kept for the next command, each in a control group of its own."""

import contextlib
import os
import threading
import weakref
from collections import defaultdict
from collections.abc import Iterator

from assay.adapters.sandbox.cgroups import Group, sweep
from assay.adapters.sandbox.controllers import Controllers
from assay.adapters.sandbox.launcher_client import LauncherClient
from assay.core.errors import MeasurementError


class Slot:
    """A launcher and its control group."""

    def __init__(self, controllers: Controllers, owner: tuple[int, int] | None, file_mb: int) -> None:
        self.group = Group(controllers)
        self.launcher = LauncherClient(owner, file_mb)
        self.group.take_in(self.launcher.pid)

    def close(self) -> None:
        self.launcher.close()
        self.group.remove()


class LauncherPool:
    """The slots of this process, as many as there were ever commands at one time.

    Safe to use from several threads. A launcher can't take back a limit on the size of files, so there are slots
    for each such limit.
    """

    def __init__(self, controllers: Controllers, owner: tuple[int, int] | None) -> None:
        sweep(controllers)
        self._controllers = controllers
        self._owner = owner
        self._lock = threading.Lock()
        self._free: dict[int, list[Slot]] = defaultdict(list)
        # When nobody has this pool any more, or at the end of the process.
        self._last = weakref.finalize(self, _close_all, self._free, self._lock, os.getpid())

    @contextlib.contextmanager
    def take(self, file_mb: int) -> Iterator[Slot]:
        """A slot for one command. It is closed if the command leaves something behind that doesn't go away."""
        slot = self._next(file_mb)
        try:
            yield slot
        finally:
            if self._last.alive and slot.launcher.alive and slot.group.kill_all_but(slot.launcher.pid):
                with self._lock:
                    self._free[file_mb].append(slot)
            else:
                slot.close()

    def close(self) -> None:
        """Close the free slots."""
        self._last()

    def _next(self, file_mb: int) -> Slot:
        with self._lock:
            if self._free[file_mb]:
                return self._free[file_mb].pop()
        try:
            return Slot(self._controllers, self._owner, file_mb)
        except OSError as error:
            raise MeasurementError(f"can't prepare a sandbox: {error.strerror}") from error


def _close_all(free: dict[int, list[Slot]], lock: threading.Lock, process: int) -> None:
    """A forked copy of this process leaves the slots alone."""
    with lock:
        slots = [slot for some in free.values() for slot in some]
        free.clear()
    if os.getpid() == process:
        for slot in slots:
            slot.launcher.hang_up()
        for slot in slots:
            slot.close()
