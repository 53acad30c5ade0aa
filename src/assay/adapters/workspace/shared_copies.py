"""Copies of the tests and solutions of tasks, shared by all trials and read-only for sandboxes."""

import contextlib
import glob
import os
import secrets
import shutil
import stat
import threading

from assay.adapters.machine.own_process import belongs_here
from assay.adapters.machine.scratch import scratch_folder
from assay.adapters.machine.tree_walk import checksum, walk
from assay.adapters.machine.trees import copy_whole, is_excluded, remove_tree

_open_copies: dict[tuple[str, tuple[str, ...], tuple[str, ...]], str] = {}
_copying = threading.Lock()


class SharedCopies:
    """Copies of folders, made once each in a process. Safe to use from several threads."""

    def __init__(self) -> None:
        self.let_go()
        self._root = scratch_folder(0o711)

    def let_go(self) -> None:
        """Begin without any copy."""
        belongs_here(self)
        self._root = ""
        self._lock = threading.Lock()
        self._copies: dict[tuple[str, ...], str] = {}
        self._checksums: dict[tuple[str, ...], str] = {}

    def copy(self, *folders: str) -> str:
        """One folder with the content of all these. Files of later folders replace those of earlier ones."""
        with self._lock:
            if folders not in self._copies:
                self._root = self._root or scratch_folder(0o711)
                # A name that can't be guessed, because without namespaces an agent could look for it.
                target = f"{self._root}/{secrets.token_hex(16)}"
                for folder in folders:
                    copy_whole(folder, target)
                _open_to_all(target)
                self._copies[folders] = target
            return self._copies[folders]

    def checksum(self, *folders: str) -> str:
        """The checksum of that copy."""
        copy = self.copy(*folders)
        with self._lock:
            if folders not in self._checksums:
                self._checksums[folders] = checksum(copy)
            return self._checksums[folders]

    def close(self) -> None:
        if self._root:
            remove_tree(self._root)


def open_copy(folder: str, exclude: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> str:
    """A copy of a folder of the user's that everybody can read, made once and removed when Assay ends.

    ``exclude`` has patterns of names to leave out; ``only`` has those of paths to take, with all below them.
    """
    with _copying:
        key = folder, exclude, only
        if key not in _open_copies:
            _open_copies[key] = _copy_folder(folder, exclude, only)
        return _open_copies[key]


def forget_open_copies() -> None:
    """Remove the copies now."""
    while _open_copies:
        remove_tree(os.path.dirname(_open_copies.popitem()[1]))


def _forget_parents_copies() -> None:
    """A forked child makes copies of its own, under a lock that no thread of its parent holds."""
    global _copying  # noqa: PLW0603
    _copying = threading.Lock()
    _open_copies.clear()


os.register_at_fork(after_in_child=_forget_parents_copies)


def _copy_folder(folder: str, exclude: tuple[str, ...], only: tuple[str, ...]) -> str:
    target = f"{scratch_folder(0o711)}/copy"
    os.mkdir(target)
    for path in _chosen_paths(folder, only):
        os.makedirs(os.path.dirname(f"{target}/{path}"), exist_ok=True)
        if os.path.isdir(f"{folder}/{path}") and not os.path.islink(f"{folder}/{path}"):
            _mirror(os.path.normpath(f"{folder}/{path}"), os.path.normpath(f"{target}/{path}"), exclude)
        else:
            shutil.copy2(f"{folder}/{path}", f"{target}/{path}", follow_symlinks=False)
    _open_to_all(target)
    return target


def _mirror(source: str, target: str, exclude: tuple[str, ...]) -> None:
    """A second tree of the same files, under hard links where everybody may read them; others are copied.

    A toolchain has gigabytes, which nobody needs twice. Copies keep their times: a compiled file counts only as
    long as its source has the time that it was compiled from.
    """
    os.makedirs(target, exist_ok=True)
    for path, found in walk(source):
        goal = f"{target}/{path}"
        if is_excluded(path, exclude):
            continue
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(goal), exist_ok=True)
            if stat.S_ISDIR(found.st_mode):
                os.makedirs(goal, exist_ok=True)
            elif stat.S_ISLNK(found.st_mode) or (stat.S_ISREG(found.st_mode) and not _linked(source, path, goal)):
                shutil.copy2(f"{source}/{path}", goal, follow_symlinks=False)


def _linked(source: str, path: str, goal: str) -> bool:
    """Whether a file could be shown under a link: all may read it, run it if anybody may, and nobody may write."""
    mode = os.lstat(f"{source}/{path}").st_mode & 0o777
    if mode & 0o044 != 0o044 or mode & 0o022 or mode & 0o111 not in (0, 0o111):
        return False
    try:
        os.link(f"{source}/{path}", goal, follow_symlinks=False)
    except OSError:
        return False
    return True


def _chosen_paths(folder: str, only: tuple[str, ...]) -> list[str]:
    found = (glob.glob(pattern, root_dir=folder) for pattern in only)
    return list(dict.fromkeys(path for paths in found for path in paths)) if only else ["."]


def _open_to_all(root: str) -> None:
    """Let everybody read, and only the owner write."""
    for folder, folders, files in os.walk(root):
        for name in folders:
            set_mode(os.path.join(folder, name), 0o755)
        for name in files:
            path = os.path.join(folder, name)
            if os.lstat(path).st_nlink > 1:
                continue  # It is the user's own file, and everybody can read it already.
            set_mode(path, 0o755 if _is_program(path) else 0o644)
    os.chmod(root, 0o755)  # noqa: S103


def _is_program(path: str) -> bool:
    """Whether a file is executable or has a #! line: harbor makes such files executable, too."""
    return os.path.islink(path) or os.stat(path).st_mode & 0o111 != 0 or names_program(path)


def names_program(path: str) -> bool:
    """Whether a file begins with ``#!``."""
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def set_mode(path: str, mode: int) -> None:
    """Set the mode of a file or folder, but never of the target of a link."""
    if not os.path.islink(path):
        os.chmod(path, mode)
