"""A folder in one file: a SQLite database of its entries, in which any of them is found by its path.

Whoever reads a job asks for a path such as ``job.pack/trial/result.json``, and gets what is at
``trial/result.json`` of the folder that was packed. Records can be added. Nothing in a pack is trusted: it is
refused if it has any table, view or trigger but those of a pack.
"""

import os
import sqlite3
import stat
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NoReturn
from urllib.parse import quote

from assay.adapters.machine.safe_read import PACK_ID, is_pack
from assay.core.errors import InputError
from assay.evidence.files import Absent, ByteSource, Content, File, Refusal, Refused

ROOT: Final = 1
PIECE: Final = 1 << 20
SCHEMA: Final = (
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name BLOB NOT NULL,"
    " mode INTEGER NOT NULL, mtime INTEGER NOT NULL, size INTEGER NOT NULL, target BLOB, same INTEGER)",
    "CREATE UNIQUE INDEX entry_name ON entry (parent, name)",
    "CREATE TABLE piece (entry INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL)",
    "CREATE UNIQUE INDEX piece_place ON piece (entry, number)",
)
_BY_ID: Final = "SELECT id, name, mode, mtime, size, target, same FROM entry WHERE id = ?"
_BY_NAME: Final = "SELECT id, name, mode, mtime, size, target, same FROM entry WHERE parent = ? AND name = ?"
_INSIDE: Final = "SELECT id, name, mode, mtime, size, target, same FROM entry WHERE parent = ? ORDER BY name"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a packed folder. ``same`` is the entry that has the content of a hard link."""

    id: int
    name: bytes
    mode: int
    mtime: int
    size: int
    target: bytes | None
    same: int | None

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class Pack:
    """An open pack. Each thread of each process has its own."""

    def __init__(self, path: str) -> None:
        self.path = path
        mode = "rw" if os.access(path, os.W_OK) else "ro"
        try:
            self._database = sqlite3.connect(
                f"file:{quote(os.path.abspath(path))}?mode={mode}",
                uri=True,
                timeout=60,
                isolation_level=None,
                factory=_Connection,
                check_same_thread=False,
            )
            self._database.execute("PRAGMA trusted_schema = OFF")
        except sqlite3.Error as error:
            _refuse(path, str(error))
        found = self.rows("SELECT sql FROM sqlite_master ORDER BY rowid")
        if [sql for (sql,) in found] != list(SCHEMA):
            raise InputError(f"{path} must be a pack that 'assay pack' wrote, but it has other tables")

    @property
    def root(self) -> Entry:
        return self._entry(_BY_ID, ROOT) or _refuse(self.path, "it has no folder")

    def find(self, parts: Sequence[str], begin: Entry | None = None) -> Entry | None:
        """The entry at a path; the first link on the way instead of what is behind it."""
        found = begin or self.root
        for part in parts:
            if not found.is_folder:
                return found if stat.S_ISLNK(found.mode) else None
            inside = self._entry(_BY_NAME, found.id, os.fsencode(part))
            if inside is None:
                return None
            found = inside
        return found

    def inside(self, folder: int) -> Iterator[Entry]:
        """The entries of a folder, by their names."""
        return (Entry(*row) for row in self.rows(_INSIDE, folder))

    def read(self, entry: Entry, start: int, length: int) -> bytes:
        """Some bytes of a file; fewer if there aren't as many."""
        stop = min(start + length, entry.size)
        if start >= stop:
            return b""
        query = "SELECT number, data FROM piece WHERE entry = ? AND number BETWEEN ? AND ? ORDER BY number"
        found = self.rows(query, entry.same or entry.id, start // PIECE, (stop - 1) // PIECE)
        data = b"".join(self._plain(entry, number, data) for number, data in found)
        begin = start // PIECE * PIECE
        if len(data) < stop - begin:
            _refuse(self.path, "a file in it is incomplete")
        return data[start - begin : stop - begin]

    def _plain(self, entry: Entry, number: int, data: bytes) -> bytes:
        size = min(PIECE, entry.size - number * PIECE)
        try:
            return data if len(data) == size else zlib.decompressobj().decompress(data, size)
        except zlib.error as error:
            _refuse(self.path, f"a file in it is damaged ({error})")

    def add(self, parts: Sequence[str], content: bytes) -> None:
        """Add a file, whose folder is made if need be. Raises ``FileExistsError`` if there is one already."""
        try:
            with self.writing():
                parent, now = ROOT, time.time_ns()
                for part in parts[:-1]:
                    known = self._entry(_BY_NAME, parent, os.fsencode(part))
                    parent = self.put(parent, part, stat.S_IFDIR | 0o755, now) if known is None else known.id
                entry = self.put(parent, parts[-1], stat.S_IFREG | 0o644, now, size=len(content))
                self.put_piece(entry, 0, content)
        except sqlite3.IntegrityError as error:
            raise FileExistsError("/".join((self.path, *parts))) from error

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One change, which is made as a whole or not at all."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise InputError(f"{self.path} can't be written: {error}") from error

    def put(
        self,
        parent: int,
        name: str,
        mode: int,
        mtime: int,
        *,
        size: int = 0,
        target: bytes | None = None,
        same: int | None = None,
    ) -> int:
        found = self._database.execute(
            "INSERT INTO entry (parent, name, mode, mtime, size, target, same) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (parent, os.fsencode(name), mode, mtime, size, target, same),
        ).lastrowid
        assert found is not None  # noqa: S101 - an INSERT has one
        return found

    def put_piece(self, entry: int, number: int, data: bytes) -> None:
        """A piece is compressed if that makes it shorter, which its length tells."""
        if data:
            packed = zlib.compress(data, 1)
            row = (entry, number, packed if len(packed) < len(data) else data)
            self._database.execute("INSERT INTO piece (entry, number, data) VALUES (?, ?, ?)", row)

    def rows(self, query: str, *values: object) -> Iterator[tuple]:  # type: ignore[type-arg]
        try:
            for row in self._database.execute(query, values):  # noqa: UP028 - it may be closed before its end
                yield row
        except sqlite3.Error as error:
            _refuse(self.path, str(error))

    def _entry(self, query: str, *values: object) -> Entry | None:
        return next((Entry(*row) for row in self.rows(query, *values)), None)

    def close(self) -> None:
        self._database.close()


class _Connection(sqlite3.Connection):
    def __del__(self) -> None:
        self.close()


def _refuse(path: str, why: str) -> NoReturn:
    raise InputError(f"the pack {path} can't be read: {why}")


def new_pack(path: str) -> Pack:
    """An empty pack at a path where there is nothing."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    with sqlite3.connect(path, factory=_Connection) as database:
        database.execute(f"PRAGMA application_id = {PACK_ID}")
        for one in SCHEMA:
            database.execute(one)
    database.close()
    return Pack(path)


@dataclass(frozen=True, slots=True)
class Place:
    """A path inside a pack, and its entry; None if there is none."""

    pack: Pack
    parts: tuple[str, ...]
    entry: Entry | None


_open = threading.local()
_MOST_OPEN: Final = 8


def find_place(path: str, below: Sequence[str] = ()) -> Place | None:
    """The place in a pack that a path leads to; None if it leads into no pack."""
    outer, inner = os.path.abspath(path), list(below)
    while not os.path.lexists(outer) and len(outer) > 1:
        outer, _, name = outer.rpartition("/")
        inner.insert(0, name)
    try:
        there = os.stat(outer)
    except OSError:
        return None
    key = (os.getpid(), outer, there.st_dev, there.st_ino)
    opened: dict[tuple[int, str, int, int], Pack] = _open.__dict__.setdefault("packs", {})
    if key not in opened:
        if not stat.S_ISREG(there.st_mode) or not is_pack(outer):
            return None
        if len(opened) >= _MOST_OPEN:
            opened.clear()
        opened[key] = Pack(outer)
    return Place(opened[key], tuple(inner), opened[key].find(inner))


def read_packed(path: str, below: Sequence[str], limit: int) -> File | None:
    """The file at a path in a pack, as ``read_below`` would tell of it outside; None if the path isn't in one."""
    place = find_place(path, below)
    return None if place is None else _file("/".join((path, *below)), place, limit)


def read_each(folder: str, names: Iterable[str], name: str, limit: int) -> Iterator[tuple[str, File]]:
    """The file of this name in each of many folders of a folder in a pack."""
    around = find_place(folder)
    if around is None or around.entry is None:
        return
    for one in names:
        parts = (one, name)
        place = Place(around.pack, (*around.parts, *parts), around.pack.find(parts, around.entry))
        yield one, _file(f"{folder}/{one}/{name}", place, limit)


def _file(shown: str, place: Place, limit: int) -> File:
    entry = place.entry
    if entry is None:
        return Absent(shown)
    if stat.S_ISLNK(entry.mode):
        return _linked(shown, place, entry)
    if not stat.S_ISREG(entry.mode):
        return Refused(shown, Refusal.FOLDER if entry.is_folder else Refusal.FIFO)
    if entry.size > limit:
        return Refused(shown, Refusal.TOO_LARGE, f" of {limit} bytes")
    return Content(shown, place.pack.read(entry, 0, entry.size))


def _linked(shown: str, place: Place, link: Entry) -> File:
    if not place.parts or os.fsencode(place.parts[-1]) != link.name:
        return Refused(shown, Refusal.LINK, " on the way")
    target = os.fsdecode(link.target or b"")
    inside = os.path.normpath("/".join((*place.parts[:-1], target)))
    there = os.path.exists(target) if target.startswith("/") else place.pack.find(inside.split("/")) is not None
    return Refused(shown, Refusal.LINK) if there else Absent(shown)


@dataclass(frozen=True, slots=True)
class PackedBytes:
    """A regular file in a pack. Fulfils ``ByteSource``."""

    pack: Pack
    entry: Entry

    @property
    def size(self) -> int:
        return self.entry.size

    def read(self, start: int, length: int) -> bytes:
        return self.pack.read(self.entry, max(0, start), max(0, length))


def open_packed(path: str, below: Sequence[str]) -> ByteSource | None:
    place = find_place(path, below)
    if place is None or place.entry is None or not stat.S_ISREG(place.entry.mode):
        return None
    return PackedBytes(place.pack, place.entry)
