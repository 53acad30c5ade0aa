"""Assay's side of the launcher, which is a process of its own: ask it for commands, and hear of their ends."""

import contextlib
import os
import signal
import socket
import sys
import threading
import weakref
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.adapters.machine.own_process import at_end_of_worker, belongs_here
from assay.adapters.sandbox.cgroups import ControlGroup, Controllers, sweep
from assay.adapters.sandbox.run_child import ANSWER_SEC, memory_file
from assay.core.errors import MeasurementError

SCRIPT = str(Path(__file__).with_name("launcher.py"))


class LauncherClient:
    """A launcher, which starts one command at a time."""

    def __init__(self, owner: tuple[int, int] | None, file_mb: int) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.alive = True
        uid, gid = owner or (-1, -1)
        argv = [sys.executable, "-I", "-S", SCRIPT, *map(str, (3, uid, gid, file_mb))]
        with theirs:
            fd = theirs.fileno()
            self.pid = os.posix_spawn(argv[0], argv, {}, file_actions=[(os.POSIX_SPAWN_DUP2, fd, 3)])
        belongs_here(self)

    def let_go(self) -> None:
        """Leave it to the process that started it."""
        self.hang_up()

    def start(
        self,
        argv: Sequence[str],
        fds: Sequence[int],
        limits: Mapping[str, int] | None = None,
        *,
        enter: bool = False,
        apart: bool = False,
    ) -> "LaunchedChild":
        """Start a command; ``fds`` become its descriptors 3, 4, … ``limits`` are named as in ``resource``.

        With ``enter``, the launcher makes the namespaces itself: ``fds`` are bwrap's options, a file for how the
        command ended, and the rules for system calls. With ``apart``, its errors are a stream of their own.
        """
        words = ["enter" if enter else "spawn", *(f"{name}={most}" for name, most in (limits or {}).items())]
        stdin_theirs, stdin = os.pipe()
        stdout, stdout_theirs = os.pipe()
        stderr, stderr_theirs = os.pipe() if apart else (None, os.dup(stdout_theirs))
        own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        running = LaunchedChild(self, own, (stdin, stdout, stderr))
        try:
            with memory_file("\0".join(argv)) as line, theirs:
                self._ask(words, [theirs.fileno(), line, stdin_theirs, stdout_theirs, stderr_theirs, *fds])
            word, *numbers = self.hear(own)
            if word != "begun":
                raise OSError(int(numbers[0]), os.strerror(int(numbers[0])))
        except BaseException:
            running.close()
            raise
        finally:
            for fd in (stdin_theirs, stdout_theirs, stderr_theirs):
                os.close(fd)
        return running

    def hear(self, own: socket.socket) -> list[str]:
        """The launcher's next message about a command: a word and numbers."""
        problem = "is gone"
        try:
            own.settimeout(ANSWER_SEC if self.alive else 0)
            words = own.recv(256).decode().split()
        except OSError as error:
            words = []
            if isinstance(error, TimeoutError):
                problem = f"gave no answer within {ANSWER_SEC:g} s"
                os.kill(self.pid, signal.SIGKILL)
        if not words:
            self.alive = False
            raise MeasurementError(f"the launcher for sandboxes {problem}")
        return words

    @property
    def still_runs(self) -> bool:
        """Whether it is there still. One that was killed or stopped while it was free is not asked."""
        with contextlib.suppress(ChildProcessError):
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is None:
                return True
            os.kill(self.pid, signal.SIGKILL)
        return False

    def hang_up(self) -> None:
        """Tell it to end, without waiting."""
        self.alive = False
        self._requests.close()

    def close(self) -> None:
        """End it and everything that it started."""
        self.hang_up()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _ask(self, words: Sequence[str], fds: Sequence[int]) -> None:
        # A launcher that is gone is noticed when it doesn't answer.
        with contextlib.suppress(OSError):
            socket.send_fds(self._requests, [" ".join(words).encode()], fds)


class LaunchedChild:
    """A command that the launcher started."""

    def __init__(self, launcher: LauncherClient, own: socket.socket, streams: tuple[int, int, int | None]) -> None:
        self._launcher = launcher
        self._own = own
        self.group: ControlGroup | None = None
        (self.stdin, self.stdout, self.stderr), self.ended = streams, own.fileno()
        belongs_here(self)

    def kill(self) -> None:
        if self.group is not None:
            self.group.stop_all_but(self._launcher.pid)
        with contextlib.suppress(OSError):
            self._own.send(b"kill")

    def collect(self) -> tuple[int, float]:
        """Wait for its end. One whose launcher died when the memory of their group ran out was killed."""
        try:
            _, *numbers = self._launcher.hear(self._own)
        except MeasurementError:
            if self.group is None or not self.group.ran_out_of_memory:
                raise
            return -signal.SIGKILL, 0.0
        return os.waitstatus_to_exitcode(int(numbers[0])), float(numbers[1])

    def close_stdin(self) -> None:
        stdin, self.stdin = self.stdin, -1
        if stdin >= 0:
            os.close(stdin)

    def close(self) -> None:
        self._own.close()
        self.close_stdin()
        for fd in (self.stdout, self.stderr):
            if fd is not None and fd >= 0:
                os.close(fd)
        self.stdout = self.stderr = -1

    def let_go(self) -> None:
        """Leave it to the process that started it."""
        self.close()


class Slot:
    """A launcher and its control group."""

    def __init__(self, controllers: Controllers, owner: tuple[int, int] | None, file_mb: int) -> None:
        self.group = ControlGroup(controllers)
        self.launcher = LauncherClient(owner, file_mb)
        self.group.take_in(self.launcher.pid)

    def close(self) -> None:
        self.launcher.close()
        self.group.stop_all_but(self.launcher.pid)
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
        self._begin()

    def _begin(self) -> None:
        belongs_here(self)
        self._lock = threading.Lock()
        self._free: dict[int, list[Slot]] = defaultdict(list)
        # When nobody has this pool any more, or at the end of the process.
        self._last = weakref.finalize(self, _close_all, self._free, self._lock)
        at_end_of_worker(self._last, self)

    def let_go(self) -> None:
        """Begin without the slots of the parent."""
        self._last.detach()
        self._begin()

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
        while True:
            with self._lock:
                slot = self._free[file_mb].pop() if self._free[file_mb] else None
            if slot is None:
                break
            if slot.launcher.still_runs:
                return slot
            slot.close()
        try:
            return Slot(self._controllers, self._owner, file_mb)
        except OSError as error:
            raise MeasurementError(f"can't prepare a sandbox: {error.strerror}") from error


def _close_all(free: dict[int, list[Slot]], lock: threading.Lock) -> None:
    with lock:
        slots = [slot for some in free.values() for slot in some]
        free.clear()
    for slot in slots:
        slot.launcher.hang_up()
    for slot in slots:
        slot.close()
