"""A command that was started, by us or by the launcher: how to talk to it, end it, and learn how it ended."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from assay.core.errors import MeasurementError

SCRIPT = str(Path(__file__).with_name("launcher.py"))


class Running(Protocol):
    """``ended`` becomes readable at its end."""

    stdin: int
    stdout: int
    ended: int

    def kill(self) -> None:
        """End it. Its end is still to be collected."""
        ...

    def collect(self) -> tuple[int, float]:
        """Its exit status, negative for a signal, and its CPU seconds; waits for its end."""
        ...

    def close_stdin(self) -> None:
        """Its input ends here."""
        ...

    def close(self) -> None:
        """Give the descriptors back."""
        ...


class Started:
    """A child of our own."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        pass_fds: tuple[int, ...],
        kill: Callable[[int], None] | None,
    ) -> None:
        self.process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(env),
            pass_fds=pass_fds,
            start_new_session=True,
            bufsize=0,
        )
        assert self.process.stdin is not None  # noqa: S101 - both are pipes
        assert self.process.stdout is not None  # noqa: S101
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self.ended = os.pidfd_open(self.process.pid)
        self._kill = kill or (lambda pid: os.kill(pid, signal.SIGKILL))

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

    def close(self) -> None:
        os.close(self.ended)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


class Launcher:
    """Our end of a launcher. It starts one command at a time."""

    def __init__(self, owner: tuple[int, int] | None, file_mb: int) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.alive = True
        uid, gid = owner or (-1, -1)
        argv = [sys.executable, "-I", "-S", SCRIPT, *map(str, (3, uid, gid, file_mb))]
        with theirs:
            fd = theirs.fileno()
            self.pid = os.posix_spawn(argv[0], argv, {}, file_actions=[(os.POSIX_SPAWN_DUP2, fd, 3)])

    def start(self, argv: Sequence[str], fds: Sequence[int]) -> "Launched":
        """Start a command; ``fds`` become its descriptors 3, 4, …"""
        stdin_theirs, stdin = os.pipe()
        stdout, stdout_theirs = os.pipe()
        own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        running = Launched(self, own, stdin, stdout)
        try:
            with memory_file("\0".join(argv)) as line, theirs:
                self._ask([theirs.fileno(), line, stdin_theirs, stdout_theirs, *fds])
            word, *numbers = self.hear(own)
            if word != "begun":
                raise OSError(int(numbers[0]), os.strerror(int(numbers[0])))
        except BaseException:
            running.close()
            raise
        finally:
            os.close(stdin_theirs)
            os.close(stdout_theirs)
        return running

    def hear(self, own: socket.socket) -> list[str]:
        """The launcher's next word on a command's socket, and its numbers."""
        try:
            words = own.recv(256).decode().split()
        except OSError:
            words = []
        if not words:
            self.alive = False
            raise MeasurementError("the launcher of sandboxes is gone")
        return words

    def hang_up(self) -> None:
        """Tell it to end, without waiting for that."""
        self.alive = False
        self._requests.close()

    def close(self) -> None:
        """It ends, and everything that it started."""
        self.hang_up()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _ask(self, fds: Sequence[int]) -> None:
        # A launcher that is gone is noticed when it doesn't answer.
        with contextlib.suppress(OSError):
            socket.send_fds(self._requests, [b"s"], fds)


class Launched:
    """A child of the launcher's."""

    def __init__(self, launcher: Launcher, own: socket.socket, stdin: int, stdout: int) -> None:
        self._launcher = launcher
        self._own = own
        self._stdin_open = True
        self.stdin, self.stdout, self.ended = stdin, stdout, own.fileno()

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._own.send(b"kill")

    def collect(self) -> tuple[int, float]:
        _, *numbers = self._launcher.hear(self._own)
        return os.waitstatus_to_exitcode(int(numbers[0])), float(numbers[1])

    def close_stdin(self) -> None:
        os.close(self.stdin)
        self._stdin_open = False

    def close(self) -> None:
        self._own.close()
        os.close(self.stdout)
        if self._stdin_open:
            self.close_stdin()


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
