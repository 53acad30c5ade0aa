"""A command that was started: how to talk to it, end it, and learn how it ended; and one that is our own child."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol


class StartedCommand(Protocol):
    """A command that runs. ``ended`` becomes readable when it has ended."""

    stdin: int
    stdout: int
    ended: int

    def kill(self) -> None:
        """Kill it. ``collect`` is still to be called."""
        ...

    def collect(self) -> tuple[int, float]:
        """Wait for its end; its exit status, negative for a signal, and its CPU seconds."""
        ...

    def close_stdin(self) -> None:
        """End its input."""
        ...

    def close(self) -> None:
        """Close the descriptors."""
        ...


class OwnChild:
    """A child of this process."""

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
