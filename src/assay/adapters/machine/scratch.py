"""Temporary folders that the sandbox's user can enter, and that don't pile up when Assay is killed.

A process has one home for them below the folder for temporary files, and another one in memory. It holds a lock
on each home for as long as it lives, so whoever finds a home can tell whether its process is still there. A
process id couldn't say that: others that share the folder may be in a container, where ids mean something else.

The kernel lets go of a lock when its process ends, however that happens. A sandboxed command never has the lock:
the descriptor closes when another program starts. A forked child closes it, too, and makes a home of its own.
"""

import atexit
import contextlib
import fcntl
import os
import re
import secrets
import tempfile
import threading
from collections.abc import Iterator

from assay.adapters.machine.own_process import at_end_of_worker
from assay.adapters.machine.trees import remove_tree

MEMORY = "/dev/shm"  # noqa: S108 - what is made there has a name that nobody can foresee
_PREFIX = "assay-scratch-"
_HOME = re.compile(rf"{_PREFIX}[0-9a-f]{{16}}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

# The homes of this process by the folder they are in and their user, each with the descriptor of its lock.
_homes: dict[tuple[str, int], tuple[str, int]] = {}
_making = threading.Lock()


def scratch_folder(mode: int, *, in_memory: bool = False) -> str:
    """Make a new folder of this process. The first one also sweeps up after processes that were killed.

    Small folders of many files may lie in memory, where the machine has room for that.
    """
    root = MEMORY if in_memory and os.access(MEMORY, os.W_OK) else tempfile.gettempdir()
    with _making:
        folder = tempfile.mkdtemp(prefix="", dir=_home(root))
    os.chmod(folder, mode)
    return folder


@contextlib.contextmanager
def temporary_folder(mode: int) -> Iterator[str]:
    """A scratch folder that is removed at the end of the block."""
    folder = scratch_folder(mode)
    try:
        yield folder
    finally:
        remove_tree(folder)


def sweep(root: str) -> None:
    """Remove the homes in a folder whose processes are gone."""
    for name in os.listdir(root):
        if _HOME.fullmatch(name):
            _sweep_home(os.path.join(root, name))


def _home(root: str) -> str:
    key = root, os.geteuid()
    if key in _homes:
        path, lock = _homes[key]
        if os.path.isdir(path):
            return path
        os.close(lock)  # Somebody removed it.
    sweep(root)
    while (made := _new_home(root)) is None:
        pass
    if not _homes:
        at_end_of_worker(_remove_homes)
    _homes[key] = made
    return made[0]


def _new_home(root: str) -> tuple[str, int] | None:
    """A locked folder. None if somebody swept it, or looked at it, before it was locked."""
    path = os.path.join(root, f"{_PREFIX}{secrets.token_hex(8)}")
    os.mkdir(path, 0o700)
    try:
        fd = os.open(path, _FOLDER)
    except FileNotFoundError:
        return None
    if _is_locked_by_another(fd) or not _is_at(fd, path):
        os.close(fd)
        return None
    os.fchmod(fd, 0o711)
    return path, fd


def _is_locked_by_another(fd: int) -> bool:
    """Lock a folder, if nobody else did. Where folders can't be locked, no sweep can lock one and remove it."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _sweep_home(path: str) -> None:
    """Remove a real folder of our own that nobody has locked: the names in a temporary folder are anybody's."""
    with contextlib.suppress(OSError):
        fd = os.open(path, _FOLDER)
        try:
            if os.fstat(fd).st_uid != os.geteuid():
                return
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(fd, path):
                remove_tree(path)
        finally:
            os.close(fd)


def _is_at(fd: int, path: str) -> bool:
    """Whether a folder that was opened a moment ago is still the one with this name."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(fd), os.lstat(path))
    return False


@atexit.register
def _remove_homes() -> None:
    for path, lock in _homes.values():
        remove_tree(path)
        os.close(lock)
    _homes.clear()


def _forget_homes() -> None:
    """A forked child would keep the homes of its parent locked after the parent's end."""
    global _making  # noqa: PLW0603 - another thread may have held it at the fork
    _making = threading.Lock()
    for _, lock in _homes.values():
        os.close(lock)
    _homes.clear()


os.register_at_fork(after_in_child=_forget_homes)
