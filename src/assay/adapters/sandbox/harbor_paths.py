"""Harbor's absolute paths without namespaces, for several commands at a time.

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
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from assay.adapters.machine_lock import machine_lock
from assay.adapters.sandbox.seccomp import HELD_NUMBER
from assay.adapters.scratch import temporary_folder
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Mount

_MAKERS = "/usr"
_VIEW = f"/proc/self/fd/{HELD_NUMBER}"


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
