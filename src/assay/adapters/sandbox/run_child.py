"""Run one child process to its end: feed it, keep the tail of its output, stop it at its deadline.

When the child dies, everything it started must die with it; each backend ensures that in its own way. If something
still holds the output pipe open, reading stops shortly after the child's end.
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
from datetime import UTC, datetime, timedelta
from typing import Protocol

from assay.adapters.machine.own_process import Bell, belongs_here, stop_descriptors
from assay.adapters.sandbox.disk_watch import DiskWatch
from assay.core.errors import MeasurementError, check_stopped
from assay.engine.sandbox import Ran
from assay.evidence.coding_run import Printed, ProcessEnd


@contextlib.contextmanager
def memory_file(text: str | bytes) -> Iterator[int]:
    """A text that a child can read from a descriptor, and nobody else."""
    fd = os.memfd_create("assay")
    try:
        os.write(fd, text if isinstance(text, bytes) else text.encode(errors="surrogateescape"))
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


DRAIN_SEC = 2.0
# Whoever starts commands must answer within this time: that one has begun, and after it was killed that it ended.
ANSWER_SEC = 60.0
CHUNK = 64 * 1024
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class StartedCommand(Protocol):
    """A command that runs. ``ended`` becomes readable when it has ended.

    ``stderr`` is None where its errors go to its output.
    """

    stdin: int
    stdout: int
    stderr: int | None
    ended: int

    def kill(self) -> None:
        """Kill it. ``collect`` is still to be called."""

    def collect(self) -> tuple[int, float]:
        """Wait for its end; its exit status, negative for a signal, and its CPU seconds."""

    def close_stdin(self) -> None:
        """End its input."""

    def close(self) -> None:
        """Close the descriptors."""


class OutputTail:
    """The last bytes of a stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._cut = False

    def add(self, chunk: bytes) -> None:
        if not chunk:
            return
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= self._limit:
            self._size -= len(self._chunks.popleft())
            self._cut = True

    def printed(self) -> Printed:
        data = b"".join(self._chunks)
        return Printed(data[-self._limit :], self._cut or len(data) > self._limit)


@dataclass(frozen=True, slots=True)
class Child:
    """The process to start, and its limits.

    ``hold_stdin`` keeps the child's input open until it ends; ``kill`` ends it where killing the process itself
    isn't enough. ``first_process`` looks up the one that all others come from, if that isn't the child itself.
    With ``apart``, its output and its errors are two streams.
    """

    argv: Sequence[str]
    stdin: bytes
    timeout_sec: float
    output_bytes: int
    env: Mapping[str, str] = field(default_factory=lambda: {"PATH": DEFAULT_PATH})
    pass_fds: tuple[int, ...] = ()
    hold_stdin: bool = False
    kill: Callable[[int], None] | None = None
    written: Sequence[str] = ()
    disk_mb: int | None = None
    first_process: Callable[[], int | None] | None = None
    cwd: str | None = None
    apart: bool = False


def run_child(child: Child) -> Ran:
    """Start the child and attend it until its end."""
    with starting(child.argv[0]) as start:
        command = OwnChild(child)
    stdin = None if child.hold_stdin else child.stdin
    watch = DiskWatch(child.written, child.disk_mb, child.first_process or (lambda: command.process.pid))
    return attend(command, stdin, start, child.timeout_sec, child.output_bytes, watch)


@dataclass(frozen=True, slots=True)
class Start:
    """When a command was started, by the wall clock, which may be set, and by a clock that only ever goes up."""

    at: datetime
    monotonic: float

    @property
    def now(self) -> datetime:
        """The wall-clock time, as if nobody had set the clock since."""
        return self.at + timedelta(seconds=time.monotonic() - self.monotonic)


@contextlib.contextmanager
def starting(program: str) -> Iterator[Start]:
    """The time of the start. A command that can't be started is a broken measurement."""
    try:
        yield Start(datetime.now(UTC), time.monotonic())
    except OSError as error:
        raise MeasurementError(f"can't start {program}: {error.strerror}") from error


def attend(
    command: StartedCommand,
    stdin: bytes | None,
    start: Start,
    timeout_sec: float,
    output_bytes: int,
    watch: DiskWatch,
) -> Ran:
    """Feed a command, read its output, and wait for its end. Without ``stdin``, its input is held open.

    Of two streams, the output has what came in the order in which it came.
    """
    attendance = _Attendance(command, stdin, timeout_sec, output_bytes, watch)
    attendance.attend()
    excess = attendance.excess or ("" if attendance.timed_out else watch.look_again())
    output = attendance.tail.printed()
    return Ran(
        end=_end(attendance.status, attendance.timed_out, excess),
        disk_mb=watch.used_mb,
        output=output.data,
        output_cut=output.cut,
        started_at=start.at,
        finished_at=start.now,
        cpu_sec=attendance.cpu_sec,
        apart=tuple(one.printed() for one in attendance.apart.values()),
    )


