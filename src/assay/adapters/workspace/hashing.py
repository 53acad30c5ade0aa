"""The entry of a path: its kind and mode, and the hash of its content, which is read without following a link."""

import hashlib
import os
import stat

from assay.adapters.workspace.walk import Record
from assay.evidence.workspace import Entry, EntryKind

MAX_FILE = 4 * 2**30
CHUNK = 1 << 20
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


def entry_of(root: str, record: Record, cut: list[str]) -> Entry:
    """What is at a path. What is too large or can't be read is said in ``cut``."""
    mode = plain_mode(record.mode)
    if record.kind == "f":
        return Entry(EntryKind.FILE, mode, record.size, _hash_file(root, record, cut), record.names)
    if record.kind == "l":
        return Entry(EntryKind.LINK, 0o777, record.size, _hash_link(root, record.path, cut))
    return Entry(EntryKind.OTHER, mode, 0, "")


def plain_mode(mode: int) -> int:
    """Whether it can be executed, and special bits. Who else may read it depends on who made the copy."""
    return (0o755 if mode & stat.S_IXUSR else 0o644) | (mode & _SPECIAL)


def _hash_file(root: str, record: Record, cut: list[str]) -> str:
    if record.size > MAX_FILE:
        cut.append(f"{record.path} is larger than {MAX_FILE} bytes")
        return f"{record.size} bytes"
    try:
        fd = os.open(f"{root}/{record.path}", _FLAGS)
    except OSError as error:
        cut.append(f"{record.path} can't be read: {error.strerror}")
        return "unreadable"
    try:
        return _digest(fd)
    finally:
        os.close(fd)


def _digest(fd: int) -> str:
    data = os.read(fd, CHUNK)
    digest = hashlib.sha256(data)
    while len(data) == CHUNK:
        data = os.read(fd, CHUNK)
        digest.update(data)
    return digest.hexdigest()


def _hash_link(root: str, path: str, cut: list[str]) -> str:
    try:
        return hashlib.sha256(os.fsencode(os.readlink(f"{root}/{path}"))).hexdigest()
    except OSError as error:
        cut.append(f"{path} can't be read: {error.strerror}")
        return "unreadable"
