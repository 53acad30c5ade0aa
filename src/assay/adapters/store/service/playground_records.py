"""The records and files of playgrounds: as pages show them, and files as they were at a moment."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Column, Subquery, Table, func, select, union_all

from assay.adapters.store import tables
from assay.adapters.store.records import EVER, ReadBounds, Records
from assay.adapters.store.service_tables import blobs, files, replaced_files
from assay.adapters.store.store import Store
from assay.engine.criteria.watched_sources import MOST_SHOWN, Contents
from assay.evidence.playground import StoredFile

PAGE: Final = ReadBounds(message=200_000, messages=1_000_000, speech=200_000, records=MOST_SHOWN)


class StoredRecords(Records):
    """Fulfils ``ShownRecords``."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.rows, lambda: PAGE)
        self._store = store

    def contents(self, playground: str) -> Contents:
        return Contents(
            events=self._by(tables.events, tables.events.c.type, playground),
            resources=self._by(tables.state_rows, tables.state_rows.c.resource, playground),
            turns=self._count(tables.turns, playground),
            responses=self._count(tables.x12_responses, playground),
            files=self._count(files, playground),
        )

    def files(self, playground: str, limit: int) -> Sequence[StoredFile]:
        query = select(files).where(files.c.playground == playground).order_by(files.c.path).limit(limit)
        return [StoredFile(row.path, row.size, row.modified) for row in self._store.rows(query)]

    def _by(self, table: Table, column: "Column[str]", playground: str) -> dict[str, int]:
        query = select(column, func.count()).where(table.c.playground == playground)
        rows = self._store.rows(query.group_by(column).order_by(column))
        return {row[0]: row[1] for row in rows}

    def _count(self, table: Table, playground: str) -> int:
        [row] = self._store.rows(select(func.count()).where(table.c.playground == playground))
        return int(row[0])


class FilesAt:
    """The files that were put into a playground, as of a moment."""

    def __init__(self, store: Store, playground: str, until: datetime = EVER) -> None:
        self._store = store
        self._files = _files_at(playground, until)

    def files(self) -> Iterator[StoredFile]:
        query = select(self._files).order_by(self._files.c.path)
        return (StoredFile(row.path, row.size, row.modified) for row in self._store.rows(query))

    def content(self, path: str) -> bytes | None:
        """None for a file that isn't there."""
        of_file = blobs.join(self._files, self._files.c.blob == blobs.c.digest)
        query = select(blobs.c.content).select_from(of_file).where(self._files.c.path == path)
        rows = self._store.rows(query)
        return rows[0].content if rows else None


def _files_at(playground: str, until: datetime) -> Subquery:
    """Files as they are, unless they are newer, and those that were replaced later as they were."""
    wanted = ("path", "size", "modified", "blob")
    now, then = (
        select(*(table.c[name] for name in wanted)).where(
            table.c.playground == playground, table.c.modified <= until
        )
        for table in (files, replaced_files)
    )
    return union_all(now, then.where(replaced_files.c.replaced_at > until)).subquery()