class _Attendance:
    """Watches one command: its output, its input, its end and its deadline."""

    def __init__(
        self, command: StartedCommand, stdin: bytes | None, timeout_sec: float, limit: int, watch: DiskWatch
    ) -> None:
        self._command = command
        self._watch = watch
        self.excess = ""
        self._unsent = memoryview(stdin or b"")
        self._hold_stdin = stdin is None
        self._deadline = time.monotonic() + timeout_sec
        self._selector = selectors.DefaultSelector()
        self._looked = Bell()
        self._stops = stop_descriptors()
        self.tail = OutputTail(limit)
        streams = () if command.stderr is None else (command.stdout, command.stderr)
        self.apart = {fd: OutputTail(limit) for fd in streams}
        self.timed_out = False
        self.status = 0
        self.cpu_sec = 0.0

    def attend(self) -> None:
        """Until the command is gone and its output is read, or the wait for it was long enough."""
        try:
            self._register()
            self._until_gone()
            self.status, self.cpu_sec = self._command.collect()
            for fd in self._stops:
                self._selector.unregister(fd)
            self._selector.unregister(self._looked.fd)
            self._drain()
        except BaseException:
            with contextlib.suppress(MeasurementError, ChildProcessError, ProcessLookupError):
                self._command.kill()
                self._command.collect()
            raise
        finally:
            self._selector.close()
            self._looked.close()
            self._command.close()

    def _register(self) -> None:
        command = self._command
        os.set_blocking(command.stdin, False)
        for fd in self.apart or (command.stdout,):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ, self._read)
        if not self._hold_stdin:
            self._selector.register(command.stdin, selectors.EVENT_WRITE, self._write)
        self._selector.register(command.ended, selectors.EVENT_READ, None)
        for fd in self._stops:
            self._selector.register(fd, selectors.EVENT_READ, self._on_stop)
        self._selector.register(self._looked.fd, selectors.EVENT_READ, self._looked.hear)

    def _until_gone(self) -> None:
        while True:
            now = time.monotonic()
            stopped = self.timed_out or self.excess
            if not stopped and now >= self._deadline:
                self.timed_out = True
                self._kill()
            elif not stopped and self._watch.excess:
                self.excess = self._watch.excess
                self._kill()
            elif stopped and now >= self._deadline:
                return  # Nobody says that it ended; who collects it finds out why.
            elif not stopped and now >= self._watch.next:
                self._watch.begin_look(self._looked.ring)
            until = self._deadline if self.timed_out or self.excess else min(self._deadline, self._watch.next)
            ready = self._selector.select(max(until - time.monotonic(), 0))
            for key, _ in ready:
                if key.data is not None:
                    key.data(key.fd)
            if any(key.fd == self._command.ended for key, _ in ready):
                self._selector.unregister(self._command.ended)
                return

    def _kill(self) -> None:
        """Kill it. From now on, its end has a deadline."""
        self._command.kill()
        self._deadline = time.monotonic() + ANSWER_SEC

    def _drain(self) -> None:
        """Read what is still in the pipe, but don't wait long: something else may hold it open."""
        until = time.monotonic() + DRAIN_SEC
        while self._selector.get_map() and time.monotonic() < until:
            for key, _ in self._selector.select(max(until - time.monotonic(), 0)):
                key.data(key.fd)

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, CHUNK)
        if chunk:
            for tail in filter(None, (self.tail, self.apart.get(fd))):
                tail.add(chunk)
        else:
            self._selector.unregister(fd)

    def _write(self, fd: int) -> None:
        try:
            self._unsent = self._unsent[os.write(fd, self._unsent[:CHUNK]) :] if self._unsent else self._unsent
        except BrokenPipeError:
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self._selector.unregister(fd)
            self._command.close_stdin()

    def _on_stop(self, _fd: int) -> None:
        check_stopped()


_SIGNALS = frozenset(one.value for one in signal.Signals)


def _end(status: int, timed_out: bool, excess: str) -> ProcessEnd:
    if timed_out:
        return ProcessEnd(exit_code=None, timed_out=True)
    if excess:
        return ProcessEnd(exit_code=None, excess=excess)
    if status < 0:
        return ProcessEnd(exit_code=None, signal=-status)
    # A shell and bwrap report a command that a signal ended as 128 plus the signal.
    return ProcessEnd(exit_code=status, signal=status - 128 if status - 128 in _SIGNALS else None)


class OwnChild:
    """A child of this process."""

    def __init__(self, child: Child) -> None:
        self.process = subprocess.Popen(
            list(child.argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if child.apart else subprocess.STDOUT,
            env=dict(child.env),
            cwd=child.cwd,
            pass_fds=child.pass_fds,
            start_new_session=True,
            bufsize=0,
        )
        assert self.process.stdin is not None  # noqa: S101 - both are pipes
        assert self.process.stdout is not None  # noqa: S101
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self.stderr = None if self.process.stderr is None else self.process.stderr.fileno()
        self.ended = os.pidfd_open(self.process.pid)
        belongs_here(self)
        self._kill = child.kill or (lambda pid: os.kill(pid, signal.SIGKILL))

    def kill(self) -> None:
        if self.process.returncode is None:
            self._kill(self.process.pid)

    def collect(self) -> tuple[int, float]:
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode, usage.ru_utime + usage.ru_stime

    def close_stdin(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()

    def let_go(self) -> None:
        """Leave it to the process that started it."""
        self.process.returncode = 0
        self.close()

    def close(self) -> None:
        ended, self.ended = self.ended, -1
        if ended >= 0:
            os.close(ended)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
