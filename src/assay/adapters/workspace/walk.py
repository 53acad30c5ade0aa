"""Walk everything in a workspace: no link is followed, nothing is opened, no ignore file is read.

The ``.git`` of the workspace itself is left out: the agent can write to it, so nothing in it is evidence. A
``.git`` further down makes its folder a nested repository, which is listed; the files beside it are walked like
the rest.

Each path is one record of bytes, with everything that shows a change. Two walks are compared as sets of records,
and only records that differ are inspected further.
"""

import contextlib
import functools
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from assay.adapters.workspace import find

MAX_RECORDS = 500_000
NESTED = b"nested "
_KINDS = {
    stat.S_IFREG: b"f",
    stat.S_IFLNK: b"l",
    stat.S_IFIFO: b"p",
    stat.S_IFSOCK: b"s",
    stat.S_IFBLK: b"b",
    stat.S_IFCHR: b"c",
}


class Record(NamedTuple):
    """A parsed record. ``kind`` is ``f`` for a file, ``l`` for a link, something else for the rest."""

    kind: str
    mode: int
    size: int
    changed: float
    names: int
    path: str


@dataclass(frozen=True, slots=True)
class Walked:
    """The records of a folder, its nested repositories, and what could not be walked."""

    records: frozenset[bytes]
    nested: tuple[str, ...]
    cut: tuple[str, ...]


def walk_workspace(root: str) -> Walked:
    """Walk it, up to a cap on the number of entries."""
    with walking(root) as wait:
        return wait()


@contextlib.contextmanager
def walking(root: str) -> Iterator[Callable[[], Walked]]:
    """Begin to walk it. What is yielded waits for the end; in between, something else may be done."""
    cut: list[str] = []
    begun = find.searching(root, cut) if find.is_usable() else contextlib.nullcontext(_walked(root, cut))
    with begun as parts:
        yield functools.partial(_gathered, parts, cut)


def _gathered(parts: Iterable[list[bytes]], cut: list[str]) -> Walked:
    records: set[bytes] = set()
    nested: list[bytes] = []
    for part in parts:
        records.update(part)
        nested += [row for row in part if row.startswith(NESTED)]
        if len(records) > MAX_RECORDS:
            cut.append(f"there are more than {MAX_RECORDS} files")
            break
    repositories = sorted(os.path.dirname(_path(row[len(NESTED) :])) for row in nested)
    records.difference_update(nested)
    return Walked(frozenset(records), tuple(repositories), tuple(cut))


def parse_record(row: bytes) -> Record:
    """The parts of a record."""
    kind, mode, size, changed, _, names, path = row.split(b" ", 6)
    return Record(kind.decode(), int(mode, 8), int(size), float(changed), int(names), _path(path))


def _path(raw: bytes) -> str:
    return os.fsdecode(raw.removeprefix(b"./"))


def _walked(root: str, cut: list[str]) -> Iterator[list[bytes]]:
    """In Python, a folder at a time, on machines without such a ``find``."""
    pending = ["."]
    while pending:
        yield _rows(root, pending.pop(), pending, cut)


def _rows(root: str, folder: str, pending: list[str], cut: list[str]) -> list[bytes]:
    """The records of what is in a folder. The folders in it are added to those that are pending."""
    rows: list[bytes] = []
    try:
        names = os.listdir(f"{root}/{folder}")
    except OSError as error:
        cut.append(f"{folder} can't be read: {error.strerror}")
        return rows
    for path in (f"{folder}/{name}" for name in names if name != ".git"):
        found = _looked_at(root, path, cut)
        if found is not None and stat.S_ISDIR(found.st_mode):
            pending.append(path)
        elif found is not None:
            rows.append(_record(path, found))
    if ".git" in names and folder != ".":
        rows.append(NESTED + os.fsencode(f"{folder}/.git"))
    return rows


def _looked_at(root: str, path: str, cut: list[str]) -> os.stat_result | None:
    try:
        return os.lstat(f"{root}/{path}")
    except OSError as error:
        cut.append(f"{path} can't be looked at: {error.strerror}")
        return None


def _record(path: str, found: os.stat_result) -> bytes:
    kind = _KINDS.get(stat.S_IFMT(found.st_mode), b"U")
    changed = b"%d.%09d0" % divmod(found.st_ctime_ns, 10**9)
    mode = b"%o" % stat.S_IMODE(found.st_mode)
    parts = (kind, mode, b"%d" % found.st_size, changed, b"%d" % found.st_ino, b"%d" % found.st_nlink)
    return b" ".join((*parts, os.fsencode(path)))
