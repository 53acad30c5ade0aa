"""Walk everything in a workspace: no link is followed, nothing is opened, no ignore file is read.

The ``.git`` of the workspace itself is left out: the agent can write to it, so nothing in it is evidence. A
``.git`` further down makes its folder a nested repository, which is listed; the files beside it are walked like
the rest.

Each path is one record of bytes, with everything that shows a change. Two walks are compared as sets of records,
and only records that differ are inspected further.
"""

import contextlib
import functools
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, NamedTuple

from assay.evidence.workspace import Entry, EntryKind

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
MAX_BYTES = 512 * 2**20
FIND = shutil.which("find", path="/usr/bin:/bin")
# The kind, the mode, the size, the time of the last change to the file or its node, the node, its names, the path.
_FORMAT = "%y %m %s %C@ %i %n %p\\0"
_EXPRESSION = ("-name", ".git", "-printf", "nested %p\\0", "-prune", "-o", "!", "-type", "d", "-printf", _FORMAT)
_ARGUMENTS = 64 * 1024
_ENOUGH = 64
# As much as a pipe may hold, so that a search goes on while nobody reads yet.
_PIPE = 1024 * 1024
_COMPLAINTS, _COMPLAINT = 20, 1000


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
    begun = searching(root, cut) if is_usable() else contextlib.nullcontext(_walk_folders(root, cut))
    with begun as parts:
        yield functools.partial(_gather_records, parts, cut)


def _gather_records(parts: Iterable[list[bytes]], cut: list[str]) -> Walked:
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


def _walk_folders(root: str, cut: list[str]) -> Iterator[list[bytes]]:
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


@functools.cache
def is_usable() -> bool:
    """Whether this machine has a find that supports the format."""
    if FIND is None:
        return False
    ran = subprocess.run([FIND, "/", "-maxdepth", "0", "-printf", "%C@"], capture_output=True, check=False)
    return ran.returncode == 0 and b"." in ran.stdout


@contextlib.contextmanager
def searching(root: str, cut: list[str]) -> Iterator[Iterator[list[bytes]]]:
    """Start two searches, each of half of a folder. The yielded iterator waits for them and gives their records;
    until then, the caller may do something else.

    Complaints of the searches go into a file, because nobody reads a second pipe while waiting for the first.
    """
    with contextlib.ExitStack() as stack:
        complaints = stack.enter_context(tempfile.TemporaryFile())
        running: list[subprocess.Popen[bytes]] = []
        for arguments in _searches(root, cut):
            running.append(_find(root, arguments, complaints.fileno()))
            stack.callback(_end, running[-1])
        yield _read(running, complaints, cut)


def _searches(root: str, cut: list[str]) -> list[list[str]]:
    points = _starting_points(root, cut)
    if points == ["."]:
        return [[".", "-path", "./.git", "-prune", "-o", "(", *_EXPRESSION, ")"]]
    return [[*part, *_EXPRESSION] for part in (points[::2], points[1::2]) if part]


def _starting_points(root: str, cut: list[str]) -> list[str]:
    """Paths that cover everything, enough of them that half of the paths is about half of the work."""
    points = ["."]
    try:
        deeper = [f"./{name}" for name in os.listdir(root) if name != ".git"]
    except OSError as error:
        cut.append(f"the workspace can't be read: {error.strerror}")
        return []
    while deeper != points and sum(map(len, deeper)) <= _ARGUMENTS:
        points = deeper
        if len(points) < _ENOUGH:
            deeper = [below for point in points for below in _one_level_down(root, point)]
    return points


def _one_level_down(root: str, point: str) -> list[str]:
    """The content of a folder. Anything else, or an unreadable folder, stays as it is: find says why."""
    path = f"{root}/{point}"
    if point.endswith("/.git") or os.path.islink(path):
        return [point]
    try:
        return [f"{point}/{name}" for name in os.listdir(path)]
    except OSError:
        return [point]


def _read(
    running: Sequence["subprocess.Popen[bytes]"], complaints: IO[bytes], cut: list[str]
) -> Iterator[list[bytes]]:
    for process in running:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        output = process.stdout.read(MAX_BYTES)
        if len(output) == MAX_BYTES:
            cut.append(f"the names in the workspace are longer than {MAX_BYTES} bytes")
        elif process.wait() < 0:
            cut.append(f"find was ended by signal {-process.returncode}")
        yield output.split(b"\0")[:-1]
    complaints.seek(0)
    cut += _first_complaints(complaints.read(_COMPLAINTS * _COMPLAINT))


def _find(root: str, arguments: list[str], complaints: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [str(FIND), "-P", *arguments],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=complaints,
        env={"LC_ALL": "C"},
        pipesize=_PIPE,
    )


def _end(process: "subprocess.Popen[bytes]") -> None:
    with process:
        process.kill()


def _first_complaints(complaints: bytes) -> list[str]:
    lines = complaints.decode(errors="replace").splitlines()
    return [line[:_COMPLAINT] for line in lines[:_COMPLAINTS]]


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
