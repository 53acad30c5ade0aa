"""Rows of the store's tables for the use cases of the service, by the values of their columns."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Executable,
    FromClause,
    Select,
    Table,
    and_,
    delete,
    func,
    insert,
    select,
    true,
    update,
)
from sqlalchemy.sql.elements import ColumnElement

from assay.adapters.store.record_kinds import LISTED_RECORDS
from assay.adapters.store.runs.listed_runs import list_run, note_run
from assay.adapters.store.service.keyset import Order, sorted_slice
from assay.adapters.store.service.removal import remove_whole
from assay.adapters.store.service_tables import listed_scenarios, seeded_tasks
from assay.adapters.store.store import Store
from assay.adapters.store.tables import metadata
from assay.adapters.store.writing import add_all, insert_new, put
from assay.engine.criteria.stored_limits import is_text
from assay.engine.criteria.watched_sources import Record
from assay.engine.explorer.imported_runs import Kept
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.storage import EMPTY, Between, Row, UpTo

Ask = Callable[[Executable], Sequence[Row]]
# What is read like a table, but is a join of several.
_JOINS: Final[Mapping[str, FromClause]] = {
    "listed_scenarios": listed_scenarios,
    "seeded_tasks": seeded_tasks,
    **LISTED_RECORDS,
}


class _StoredRows:
    """Fulfils ``RowReader`` with ``ask``: over a connection for each question, or within a transaction."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def find(self, table: str, /, **wanted: Any) -> Row | None:
        rows = self._ask(rows_of(table, wanted).limit(1))
        return rows[0] if rows else None

    def every(self, table: str, /, *, order: str = "id", **wanted: Any) -> Sequence[Row]:
        return self._ask(rows_of(table, wanted).order_by(_table(table).c[order]))


class StoredTransaction(_StoredRows):
    """Fulfils ``Transaction`` on a connection that is within one."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(lambda statement: connection.execute(statement).mappings().all())
        self._connection = connection

    def lock(self, table: str, /, **wanted: Any) -> Row | None:
        rows = self._ask(rows_of(table, wanted).limit(1).with_for_update())
        return rows[0] if rows else None

    def insert(self, table: str, new: Sequence[Row], /) -> None:
        self._connection.execute(insert(metadata.tables[table]), [dict(one) for one in new])

    def add(self, table: str, /, **values: Any) -> bool:
        return insert_new(self._connection, metadata.tables[table], values)

    def put(self, table: str, key: Row, values: Row, new: Row | None = None, /) -> None:
        whole = {**key, **values, **(new or {})}
        put(self._connection, metadata.tables[table], whole, dict(values), list(key))

    def change(self, table: str, values: Row, /, **wanted: Any) -> Sequence[Row]:
        known = metadata.tables[table]
        changed = update(known).where(*conditions(known, wanted)).values(dict(values)).returning(known)
        return self._connection.execute(changed).mappings().all()

    def remove(self, table: str, /, **wanted: Any) -> int:
        known = metadata.tables[table]
        return self._connection.execute(delete(known).where(*conditions(known, wanted))).rowcount

    def remove_whole(self, table: str, identities: Collection[str], /) -> Sequence[str]:
        return remove_whole(self._connection, table, identities)

    def record(self, playground: str, records: Iterable[Record], at: datetime) -> int:
        return add_all(self._connection, playground, records, at)

    def list_run(self, organisation: str, identity: str, kept: Kept, at: datetime, *, beside: bool = True) -> None:
        list_run(self._connection, organisation, identity, kept, at, beside=beside)

    def note_run(self, organisation: str, identity: str, values: Row, /) -> None:
        note_run(self._connection, organisation, identity, values)


class StoredStorage(_StoredRows):
    """Fulfils ``Storage``."""

    def __init__(self, store: Store) -> None:
        super().__init__(lambda statement: [row._mapping for row in store.rows(statement)])
        self._store = store

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[StoredTransaction]:
        with self._store.writing(durable=durable) as connection:
            yield StoredTransaction(connection)

    def slice(self, table: str, asked: SliceRequest, /, *, by: str = "id", **wanted: Any) -> Slice[Row]:
        column: Any = _table(table).c[by]
        order = Order(None, column, descending=True)
        return sorted_slice(self._store, rows_of(table, wanted), order, asked).each(lambda row: row._mapping)

    def count(self, table: str, by: Sequence[str], /, **wanted: Any) -> Mapping[tuple[Any, ...], int]:
        known = _table(table)
        columns = [known.c[name] for name in by]
        query = select(*columns, func.count()).where(*conditions(known, wanted)).group_by(*columns)
        return {tuple(values): count for *values, count in self._store.rows(query)}


def mine(table: Table, organisation: str, **wanted: Any) -> "Select[*tuple[Any, ...]]":
    """The rows of an organisation whose columns are as they are wanted."""
    return select(table).where(*conditions(table, {"organisation": organisation, **wanted}))


def rows_of(table: str, wanted: Row) -> "Select[*tuple[Any, ...]]":
    known = _table(table)
    return select(known).where(*conditions(known, wanted))


def conditions(table: FromClause, wanted: Row) -> list[ColumnElement[bool]]:
    """That the columns of a row have the values that are wanted. A text that no row can have finds none."""
    return [_condition(table.c[name], value) for name, value in wanted.items() if value is not None]


def _condition(column: Any, value: Any) -> ColumnElement[bool]:
    found: ColumnElement[bool]
    if value is EMPTY:
        found = column.is_(None)
    elif isinstance(value, UpTo):
        found = column <= value.value
    elif isinstance(value, Between):
        least = true() if value.least is None else column >= value.least
        found = and_(least, true() if value.end is None else column < value.end)
    elif isinstance(value, list):
        found = column.in_(value)
    else:
        found = column == ("" if isinstance(value, str) and not is_text(value) else value)
    return found


def _table(name: str) -> FromClause | Table:
    return _JOINS[name] if name in _JOINS else metadata.tables[name]
