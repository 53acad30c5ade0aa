"""Rows of the store's tables for the use cases of the service, by the values of their columns."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, FromClause, Select, Table, bindparam, delete, func, insert, select, update
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

Ask = Callable[[Any, Row], Sequence[Row]]
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
        rows = self._ask(*prepared(_first, table, wanted))
        return rows[0] if rows else None

    def every(self, table: str, /, *, order: str = "id", **wanted: Any) -> Sequence[Row]:
        return self._ask(*prepared(_ordered, table, wanted, order))


class StoredTransaction(_StoredRows):
    """Fulfils ``Transaction`` on a connection that is within one."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(lambda statement, values: connection.execute(statement, values).mappings().all())
        self._connection = connection

    def lock(self, table: str, /, **wanted: Any) -> Row | None:
        rows = self._ask(*prepared(_locked, table, wanted))
        return rows[0] if rows else None

    def insert(self, table: str, new: Sequence[Row], /) -> None:
        self._connection.execute(_added(table), [dict(one) for one in new])

    def add(self, table: str, /, **values: Any) -> bool:
        return insert_new(self._connection, metadata.tables[table], values)

    def put(self, table: str, key: Row, values: Row, new: Row | None = None, /) -> None:
        whole = {**key, **values, **(new or {})}
        put(self._connection, metadata.tables[table], whole, dict(values), list(key))

    def change(self, table: str, values: Row, /, **wanted: Any) -> Sequence[Row]:
        changed, known = prepared(_changed, table, wanted)
        return self._connection.execute(changed, {**known, **values}).mappings().all()

    def remove(self, table: str, /, **wanted: Any) -> int:
        return self._connection.execute(*prepared(_removed, table, wanted)).rowcount

    def remove_whole(self, table: str, identities: Collection[str], /) -> Sequence[str]:
        return remove_whole(self._connection, table, identities)

    def record(self, playground: str, records: Iterable[Record], at: datetime) -> int:
        return add_all(self._connection, playground, records, at)

    def list_run(
        self, organisation: str, identity: str | None, kept: Kept, at: datetime, *, beside: bool = True
    ) -> None:
        list_run(self._connection, organisation, identity, kept, at, beside=beside)

    def note_run(self, organisation: str, identity: str, values: Row, /) -> None:
        note_run(self._connection, organisation, identity, values)


class StoredStorage(_StoredRows):
    """Fulfils ``Storage``."""

    def __init__(self, store: Store) -> None:
        super().__init__(lambda statement, values: [row._mapping for row in store.rows(statement, values)])
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
        rows = self._store.rows(*prepared(_counted, table, wanted, *by))
        return {tuple(values): count for *values, count in rows}


def mine(table: Table, organisation: str, **wanted: Any) -> "Select[*tuple[Any, ...]]":
    """The rows of an organisation whose columns are as they are wanted."""
    return rows_of(table.name, {"organisation": organisation, **wanted})


def rows_of(table: str, wanted: Row) -> "Select[*tuple[Any, ...]]":
    query, values = prepared(_all, table, wanted)
    found: Select[*tuple[Any, ...]] = query.params(values)
    return found


class _Match(Enum):
    """How a column is compared with a parameter."""

    SAME = "same"
    EMPTY = "empty"
    FROM = "from"
    BEFORE = "before"
    UP_TO = "up to"
    AMONG = "among"


def prepared(make: Callable[..., Any], table: str, wanted: Row, *more: str) -> tuple[Any, Row]:
    """A statement for rows whose columns are as they are wanted, and its parameters.

    Making a statement takes longer than running it, so each is made once for all values.
    """
    shape, values = [], {}
    for name, value in wanted.items():
        for match, found in _matches(value):
            shape.append((name, match))
            if match is not _Match.EMPTY:
                values[_parameter(name, match)] = "" if isinstance(found, str) and not is_text(found) else found
    return make(table, tuple(shape), *more), values


def _matches(value: Any) -> Iterator[tuple[_Match, Any]]:
    if value is EMPTY:
        yield _Match.EMPTY, None
    elif isinstance(value, Between):
        ends = ((_Match.FROM, value.least), (_Match.BEFORE, value.end))
        yield from ((match, end) for match, end in ends if end is not None)
    elif isinstance(value, UpTo):
        yield _Match.UP_TO, value.value
    elif value is not None:
        yield _Match.AMONG if isinstance(value, list) else _Match.SAME, value


def _parameter(name: str, match: _Match) -> str:
    return f"wanted_{name}_{match.value}" if match in (_Match.FROM, _Match.BEFORE) else f"wanted_{name}"


Shape: TypeAlias = tuple[tuple[str, _Match], ...]


def where(known: FromClause, shape: Shape) -> Iterator[ColumnElement[bool]]:
    for name, match in shape:
        column: Any = known.c[name]
        value = bindparam(_parameter(name, match), type_=column.type, expanding=match is _Match.AMONG)
        match match:
            case _Match.EMPTY:
                yield column.is_(None)
            case _Match.FROM:
                yield column >= value
            case _Match.BEFORE:
                yield column < value
            case _Match.UP_TO:
                yield column <= value
            case _Match.AMONG:
                yield column.in_(value)
            case _Match.SAME:
                yield column == value


@cache
def _all(table: str, shape: Shape) -> Any:
    return select(_table(table)).where(*where(_table(table), shape))


@cache
def _first(table: str, shape: Shape) -> Any:
    return _all(table, shape).limit(1)


@cache
def _ordered(table: str, shape: Shape, order: str) -> Any:
    return _all(table, shape).order_by(_table(table).c[order])


@cache
def _counted(table: str, shape: Shape, *by: str) -> Any:
    columns = [_table(table).c[name] for name in by]
    return select(*columns, func.count()).where(*where(_table(table), shape)).group_by(*columns)


@cache
def _removed(table: str, shape: Shape) -> Any:
    return delete(metadata.tables[table]).where(*where(metadata.tables[table], shape))


@cache
def _locked(table: str, shape: Shape) -> Any:
    return _first(table, shape).with_for_update()


@cache
def _added(table: str) -> Any:
    return insert(metadata.tables[table])


@cache
def _changed(table: str, shape: Shape) -> Any:
    """Which columns are changed is in the parameters."""
    known = metadata.tables[table]
    return update(known).where(*where(known, shape)).returning(known)


def _table(name: str) -> FromClause | Table:
    return _JOINS[name] if name in _JOINS else metadata.tables[name]
