"""A child process for work that may never return, which the parent can always end.

It is started by ``exec``, so that it doesn't inherit the locks of other threads, and with ``-P``, so that it
imports nothing from the current folder, which may be an agent's. Both sides exchange frames over its standard
input and output.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
import time

from assay.adapters.machine.own_process import belongs_here, stop_descriptors
from assay.core.errors import check_stopped

_HEADER = 8
_LARGEST = 2**30
_TO_END_SEC = 5.0
_PR_SET_PDEATHSIG = 1


class ChildProcess:
    """The parent's end. The child runs a module of Assay."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        os.set_blocking(self._stdin, False)
        belongs_here(self)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def _stdin(self) -> int:
        return self._process.stdin.fileno() if self._process.stdin is not None else -1

    @property
    def _stdout(self) -> int:
        return self._process.stdout.fileno() if self._process.stdout is not None else -1

    def send(self, data: bytes, until: float) -> None:
        """Send a frame. Raises ``TimeoutError`` at ``until`` of the monotonic clock, ``OSError`` if it ended."""
        view = memoryview(len(data).to_bytes(_HEADER) + data)
        while view:
            _wait(self._stdin, select.POLLOUT, until)
            with contextlib.suppress(BlockingIOError):
                view = view[os.write(self._stdin, view[: 1 << 16]) :]

    def receive(self, until: float) -> bytes:
        """The next frame. Raises ``TimeoutError`` at ``until``, and ``EOFError`` if the child ended."""
        return _frame(self._stdout, until)

    def end(self) -> None:
        """Kill the child, whatever it is doing."""
        self._process.kill()
        self._close()
        self._process.wait()

    def let_go(self) -> None:
        """Leave it to the process that started it."""
        self._process.returncode = 0
        self._close()

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def ended(self) -> int:
        """How a child ended whose output has ended: its exit code, or the negative number of a signal."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END_SEC)
        self.end()
        return self._process.returncode


class Parent:
    """The child's end."""

    def __init__(self) -> None:
        """Arrange to die with the parent, even in the middle of an endless loop, and leave Ctrl-C to it."""
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != int(sys.argv[1]):
            sys.exit(1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Nothing that is printed may get in between the frames.
        self._output = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def receive(self) -> bytes:
        """The next frame. Raises ``EOFError`` if the parent has no more."""
        return _frame(sys.stdin.fileno(), None)

    def send(self, data: bytes) -> None:
        view = memoryview(len(data).to_bytes(_HEADER) + data)
        while view:
            view = view[os.write(self._output, view) :]


def _frame(fd: int, until: float | None) -> bytes:
    size = int.from_bytes(_receive_bytes(fd, _HEADER, until))
    if size > _LARGEST:
        raise EOFError
    return _receive_bytes(fd, size, until)


def _receive_bytes(fd: int, size: int, until: float | None) -> bytes:
    chunks: list[bytes] = []
    while size:
        _wait(fd, select.POLLIN, until)
        chunk = os.read(fd, min(size, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _wait(fd: int, event: int, until: float | None) -> None:
    if until is None:
        return
    poll = select.poll()
    poll.register(fd, event)
    for stop in stop_descriptors():
        poll.register(stop, select.POLLIN)
    if not poll.poll(max(until - time.monotonic(), 0) * 1000):
        raise TimeoutError
    check_stopped()
