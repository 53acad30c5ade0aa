"""The entry of a path: its kind and mode, and the hash of its content, which is read without following a link."""

import hashlib
import os
import stat
from collections.abc import Iterable

from assay.adapters.workspace.walk import Record, parse_record
from assay.evidence.workspace import Entry, EntryKind

MAX_FILE = 4 * 2**30
MAX_TOTAL = 32 * 2**30
HOLLOW = 256 * 2**20
CHUNK = 1 << 20
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


def entries_of(root: str, rows: Iterable[bytes], cut: list[str]) -> dict[str, Entry]:
    """The entries of some records. A file that is too large or can't be read is reported in ``cut``."""
    records = list(map(parse_record, rows))
    if sum(record.size for record in records) > MAX_TOTAL:
        # Files that take up no room can be as large as they like. The small ones, which people read, come first.
        records.sort(key=lambda record: (record.size, record.path))
    entries: dict[str, Entry] = {}
    left = MAX_TOTAL
    for record in records:
        left -= record.size
        entries[record.path] = _entry(root, record, min(MAX_FILE, left + record.size), cut)
    return entries


def _entry(root: str, record: Record, limit: int, cut: list[str]) -> Entry:
    mode = plain_mode(record.mode)
    if record.kind == "f":
        return Entry(EntryKind.FILE, mode, record.size, _hash_file(root, record, limit, cut), record.names)
    if record.kind == "l":
        return _link(root, record.path, cut)
    return Entry(EntryKind.OTHER, mode, 0, "")


def plain_mode(mode: int) -> int:
    """The executable bit and the special bits. The rest depends on who made the copy."""
    return (0o755 if mode & stat.S_IXUSR else 0o644) | (mode & _SPECIAL)


def _hash_file(root: str, record: Record, limit: int, cut: list[str]) -> str:
    if record.size > limit:
        cut.append(f"{record.path} is too large: {record.size} bytes")
        return f"{record.size} bytes"
    try:
        fd = os.open(f"{root}/{record.path}", _FLAGS)
    except OSError as error:
        return _unreadable(record.path, error, cut)
    try:
        if _is_hollow(os.fstat(fd)):
            cut.append(f"{record.path} has {record.size} bytes, most of them in holes")
            return f"{record.size} bytes"
        return _digest(fd)
    except OSError as error:
        return _unreadable(record.path, error, cut)
    finally:
        os.close(fd)


def digest_below(root: str, path: str) -> str | None:
    """The hash of a file's content; None if it can't be read, or is large by its holes."""
    try:
        fd = os.open(f"{root}/{path}", _FLAGS)
    except OSError:
        return None
    try:
        return None if _is_hollow(os.fstat(fd)) else _digest(fd)
    except OSError:
        return None
    finally:
        os.close(fd)


def _is_hollow(found: os.stat_result) -> bool:
    """Whether a file is large only by its holes, which would be read as zeros for a long time."""
    return found.st_size > HOLLOW and found.st_blocks * 512 < found.st_size // 2


def _digest(fd: int) -> str:
    """Read until nothing comes: some file systems return less than they are asked for."""
    digest = hashlib.sha256()
    while data := os.read(fd, CHUNK):
        digest.update(data)
    return digest.hexdigest()


def _link(root: str, path: str, cut: list[str]) -> Entry:
    try:
        target = os.fsencode(os.readlink(f"{root}/{path}"))
    except OSError as error:
        return Entry(EntryKind.LINK, 0o777, 0, _unreadable(path, error, cut))
    return Entry(EntryKind.LINK, 0o777, len(target), hashlib.sha256(target).hexdigest())


def _unreadable(path: str, error: OSError, cut: list[str]) -> str:
    cut.append(f"{path} can't be read: {error.strerror}")
    return "unreadable"
