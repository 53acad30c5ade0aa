"""Temporary folders that the sandbox's user can enter, and that do not pile up when Assay is killed."""

import contextlib
import functools
import os
import re
import tempfile

from assay.adapters.trees import remove_tree

_NAME = re.compile(r"^assay-(\d+)-")


def scratch_folder(mode: int) -> str:
    """A new folder of this process. The first one also sweeps up after processes that were killed."""
    _sweep()
    folder = tempfile.mkdtemp(prefix=f"assay-{os.getpid()}-")
    os.chmod(folder, mode)
    return folder


@functools.cache
def _sweep() -> None:
    root = tempfile.gettempdir()
    for name in os.listdir(root):
        match = _NAME.match(name)
        path = os.path.join(root, name)
        if match and not _alive(int(match[1])) and _ours(path):
            remove_tree(path)


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
