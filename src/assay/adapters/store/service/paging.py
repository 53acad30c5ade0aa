"""Rows of an organisation: one by its id, and pages of them, the newest first."""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import Column, Connection, Select, Table, insert, select
from sqlalchemy.engine import Row

from assay.adapters.store.limits import is_text
from assay.adapters.store.service.keyset import Order, Rows, sorted_page
from assay.adapters.store.store import Store
from assay.engine.explorer.paging import PageRequest
from assay.engine.service.errors import NotFoundError
from assay.engine.service.host import ServiceHost

__all__ = ["AddedRows", "PageRequest", "Rows", "StoredRows", "mine", "of_row", "one", "page"]
Model = TypeVar("Model", bound=BaseModel)


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
    """The page that is asked for, the newest first. ``by`` is unique and grows with time."""
    return sorted_page(store, query, Order(None, by, descending=True), asked)
