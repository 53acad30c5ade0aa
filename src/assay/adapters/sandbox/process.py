"""The process sandbox, for a machine with neither bubblewrap nor a container engine.

A command runs as an unprivileged user under limits, with a supervisor that kills everything it leaves behind.
There are no namespaces, so the system and the network stay visible, and that is recorded. Harbor's absolute paths
are links at those very paths while commands run, which lead each of them to its own files.

Harbor's absolute paths without namespaces, for several commands at a time.

Each command has a folder of its own with links to its mounts, and holds it open under one number. The links at
``/workspace``, ``/tests`` and so on lead through that number: ``/proc/self/fd/900/workspace``. So the same path
leads every command to its own files, and leads nowhere for everybody else. The filter for system calls keeps
programs from closing the number, which many do with all numbers that they don't know.

The links are shared by all commands of the machine. Whoever uses them shares the lock on the root folder; the last
one removes them. One at a time makes or removes links.
"""

import contextlib
import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from assay.adapters.machine.lock import machine_lock
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import own_tree
from assay.adapters.sandbox.holds import threads_of
from assay.adapters.sandbox.run_child import Child, memory_file, run_child
from assay.adapters.sandbox.seccomp import FILTERED, HELD_NUMBER, filter_program, holding_program
from assay.core.errors import MeasurementError, check_stopped
from assay.engine.sandbox import CommandLimits, Isolation, Mount, Ran, SandboxCommand

NOBODY = (65534, 65534)
START = (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))
_MAKERS = "/usr"
_VIEW = f"/proc/self/fd/{HELD_NUMBER}"


class Process:
    """Runs commands as plain processes. ``probe`` makes one."""

    def __init__(self) -> None:
        self.owner = NOBODY if os.geteuid() == 0 else None
        self.images = None
        self.isolation = Isolation(
            backend="process",
            pid_namespace=False,
            no_network=False,
            read_only_system=False,
            memory_limit="rlimit",
            process_limit="rlimit" if self.owner else "none",
            cpu_limit="none",
            system_calls=FILTERED if filter_program() else "not filtered",
            user="nobody" if self.owner else "the caller",
        )

    def run(self, command: SandboxCommand) -> Ran:
        uid, gid = self.owner or (-1, -1)
        limits = command.limits
        # Commands that run beside this one have the same user, and the kernel counts them all.
        processes = limits.processes + (threads_of(uid) if uid >= 0 else 0)
        numbers = (uid, gid, limits.file_mb, limits.memory_mb or 0, processes)
        rules = [program for program in (filter_program(), holding_program()) if program is not None]
        sizes = " ".join(str(len(program)) for program in rules)
        with (
            harbor_paths(command.mounts, check_stopped) as view,
            _control_pipe() as control,
            _home(self.owner) as home,
            memory_file(f"{sizes}\n".encode() + b"".join(rules)) as filters,
        ):
            # A shell takes the name of its folder from here; otherwise it would show where the link leads.
            given = {**command.env, "PWD": command.workdir}
            given |= {name: home for name in ("HOME", "TMPDIR") if _is_shared(given.get(name), command.mounts)}
            text = "\0".join(f"{name}={value}" for name, value in given.items())
            with memory_file(text) as env, memory_file("") as status:
                fds = (control, status, env, view, filters)
                arguments = (control, status, *numbers, env, view, filters, HELD_NUMBER)
                ran = run_child(
                    Child(
                        argv=[*START, *map(str, arguments), command.workdir, *command.argv],
                        stdin=command.stdin,
                        timeout_sec=limits.timeout_sec,
                        output_bytes=limits.output_bytes,
                        pass_fds=fds,
                        kill=_terminate,
                        written=command.written,
                        disk_mb=limits.disk_mb,
                        apart=command.apart,
                    )
                )
                if said := os.pread(status, 1000, 0).decode(errors="replace"):
                    raise MeasurementError(f"the process sandbox couldn't start the command: {said}")
                return ran


