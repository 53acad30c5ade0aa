"""The content of a store as JSON lines, and back: every table, to the last bit.

The first line says which migration the tables are at. Each other line is ``[table, row]``, in an order in which
rows that others refer to come first. Bytes are base64, times are ISO 8601.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import Any, Final, TypeAlias

from sqlalchemy import Column, LargeBinary, Table, func, insert, select, text

from assay.adapters.store.bulk import batches
from assay.adapters.store.columns import UtcTime
from assay.adapters.store.errors import StoreRefusalError
from assay.adapters.store.migrate import NEWEST
from assay.adapters.store.store import Store
from assay.adapters.store.tables import metadata

_Line: TypeAlias = tuple[int, tuple[str, Mapping[str, Any]]]
BATCH: Final = 500
REVISION: Final = "assay_store"


def dump_lines(store: Store) -> Iterator[str]:
    """The lines of a store, as it is at one moment."""
    yield json.dumps({REVISION: NEWEST})
    with store.snapshot() as connection:
        for table in metadata.sorted_tables:
            order = list(table.primary_key.columns)
            for row in connection.execute(select(table).order_by(*order)).yield_per(BATCH):
                values = {name: _plain_value(value) for name, value in zip(table.columns.keys(), row, strict=True)}
                yield json.dumps([table.name, values], allow_nan=False)


def load(store: Store, lines: Iterable[str]) -> int:
    """Put lines into a store that has nothing but its tables; returns how many rows. All or nothing."""
    rest = iter(lines)
    _check_first(next(rest, ""))
    count = 0
    with store.writing() as connection:
        for table in reversed(metadata.sorted_tables):
            _refuse_content(connection, table)
        for name, lines_of_table in groupby(enumerate(map(_parse_line, rest), 2), lambda line: line[1][0]):
            for some in batches(lines_of_table, BATCH):
                if name not in metadata.tables:
                    raise StoreRefusalError(f"line {some[0][0]}: there is no table {name!r}")
                table = metadata.tables[name]
                connection.execute(insert(table), [_read(table, values) for _, (_, values) in some])
                count += len(some)
        _set_counters(connection)
    return count


def _check_first(line: str) -> None:
    try:
        found = json.loads(line)[REVISION]
    except (ValueError, KeyError, TypeError) as error:
        raise StoreRefusalError("the file must be one that 'assay db export' wrote") from error
    if found != NEWEST:
        raise StoreRefusalError(f"the file must be of the version {NEWEST} of the tables, got {found!r}")


def _refuse_content(connection: Any, table: Table) -> None:
    """The organisation that every store begins with is no content."""
    if table.name == "organisations":
        connection.execute(table.delete())
    elif connection.execute(select(func.count()).select_from(table)).scalar():
        raise StoreRefusalError(f"the store must be empty to be filled, but has {table.name}")


def _parse_line(line: str) -> tuple[str, Mapping[str, Any]]:
    try:
        name, values = json.loads(line)
    except ValueError as error:
        raise StoreRefusalError("the file is damaged: a line isn't JSON") from error
    return name, values


def _plain_value(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    return value.isoformat() if isinstance(value, datetime) else value


def _read(table: Table, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(table.columns[name], value) for name, value in values.items()}


def _value(column: "Column[Any]", value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value)
    return datetime.fromisoformat(value) if isinstance(column.type, UtcTime) else value


def _set_counters(connection: Any) -> None:
    """PostgreSQL counts apart from its tables; SQLite goes on from the largest number by itself."""
    if connection.dialect.name != "postgresql":
        return
    for name, key in (("events", "id"), ("x12_responses", "id"), ("audit", "id"), ("run_texts", "number")):
        sequence = text("SELECT setval(pg_get_serial_sequence(:name, :key), :next, false)")
        largest = connection.execute(select(func.max(metadata.tables[name].c[key]))).scalar()
        connection.execute(sequence, {"name": name, "key": key, "next": (largest or 0) + 1})
