"""Things that belong to one process alone: its children, pipes and folders.

A forked copy has its parent's descriptors and knows the paths of its folders. Two processes that talk into one
pipe get each other's answers, and a pipe doesn't end while a copy has it open. So whoever holds such a thing lets
go of it in a forked copy, which begins with nothing.

A ``Stop`` ends what its own work started, and nothing else.
"""

import contextlib
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Protocol

from assay.core.errors import STOPPED


class Holder(Protocol):
    """Holds something of this process."""

    def let_go(self) -> None:
        """In a forked copy: forget what belongs to the parent, without ending or removing it."""


_holders: "weakref.WeakSet[Holder]" = weakref.WeakSet()


def belongs_here(holder: Holder) -> None:
    """Have a holder let go in forked copies, for as long as it lives."""
    _holders.add(holder)


def _let_go() -> None:
    holders = list(_holders)
    _holders.clear()
    for holder in holders:
        holder.let_go()


os.register_at_fork(after_in_child=_let_go)


def at_end_of_worker(function: Callable[[], object], owner: object = None) -> None:
    """Call a function at the end of this process if it is a child of ``multiprocessing``, which skips ``atexit``.

    With an ``owner``, it is called earlier if nobody has that any more.
    """
    util = sys.modules.get("multiprocessing.util")
    if util is not None and sys.modules["multiprocessing.process"].parent_process() is not None:
        util.Finalize(owner, function, exitpriority=0)


class Bell:
    """Wakes somebody who waits for a descriptor. Others may ring it when it is gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        belongs_here(self)

    def ring(self) -> None:
        with self._lock:
            if self.fd >= 0:
                os.eventfd_write(self.fd, 1)

    def hear(self, fd: int) -> None:
        os.eventfd_read(fd)

    def close(self) -> None:
        with self._lock:
            fd, self.fd = self.fd, -1
            if fd >= 0:
                os.close(fd)

    def let_go(self) -> None:
        """A forked copy can't ring for its parent."""
        self._lock = threading.Lock()
        self.close()


class Stop(Bell):
    """Ends a piece of work: a wait for a command or a child process of its own raises ``StoppedError``.

    Nobody hears it, so that it keeps ringing for all who wait, in whatever threads.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rung = False

    def __call__(self) -> bool:
        return self._rung

    def ring(self) -> None:
        self._rung = True
        super().ring()

    @contextlib.contextmanager
    def applies(self) -> Iterator[None]:
        """To what this context does, for the time of the block. Threads need a copy of the context."""
        token = STOPPED.set(self)
        try:
            yield
        finally:
            STOPPED.reset(token)


@contextlib.contextmanager
def stoppable() -> Iterator[Stop]:
    """A stop for the work of the block."""
    stop = Stop()
    try:
        with stop.applies():
            yield stop
    finally:
        stop.close()


def stop_descriptors() -> list[int]:
    """The descriptor that becomes readable when the work of this context should end, if anybody can end it."""
    stop = STOPPED.get()
    return [stop.fd] if isinstance(stop, Stop) and stop.fd >= 0 else []
