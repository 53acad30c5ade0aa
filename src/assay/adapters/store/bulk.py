"""Many rows at once, at the speed of the driver.

SQLAlchemy looks at every value of every row. Here each column is looked at once: a statement is compiled once, and
only columns whose type needs it are converted.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import ARRAY, Column, Connection, Dialect, Table, Text, any_, func, insert, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.elements import ColumnElement

KEPT_STATEMENTS: Final = 64
Item = TypeVar("Item")
Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Statement:
    """``converts`` has what is to be done with the values of each name, in the order of the names."""

    text: str
    names: Sequence[str]
    converts: Sequence[Convert | None]
    positional: bool


def insert_many(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the names of the first one."""
    _write(connection, table, rows, replaced=())


def upsert_many(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], replaced: Sequence[str]
) -> None:
    """Insert rows; of those whose key is there already, the ``replaced`` columns get the new values."""
    _write(connection, table, rows, tuple(replaced))


def batches(rows: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Some at a time."""
    rest = iter(rows)
    while some := list(islice(rest, size)):
        yield some


def one_of(column: "Column[str]", values: Sequence[str], dialect: Dialect) -> ColumnElement[bool]:
    """Whether a column has one of many values, which go to the database as one."""
    if dialect.name == "postgresql":
        found: ColumnElement[bool] = column == any_(literal(list(values), ARRAY(Text)))
        return found
    listed = func.json_each(json.dumps(list(values))).table_valued("value")
    return column.in_(select(listed.c.value))


def _write(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], replaced: tuple[str, ...]
) -> None:
    if not rows:
        return
    statement = _statement(table, connection.dialect, tuple(rows[0]), replaced)
    columns = [
        _convert([row[name] for row in rows], convert)
        for name, convert in zip(statement.names, statement.converts, strict=True)
    ]
    values: list[Any] = list(zip(*columns, strict=True))
    if not statement.positional:
        values = [dict(zip(statement.names, one, strict=True)) for one in values]
    connection.exec_driver_sql(statement.text, values)


def _convert(values: list[Any], convert: Convert | None) -> list[Any]:
    if convert is None:
        return values
    first = values[0]
    if all(value is first for value in values):
        return [convert(first)] * len(values)
    return list(map(convert, values))


@lru_cache(maxsize=KEPT_STATEMENTS)
def _statement(table: Table, dialect: Dialect, names: tuple[str, ...], replaced: tuple[str, ...]) -> _Statement:
    made: Any = insert(table)
    if replaced:
        made = postgresql.insert(table) if dialect.name == "postgresql" else sqlite.insert(table)
        keys = [column.name for column in table.primary_key]
        made = made.on_conflict_do_update(
            index_elements=keys, set_={name: made.excluded[name] for name in replaced}
        )
    compiled = made.inline().compile(dialect=dialect, column_keys=list(names))
    order = list(compiled.positiontup) if compiled.positional else list(names)
    converts = [table.c[name].type.dialect_impl(dialect).bind_processor(dialect) for name in order]
    return _Statement(str(compiled), order, converts, compiled.positional)
