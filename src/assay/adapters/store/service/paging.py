"""Rows of an organisation: one by its id, and pages of them, the newest first.

A cursor says where a page begins, and in which direction it goes.
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from sqlalchemy import Column, Connection, Select, Table, insert, select
from sqlalchemy.engine import Row

from assay.adapters.store.limits import is_text
from assay.adapters.store.store import Store
from assay.core.errors import InputError
from assay.engine.service.errors import NotFoundError
from assay.engine.service.host import ServiceHost
from assay.engine.service.pages import PageRequest

__all__ = ["AddedRows", "PageRequest", "Rows", "StoredRows", "mine", "of_row", "one", "page"]
_OLDER, _NEWER = "o", "n"
Shown = TypeVar("Shown")
Model = TypeVar("Model", bound=BaseModel)
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Rows(Generic[Found]):
    """A part of a list of at most ``limit``, and the cursors to both sides of it."""

    rows: list[Found]
    limit: int
    next: str | None = None
    prev: str | None = None

    def each(self, shown: Callable[[Found], Shown]) -> "Rows[Shown]":
        """The same part, with what is shown of each row."""
        return self.all([shown(row) for row in self.rows])

    def all(self, shown: list[Shown]) -> "Rows[Shown]":
        return Rows(shown, self.limit, self.next, self.prev)


def mine(table: Table, organisation: str, **wanted: str | None) -> Any:
    """The rows of an organisation whose columns are as they are wanted; None is not asked for."""
    query = select(table).where(table.c.organisation == organisation)
    for name, value in wanted.items():
        if value is not None:
            query = query.where(table.c[name] == (value if is_text(value) else ""))
    return query


def one(rows: Sequence[Any], what: str) -> Any:
    """The first row. Raises ``NotFoundError`` if there is none."""
    if not rows:
        raise NotFoundError(f"there is no such {what}")
    return rows[0]


def of_row(model: type[Model], row: Any, **more: Any) -> Model:
    """A model with what a row has under the names of its fields, and with ``more``."""
    same = {name: getattr(row, name) for name in model.model_fields if name not in more}
    return model.model_construct(**same, **more)


class StoredRows:
    """Reads rows of organisations."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def _one(self, table: Table, organisation: str, identity: str, what: str) -> Any:
        """Raises ``NotFoundError``."""
        return one(self._store.rows(mine(table, organisation, id=identity)), what)

    def _page(self, table: Table, organisation: str, asked: PageRequest, **wanted: str | None) -> "Rows[Any]":
        return page(self._store, mine(table, organisation, **wanted), table.c.id, asked)


class AddedRows(StoredRows):
    """Reads rows of organisations, and adds some."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        super().__init__(store)
        self._host = host

    def _insert(
        self, connection: Connection, table: Table, prefix: str, organisation: str, /, **values: Any
    ) -> str:
        """Add a row; returns its id."""
        identity, now = self._host.new_id(prefix), self._host.now()
        row = {"id": identity, "organisation": organisation, "created_at": now, **values}
        connection.execute(insert(table).values(row))
        return identity


def page(
    store: Store, query: "Select[*tuple[Any, ...]]", by: "Column[str] | Column[int]", asked: PageRequest
) -> "Rows[Row[*tuple[Any, ...]]]":
    """The page that is asked for. ``by`` is unique and grows with time."""
    direction, place = _decoded(asked.cursor)
    key: Any = place
    if place is not None and by.type.python_type is int:
        key = _number(place)
    newer = direction == _NEWER
    if key is not None:
        query = query.where(by > key if newer else by < key)
    found = list(store.rows(query.order_by(by.asc() if newer else by.desc()).limit(asked.limit + 1)))
    more, found = len(found) > asked.limit, found[: asked.limit]
    if newer:
        found.reverse()
    if not found:
        return Rows([], asked.limit)
    first, last = (getattr(found[at], by.name) for at in (0, -1))
    has_next, has_prev = (True, more) if newer else (more, place is not None)
    after = _encoded(_OLDER, last) if has_next else None
    return Rows(found, asked.limit, after, _encoded(_NEWER, first) if has_prev else None)


def _encoded(direction: str, place: object) -> str:
    return base64.urlsafe_b64encode(f"{direction}{place}".encode()).decode().rstrip("=")


def _decoded(cursor: str | None) -> tuple[str, str | None]:
    if cursor is None:
        return _OLDER, None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError) as error:
        raise _unusable() from error
    if text[:1] not in (_OLDER, _NEWER) or not text[1:].replace("_", "").isalnum():
        raise _unusable()
    return text[0], text[1:]


def _number(place: str) -> int:
    if not place.isdecimal() or len(place) > 18:
        raise _unusable()
    return int(place)


def _unusable() -> InputError:
    return InputError("cursor must be next or prev of an earlier page")