def probe() -> Process:
    """The sandbox, once it has run a command at one of Harbor's paths. Raises ``MeasurementError`` if it can't."""
    sandbox = Process()
    with temporary_folder(0o755) as folder:
        mounts = (Mount(folder, "/tests"),)
        limits = CommandLimits(timeout_sec=20)
        ran = sandbox.run(
            SandboxCommand(argv=("/bin/sh", "-c", "pwd -P"), workdir="/tests", limits=limits, mounts=mounts)
        )
    if ran.output.decode().strip() != os.path.realpath(folder):
        raise MeasurementError(f"plain processes don't work here: {ran.output.decode(errors='replace')[:300]}")
    return sandbox


def _terminate(pid: int) -> None:
    """Ask the supervisor to kill everything, which it also does when the control pipe closes."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


@contextlib.contextmanager
def _control_pipe() -> Iterator[int]:
    """A pipe whose other end closes when Assay ends, however that happens."""
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    try:
        yield reading
    finally:
        os.close(reading)
        os.close(writing)


@contextlib.contextmanager
def _home(owner: tuple[int, int] | None) -> Iterator[str]:
    """A home and temporary folder for one command, so that nobody else finds what an agent leaves there."""
    # The folder around it stays ours, so that a later sweep can tell whose it is.
    with temporary_folder(0o711) as around:
        home = f"{around}/home"
        os.mkdir(home, 0o700)
        own_tree(home, owner)
        yield home


def _is_shared(path: str | None, mounts: Sequence[Mount]) -> bool:
    """Whether everybody on this machine shares a folder. The task's own mounts aren't shared."""
    return path is not None and not any(path == one.target or path.startswith(f"{one.target}/") for one in mounts)


@contextlib.contextmanager
def harbor_paths(mounts: Sequence[Mount], check: Callable[[], None]) -> Iterator[int]:
    """A descriptor that makes the absolute paths of the mounts lead to their sources, for whoever holds it.

    Raises ``MeasurementError``. ``check`` is called while somebody else has the lock, and may raise something.
    """
    wanted = [mount for mount in mounts if mount.source != mount.target]
    with temporary_folder(0o755) as view, _links([mount.target for mount in wanted], check):
        for mount in sorted(wanted, key=lambda mount: mount.target):
            os.makedirs(os.path.dirname(f"{view}{mount.target}"), exist_ok=True)
            os.symlink(mount.source, f"{view}{mount.target}")
        fd = os.open(view, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield fd
        finally:
            os.close(fd)


@contextlib.contextmanager
def _links(targets: Sequence[str], check: Callable[[], None]) -> Iterator[None]:
    """The links, which stay for as long as anybody uses them."""
    with contextlib.ExitStack() as using:
        with machine_lock(check, folder=_MAKERS):
            root = using.enter_context(machine_lock(check, shared=True))
            made = {_make(target) for target in targets}
        try:
            yield
        finally:
            with machine_lock(folder=_MAKERS):
                _remove_if_last(root, made)


def _remove_if_last(root: int, made: set[str]) -> None:
    """Whether somebody else uses the links is seen by asking for the lock alone."""
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(root, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for path in made | {f"/{name}" for name in os.listdir("/")}:
            if _is_ours(path):
                os.unlink(path)


def _make(target: str) -> str:
    """Make the link that leads to a target: at the first folder on the way to it that the machine doesn't have."""
    path = next((path for path in _on_the_way(target) if not _is_folder(path)), target)
    try:
        if os.path.islink(path) and "assay-" in os.readlink(path):
            os.unlink(path)  # Left by an older Assay that was killed.
        if not _is_ours(path):
            os.symlink(f"{_VIEW}{path}", path)
    except OSError as error:
        raise MeasurementError(
            f"the process sandbox can't provide {target} ({error.strerror}): it needs root and a free path"
        ) from error
    return path


def _on_the_way(target: str) -> list[str]:
    return [str(path) for path in (*reversed(PurePosixPath(target).parents[:-1]), target)]


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _is_ours(path: str) -> bool:
    return os.path.islink(path) and os.readlink(path) == f"{_VIEW}{path}"
