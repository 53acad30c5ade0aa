"""Everything in a workspace, as the file system has it: no link is followed, nothing is opened, no ignore file
is read.

The ``.git`` of the workspace itself is left out: it is the agent's to write, and nothing in it is evidence. A
``.git`` further down makes its folder a nested repository, which is listed; what lies beside it is walked like
the rest.

Each path is one record of bytes, with all by which a change would show. Two walks are compared as sets of records,
and only what differs is ever looked at more closely.
"""

import functools
import os
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

MAX_RECORDS = 500_000
MAX_BYTES = 512 * 2**20
FIND = shutil.which("find", path="/usr/bin:/bin")
NESTED = b"nested "
# The kind, the mode, the size, the time of the last change to the file or its node, the node, its names, the path.
_FORMAT = "%y %m %s %C@ %i %n %p\\0"
_EXPRESSION = ("-name", ".git", "-printf", "nested %p\\0", "-prune", "-o", "!", "-type", "d", "-printf", _FORMAT)
_KINDS = ((stat.S_ISREG, b"f"), (stat.S_ISLNK, b"l"))
_ARGUMENTS = 64 * 1024


class Record(NamedTuple):
    """A record that was looked at. ``kind`` is ``f`` for a file, ``l`` for a link, something else for the rest."""

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
    cut: list[str] = []
    rows = _found(root, cut) if FIND is not None and _speaks_gnu(FIND) else _walked(root, cut)
    records: set[bytes] = set()
    nested: list[bytes] = []
    for part in rows:
        records.update(part)
        nested += (row for row in part if row.startswith(NESTED))
        if len(records) > MAX_RECORDS:
            cut.append(f"there are more than {MAX_RECORDS} files")
            break
    repositories = sorted(os.path.dirname(_path(row[len(NESTED) :])) for row in nested)
    return Walked(frozenset(records.difference(nested)), tuple(repositories), tuple(cut))


def parse_record(row: bytes) -> Record:
    """The parts of a record."""
    kind, mode, size, changed, _, names, path = row.split(b" ", 6)
    return Record(kind.decode(), int(mode, 8), int(size), float(changed), int(names), _path(path))


def _path(raw: bytes) -> str:
    return os.fsdecode(raw.removeprefix(b"./"))


def _found(root: str, cut: list[str]) -> Iterator[list[bytes]]:
    """By ``find``, twice at a time: half of what is in the folder each."""
    try:
        names = [f"./{name}" for name in os.listdir(root) if name != ".git"]
    except OSError as error:
        cut.append(f"the workspace can't be read: {error.strerror}")
        return
    if sum(map(len, names)) > _ARGUMENTS:
        yield from _read([_find(root, [".", "-path", "./.git", "-prune", "-o", "("], (")",))], cut)
    elif names:
        yield from _read([_find(root, part, ()) for part in (names[::2], names[1::2]) if part], cut)


def _find(root: str, start: list[str], end: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [str(FIND), "-P", *start, *_EXPRESSION, *end],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"LC_ALL": "C"},
    )


def _read(finding: "Iterable[subprocess.Popen[bytes]]", cut: list[str]) -> Iterator[list[bytes]]:
    for process in finding:
        with process:
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            output = process.stdout.read(MAX_BYTES)
            if len(output) == MAX_BYTES:
                process.kill()
                cut.append(f"the names in the workspace are longer than {MAX_BYTES} bytes")
            _, errors = process.communicate()
        cut += errors.decode(errors="replace").splitlines()[:20]
        yield output.split(b"\0")[:-1]


def _walked(root: str, cut: list[str]) -> Iterator[list[bytes]]:
    """By ourselves, a folder at a time, where there is no such ``find``."""
    pending = ["."]
    while pending:
        folder = pending.pop()
        try:
            names = os.listdir(f"{root}/{folder}")
        except OSError as error:
            cut.append(f"{folder} can't be read: {error.strerror}")
            continue
        rows: list[bytes] = []
        for path in (f"{folder}/{name}" for name in names if name != ".git"):
            found = os.lstat(f"{root}/{path}")
            if stat.S_ISDIR(found.st_mode):
                pending.append(path)
            else:
                rows.append(_record(path, found))
        if ".git" in names and folder != ".":
            rows.append(NESTED + os.fsencode(f"{folder}/.git"))
        yield rows


def _record(path: str, found: os.stat_result) -> bytes:
    kind = next((kind for is_kind, kind in _KINDS if is_kind(found.st_mode)), b"o")
    changed = b"%d.%09d0" % divmod(found.st_ctime_ns, 10**9)
    mode = b"%o" % stat.S_IMODE(found.st_mode)
    parts = (kind, mode, b"%d" % found.st_size, changed, b"%d" % found.st_ino, b"%d" % found.st_nlink)
    return b" ".join((*parts, os.fsencode(path)))


@functools.cache
def _speaks_gnu(find: str) -> bool:
    ran = subprocess.run([find, "/", "-maxdepth", "0", "-printf", "%C@"], capture_output=True, check=False)
    return ran.returncode == 0 and b"." in ran.stdout
