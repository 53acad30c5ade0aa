"""Run one child process to its end: feed it, keep the tail of its output, stop it at its deadline.

The child is expected to take everything it started with it when it dies; each backend sees to that in its own way.
Should something hold the output pipe open all the same, reading stops shortly after the child's end.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from assay.core.errors import MeasurementError
from assay.engine.sandbox import InterruptedRunError, Ran
from assay.evidence.verifier_run import RunEnd

DRAIN_SEC = 2.0
CHUNK = 64 * 1024
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


_stop_reading, _stop_writing = os.pipe()

READY = b"\x06"

# What stands between a sandbox and its command: it says that it is there, and goes on when it is told to.
AT_THE_DOOR = ("/bin/sh", "-c", 'printf "\\006"; read -r _ || exit 125; exec "$@"', "sh")


def stop_all() -> None:
    """End every child that is being attended, in whatever thread, and let no other begin."""
    os.write(_stop_writing, b"x")


class Tail:
    """The last bytes of a stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self.cut = False

    def add(self, chunk: bytes) -> None:
        if not chunk:
            return
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= self._limit:
            self._size -= len(self._chunks.popleft())
            self.cut = True

    def content(self) -> bytes:
        data = b"".join(self._chunks)
        self.cut = self.cut or len(data) > self._limit
        return data[-self._limit :]


@dataclass(frozen=True, slots=True)
class Child:
    """What to start, and under which bounds.

    ``hold_stdin`` keeps the child's input open to its end; ``kill`` ends it where killing the process itself is
    not enough. With ``handshake``, the child says ``READY`` first and begins when it is sent a line: if Assay dies
    before, the line never comes.
    """

    argv: Sequence[str]
    stdin: bytes
    timeout_sec: float
    output_bytes: int
    user: tuple[int, int] | None = None
    env: Mapping[str, str] = field(default_factory=lambda: {"PATH": DEFAULT_PATH})
    pass_fds: tuple[int, ...] = ()
    hold_stdin: bool = False
    handshake: bool = False
    kill: Callable[[int], None] | None = None


@contextlib.contextmanager
def memory_file(text: str) -> Iterator[int]:
    """A text that a child can read from a descriptor, and nobody else."""
    fd = os.memfd_create("assay")
    try:
        os.write(fd, text.encode(errors="surrogateescape"))
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def run_child(child: Child) -> Ran:
    """Start the child and see it through."""
    started = datetime.now(UTC)
    try:
        process = _start(child)
    except OSError as error:
        raise MeasurementError(f"{child.argv[0]} can't be started: {error.strerror}") from error
    attendance = _Attendance(process, child)
    attendance.attend()
    return Ran(
        end=_end(attendance.status, attendance.timed_out),
        output=attendance.tail.content(),
        output_cut=attendance.tail.cut,
        started_at=started,
        finished_at=datetime.now(UTC),
        cpu_sec=attendance.cpu_sec,
    )


def _start(child: Child) -> "subprocess.Popen[bytes]":
    uid, gid = child.user if child.user is not None else (None, None)
    return subprocess.Popen(
        list(child.argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=uid,
        group=gid,
        extra_groups=[] if uid is not None else None,
        env=dict(child.env),
        pass_fds=child.pass_fds,
        start_new_session=True,
        bufsize=0,
    )


class _Attendance:
    """Watches one child: its output, its input, its end and its deadline."""

    def __init__(self, process: "subprocess.Popen[bytes]", child: Child) -> None:
        self._process = process
        self._child = child
        self._unsent = memoryview(child.stdin)
        self._awaited = child.handshake
        self._deadline = time.monotonic() + child.timeout_sec
        self._selector = selectors.DefaultSelector()
        self.tail = Tail(child.output_bytes)
        self.timed_out = False
        self.status = 0
        self.cpu_sec = 0.0

    def attend(self) -> None:
        """Until the child is gone and its output is read, or has been waited for long enough."""
        pid = self._process.pid
        pidfd = os.pidfd_open(pid)
        try:
            self._register(pidfd)
            self._until_gone(pidfd)
            _, status, usage = os.wait4(pid, 0)
            self.status = self._process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_sec = usage.ru_utime + usage.ru_stime
            self._selector.unregister(_stop_reading)
            self._drain()
        except BaseException:
            self._kill()
            os.waitpid(pid, 0)
            raise
        finally:
            os.close(pidfd)
            self._selector.close()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()

    def _register(self, pidfd: int) -> None:
        process = self._process
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        for stream in (process.stdin, process.stdout):
            os.set_blocking(stream.fileno(), False)
        self._selector.register(process.stdout.fileno(), selectors.EVENT_READ, self._read)
        if not self._child.hold_stdin and not self._awaited:
            self._selector.register(process.stdin.fileno(), selectors.EVENT_WRITE, self._write)
        self._selector.register(pidfd, selectors.EVENT_READ, None)
        self._selector.register(_stop_reading, selectors.EVENT_READ, self._stopped)

    def _until_gone(self, pidfd: int) -> None:
        while True:
            left = self._deadline - time.monotonic()
            if left <= 0 and not self.timed_out:
                self.timed_out = True
                self._kill()
            ready = self._selector.select(None if self.timed_out else max(left, 0))
            for key, _ in ready:
                if key.data is not None:
                    key.data(key.fd)
            if any(key.fd == pidfd for key, _ in ready):
                self._selector.unregister(pidfd)
                return

    def _drain(self) -> None:
        """What is still in the pipe. Somebody else may hold it open; he is not waited for."""
        until = time.monotonic() + DRAIN_SEC
        while self._selector.get_map() and time.monotonic() < until:
            for key, _ in self._selector.select(max(until - time.monotonic(), 0)):
                key.data(key.fd)

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, CHUNK)
        if not chunk:
            self._selector.unregister(fd)
        elif self._awaited and chunk.startswith(READY):
            self._begin()
            self.tail.add(chunk[len(READY) :])
        else:
            self.tail.add(chunk)

    def _begin(self) -> None:
        """The child is in its place: let it go on, with its input."""
        self._awaited = False
        self._unsent = memoryview(b"\n" + self._child.stdin)
        if self._process.stdin is not None:
            self._selector.register(self._process.stdin.fileno(), selectors.EVENT_WRITE, self._write)

    def _write(self, fd: int) -> None:
        try:
            self._unsent = self._unsent[os.write(fd, self._unsent[:CHUNK]) :] if self._unsent else self._unsent
        except BrokenPipeError:
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self._selector.unregister(fd)
            if self._process.stdin is not None:
                self._process.stdin.close()

    def _stopped(self, _fd: int) -> None:
        raise InterruptedRunError("the run was stopped")

    def _kill(self) -> None:
        if self._child.kill is not None:
            self._child.kill(self._process.pid)
        elif self._process.returncode is None:
            os.kill(self._process.pid, signal.SIGKILL)


_SIGNALS = frozenset(one.value for one in signal.Signals)


def _end(status: int, timed_out: bool) -> RunEnd:
    if timed_out:
        return RunEnd(exit_code=None, timed_out=True)
    if status < 0:
        return RunEnd(exit_code=None, signal=-status)
    # A shell and bwrap report a command that a signal ended as 128 plus the signal.
    return RunEnd(exit_code=status, signal=status - 128 if status - 128 in _SIGNALS else None)
