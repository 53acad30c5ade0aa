"""The records of playgrounds as pages show them: counts of everything, and the first of each kind."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Column, Table, func, select

from assay.adapters.store import tables
from assay.adapters.store.records import ReadBounds, Records
from assay.adapters.store.service_tables import files
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
