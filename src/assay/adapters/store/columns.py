"""Common to all tables: columns that mean the same on every database, and how indexes are named."""

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

# The organisation of a store that nobody has divided.
DEFAULT_ORGANISATION: Final = "default"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcTime(TypeDecorator[datetime]):
    """A moment. SQLite has no zones, so it keeps UTC without saying so; what is read always says it."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is not None and value.utcoffset() is None:
            raise ValueError("a time must have a time zone")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# SQLite counts by itself only in a column that is called INTEGER.
Counted = BigInteger().with_variant(Integer, "sqlite")


def organisation_column() -> Column[str]:
    return Column("organisation", Text, ForeignKey("organisations.id"), nullable=False)


def created_column() -> "Column[object]":
    return Column("created_at", UtcTime, nullable=False)


def playground_column() -> Column[str]:
    return Column("playground", Text, ForeignKey("playgrounds.id"), nullable=False)


def required(kind: Any, *names: str) -> list[Column[Any]]:
    """Columns of a type that every row has."""
    return [Column(name, kind, nullable=False) for name in names]


def optional(kind: Any, *names: str) -> list[Column[Any]]:
    return [Column(name, kind) for name in names]


def counted_id() -> Column[int]:
    return Column("id", Counted, primary_key=True)


def reference(name: str, target: str) -> Column[str]:
    """A column that every row has, with the key of another table's row."""
    return Column(name, Text, ForeignKey(target), nullable=False)


def table(name: str, *parts: Any) -> Table:
    return Table(name, metadata, *parts)


def owned_table(name: str, *parts: Any) -> Table:
    """A table whose rows have an id and belong to an organisation."""
    identity: Column[str] = Column("id", Text, primary_key=True)
    return Table(name, metadata, identity, organisation_column(), created_column(), *parts)


def listed_table(name: str, *parts: Any) -> Table:
    """The same for rows that are listed, the newest first."""
    return owned_table(name, *parts, Index(None, "organisation", "id"))


def list_index(column: str) -> Index:
    """For lists that are narrowed down to a value, or sorted by it."""
    return Index(None, "organisation", column, "id")
