"""Files of runs by the hash of their content: an index in the store, and the bytes in one of several places."""

import hashlib
import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain
from typing import IO, Final, Protocol

from sqlalchemy import select

from assay.adapters.store.run_tables import blob_index, blob_parts
from assay.adapters.store.store import Store
from assay.adapters.store.writing import insert_into
from assay.core.errors import MeasurementError
from assay.engine.criteria.stored_limits import is_text
from assay.engine.explorer.blobs import PART_BYTES, Blob, check_part, refuse_lost
from assay.engine.service.storage import require

# Content that is larger waits in a file until its hash is known.
IN_MEMORY: Final = 8 * PART_BYTES


class BlobPlace(Protocol):
    """Where the bytes are. It knows nothing about hashes but their use as names."""

    def write(self, digest: str, size: int, content: IO[bytes]) -> None:
        """Keep the bytes, safely, under a name that they may already have."""

    def part(self, digest: str, start: int, length: int) -> bytes:
        """Some of the bytes; fewer if there aren't as many. Raises ``MeasurementError`` if there are none."""

    def remove(self, digest: str) -> None:
        """Forget the bytes, if they are there."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _IndexEntry:
    """The index entry of a blob."""

    size: int
    parts: Sequence[str]


class StoredBlobs:
    """Fulfils ``BlobStore``. To be closed if its place is."""

    def __init__(self, store: Store, place: BlobPlace | None = None) -> None:
        """Without a place, files are in the database. Those that were put there before are found there."""
        self._store = store
        self._database = InDatabase(store)
        self._place = place or self._database

    def close(self) -> None:
        self._place.close()

    def put(self, content: Iterable[bytes]) -> Blob:
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
            whole, parts, size = _spool(content, file)
            if self._index_entry(whole) is None:
                file.seek(0)
                if size:
                    self._place.write(whole, size, file)
                # Named only after it is safe: who finds the name finds the content.
                self._name([_index_row(whole, size, parts)])
        return Blob(whole, size)

    def discard(self, digests: Iterable[str]) -> None:
        """Forget files that the store doesn't name any more."""
        for digest in digests:
            self._place.remove(digest)

    @contextmanager
    def batch(self) -> Iterator["BlobBatch"]:
        found = BlobBatch(self)
        yield found
        found.flush()

    def put_small(self, contents: Mapping[str, bytes]) -> None:
        """Keep files of a part each, by their hashes, in as few transactions as possible."""
        there = select(blob_index.c.digest).where(blob_index.c.digest.in_(list(contents)))
        known = {row.digest for row in self._store.rows(there)}
        new = {digest: data for digest, data in contents.items() if digest not in known}
        if not new:
            return
        # Of an empty file, there is nothing to keep.
        full = {digest: data for digest, data in new.items() if data}
        if self._place is self._database:
            self._database.write_small(full)
        else:
            for digest, data in full.items():
                self._place.write(digest, len(data), io.BytesIO(data))
        self._name([_index_row(digest, len(data), [digest] if data else []) for digest, data in new.items()])

    def read(self, digest: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        known = require(self._index_entry(digest), "file")
        end = known.size if length is None else min(known.size, start + length)
        return self._parts(digest, known, start, end)

    def _parts(self, digest: str, known: _IndexEntry, start: int, end: int) -> Iterator[bytes]:
        for number in range(start // PART_BYTES, -(-end // PART_BYTES)):
            at = number * PART_BYTES
            part = self._part(digest, at, min(PART_BYTES, known.size - at))
            check_part(digest, part, known.parts[number])
            yield part[max(0, start - at) : max(0, end - at)]

    def _part(self, digest: str, start: int, length: int) -> bytes:
        try:
            return self._place.part(digest, start, length)
        except MeasurementError:
            if self._place is self._database or not self._database.has(digest):
                raise
            return self._database.part(digest, start, length)

    def _index_entry(self, digest: str) -> _IndexEntry | None:
        if not is_text(digest):
            return None
        rows = self._store.rows(select(blob_index).where(blob_index.c.digest == digest))
        return _IndexEntry(rows[0].size, rows[0].parts) if rows else None

    def _name(self, rows: Sequence[Mapping[str, object]]) -> None:
        with self._store.writing() as connection:
            connection.execute(insert_into(connection, blob_index).on_conflict_do_nothing(), rows)


class BlobBatch:
    """Fulfils ``BlobStore`` with files that are kept together. Large ones are kept at once."""

    def __init__(self, blobs: StoredBlobs) -> None:
        self._blobs = blobs
        self._waiting: dict[str, bytes] = {}
        self._bytes = 0

    def put(self, content: Iterable[bytes]) -> Blob:
        chunks = iter(content)
        begin = next(chunks, b"")
        more = next(chunks, None)
        if more is not None or len(begin) > PART_BYTES:
            return self._blobs.put(chain([begin], [] if more is None else [more], chunks))
        digest = hashlib.sha256(begin).hexdigest()
        self._waiting[digest] = begin
        self._bytes += len(begin)
        if self._bytes > IN_MEMORY:
            self.flush()
        return Blob(digest, len(begin))

    def flush(self) -> None:
        waiting, self._waiting, self._bytes = self._waiting, {}, 0
        if waiting:
            self._blobs.put_small(waiting)

    def batch(self) -> AbstractContextManager["BlobBatch"]:
        return nullcontext(self)

    def read(self, digest: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        self.flush()
        return self._blobs.read(digest, start, length)


def _index_row(digest: str, size: int, parts: Sequence[str]) -> dict[str, object]:
    return {"digest": digest, "size": size, "parts": list(parts)}


def _spool(content: Iterable[bytes], file: IO[bytes]) -> tuple[str, list[str], int]:
    """Write content into a file, and return the hash of it all, those of its parts, and its size."""
    whole, part, parts, size = hashlib.sha256(), hashlib.sha256(), [], 0
    for chunk in content:
        file.write(chunk)
        whole.update(chunk)
        rest = memoryview(chunk)
        while rest:
            room = PART_BYTES - size % PART_BYTES
            part.update(rest[:room])
            size += len(rest[:room])
            rest = rest[room:]
            if size % PART_BYTES == 0:
                parts.append(part.hexdigest())
                part = hashlib.sha256()
    if size % PART_BYTES:
        parts.append(part.hexdigest())
    return whole.hexdigest(), parts, size


class InDatabase:
    """Fulfils ``BlobPlace`` with rows of a part each: simple, and made for files of a few megabytes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, digest: str, size: int, content: IO[bytes]) -> None:
        with self._store.writing() as connection:
            made = insert_into(connection, blob_parts)
            for number in range(-(-size // PART_BYTES)):
                values = {"digest": digest, "number": number, "content": content.read(PART_BYTES)}
                connection.execute(made.values(values).on_conflict_do_nothing())

    def write_small(self, contents: Mapping[str, bytes]) -> None:
        """Keep some files of at most a part each, in one transaction."""
        rows = [{"digest": digest, "number": 0, "content": data} for digest, data in contents.items()]
        if rows:
            with self._store.writing() as connection:
                connection.execute(insert_into(connection, blob_parts).on_conflict_do_nothing(), rows)

    def has(self, digest: str) -> bool:
        return bool(self._store.rows(select(blob_parts.c.number).where(blob_parts.c.digest == digest).limit(1)))

    def part(self, digest: str, start: int, length: int) -> bytes:
        mine = (blob_parts.c.digest == digest) & (blob_parts.c.number == start // PART_BYTES)
        rows = self._store.rows(select(blob_parts.c.content).where(mine))
        if not rows:
            refuse_lost(digest, "the store")
        return bytes(rows[0].content)[:length]

    def remove(self, _digest: str) -> None:
        """They go with their name."""

    def close(self) -> None:
        """Left to whoever opened the store."""
