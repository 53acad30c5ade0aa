"""Slices of a list in any order. A cursor holds the place where a slice begins, so rows that are added elsewhere
in the meantime neither repeat nor hide others.

Rows without a value come last, whichever way the list is sorted.
"""

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from sqlalchemy import Column, Float, Integer, Select, Text, func, select, tuple_
from sqlalchemy.engine import Row
from sqlalchemy.sql.elements import ColumnElement, UnaryExpression
from sqlalchemy.sql.operators import custom_op

from assay.adapters.store.columns import UtcTime
from assay.adapters.store.errors import StoreRefusalError
from assay.adapters.store.store import Store
from assay.engine.criteria.stored_limits import is_text
from assay.engine.explorer.list_slices import Slice, SliceRequest

_PLUS: Final[custom_op[Any]] = custom_op("+")
_FORTH, _BACK = "f", "b"
_CURSOR_BYTES: Final = 4000
Found: TypeAlias = "Row[*tuple[Any, ...]]"


@dataclass(frozen=True, slots=True)
class Order:
    """By a column, and by the id where that is the same. Without a column, by the id alone.

    ``apart`` keeps the database from walking an index to have the order: few rows are sorted faster.
    ``late``, for an order by the id, reads the rows of a page after an index alone found their ids.
    """

    column: "Column[Any] | None"
    identity: "Column[str] | Column[int]"
    descending: bool
    apart: bool = False
    late: bool = False


@dataclass(frozen=True, slots=True)
class _ListPlace:
    """A row of the list: its value, and its id."""

    value: Any
    identity: str | int


def sorted_slice(
    store: Store, query: "Select[*tuple[Any, ...]]", order: Order, asked: SliceRequest
) -> Slice[Found]:
    """The slice that is asked for. Raises ``StoreRefusalError`` for a cursor of another list."""
    back, place = _decode_cursor(asked.cursor, order)
    found: list[Found] = []
    for part in ordered_queries(query, order, back, place):
        found += store.rows(_late(part.limit(asked.limit + 1 - len(found)), order, back))
        if len(found) > asked.limit:
            break
    more, found = len(found) > asked.limit, found[: asked.limit]
    if back:
        found.reverse()
    if not found:
        return Slice([], asked.limit)
    has_next, has_prev = (True, more) if back else (more, place is not None)
    after = _encode_cursor(_FORTH, order, found[-1]) if has_next else None
    return Slice(found, asked.limit, after, _encode_cursor(_BACK, order, found[0]) if has_prev else None)


def beside(
    store: Store, query: "Select[*tuple[Any, ...]]", order: Order, row: Found
) -> "tuple[Found | None, Found | None]":
    """The rows before and after one of a list."""
    before = sorted_slice(store, query, order, SliceRequest(1, _encode_cursor(_BACK, order, row))).rows
    after = sorted_slice(store, query, order, SliceRequest(1, _encode_cursor(_FORTH, order, row))).rows
    return before[0] if before else None, after[0] if after else None


def count_before(store: Store, query: "Select[*tuple[Any, ...]]", order: Order, row: Found, most: int) -> int:
    """How many rows of a list are before one of them, as far as ``most``."""
    _, place = _decode_cursor(_encode_cursor(_BACK, order, row), order)
    found = 0
    for part in ordered_queries(query.with_only_columns(order.identity), order, True, place):
        found += int(store.rows(select(func.count()).select_from(part.limit(most - found).subquery()))[0][0])
    return found


def _late(page: "Select[*tuple[Any, ...]]", order: Order, back: bool) -> "Select[*tuple[Any, ...]]":
    """The same page; if ``order.late``, the index finds its ids, and only these rows are read."""
    if not order.late:
        return page
    table = order.identity.table
    ids = page.with_only_columns(order.identity).correlate(None)
    rows = select(table).where(order.identity.in_(ids))
    return rows.order_by(order.identity.asc() if order.descending == back else order.identity.desc())


def ordered_queries(
    query: "Select[*tuple[Any, ...]]", order: Order, back: bool = False, place: _ListPlace | None = None
) -> Iterator["Select[*tuple[Any, ...]]"]:
    """The rows with a value and those without, in the direction of reading, from a place on."""
    descending = order.descending != back
    nullable = order.column is not None and order.column.nullable
    column: Any = order.column
    identity: Any = order.identity
    if order.apart:
        column, identity = (None if column is None else plus(column)), plus(identity)
    ids = identity.desc() if descending else identity.asc()
    if column is None:
        yield (query if place is None else query.where(_beyond(identity, place.identity, descending))).order_by(
            ids
        )
        return
    valued = query.where(column.is_not(None)) if nullable else query
    valued = valued.order_by(column.desc() if descending else column.asc(), ids)
    empty = query.where(column.is_(None)).order_by(ids)
    if place is not None and place.value is None:
        empty = empty.where(_beyond(identity, place.identity, descending))
    elif place is not None:
        valued = valued.where(_beyond(tuple_(column, identity), (place.value, place.identity), descending))
    parts = [valued, empty] if nullable else [valued]
    if back:
        parts.reverse()
    if place is not None and nullable and (place.value is None) != back:
        # The place lies in the second part.
        parts = parts[1:]
    yield from parts


def plus(column: "ColumnElement[Any]") -> Any:
    """The same value, of which no index of SQLite knows."""
    return UnaryExpression(column, operator=_PLUS, type_=column.type)


def _beyond(what: Any, place: Any, descending: bool) -> ColumnElement[bool]:
    found: ColumnElement[bool] = what < place if descending else what > place
    return found


def _encode_cursor(direction: str, order: Order, row: Found) -> str:
    value = None if order.column is None else row._mapping[order.column.name]
    written = value.isoformat() if isinstance(value, datetime) else value
    name = "" if order.column is None else order.column.name
    text = json.dumps([direction, name, written, row._mapping[order.identity.name]], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode_cursor(cursor: str | None, order: Order) -> tuple[bool, _ListPlace | None]:
    if cursor is None:
        return False, None
    try:
        if len(cursor) > _CURSOR_BYTES:
            raise ValueError("too long")
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        direction, name, written, identity = json.loads(text)
        if direction not in (_FORTH, _BACK) or name != ("" if order.column is None else order.column.name):
            raise ValueError("of another list")
        if not _fits(order.identity, identity):
            raise ValueError("no place")
        return direction == _BACK, _ListPlace(_value(order.column, written), identity)
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise StoreRefusalError("cursor must be next or prev of an earlier page of the same list") from error


def _value(column: "Column[Any] | None", written: Any) -> Any:
    if written is None and (column is None or column.nullable):
        return None
    if column is not None and isinstance(column.type, UtcTime) and isinstance(written, str):
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is not None:
            return moment
    elif column is not None and _fits(column, written):
        return written
    raise ValueError("not a value of the column")


def _fits(column: "Column[Any]", written: Any) -> bool:
    if isinstance(column.type, Text):
        return isinstance(written, str) and is_text(written)
    return isinstance(column.type, Integer | Float) and _is_number(written)


def _is_number(written: Any) -> bool:
    if isinstance(written, bool) or not isinstance(written, int | float):
        return False
    return isinstance(written, float) or abs(written) < 2**63
