"""Temporary folders that the sandbox's user can enter, and that do not pile up when Assay is killed."""

import contextlib
import functools
import os
import re
import tempfile

from assay.adapters.trees import remove_tree

MEMORY = "/dev/shm"  # noqa: S108 - what is made there has a name that nobody can foresee
_NAME = re.compile(r"^assay-(\d+)-")


def scratch_folder(mode: int, *, in_memory: bool = False) -> str:
    """A new folder of this process. The first one also sweeps up after processes that were killed.

    What is small and made of many files may lie in memory, where the machine has a place for that.
    """
    root = MEMORY if in_memory and os.access(MEMORY, os.W_OK) else tempfile.gettempdir()
    _sweep(root)
    folder = tempfile.mkdtemp(prefix=f"assay-{os.getpid()}-", dir=root)
    os.chmod(folder, mode)
    return folder


@functools.cache
def _sweep(root: str) -> None:
    for name in os.listdir(root):
        path = os.path.join(root, name)
        if of_the_dead(name) and _ours(path):
            remove_tree(path)


def of_the_dead(name: str) -> bool:
    """Whether something is named after a process of Assay's that is no more."""
    match = _NAME.match(name)
    return match is not None and not _alive(int(match[1]))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _ours(path: str) -> bool:
    """Only a real folder that belongs to us is removed: the names in a temporary folder are anybody's."""
    with contextlib.suppress(OSError):
        return os.path.isdir(path) and not os.path.islink(path) and os.lstat(path).st_uid == os.geteuid()
    return False
