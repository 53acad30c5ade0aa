"""Columns that mean the same on every database."""

from datetime import UTC, datetime

from sqlalchemy import BigInteger, Column, DateTime, Dialect, ForeignKey, Integer, Text, TypeDecorator


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


def id_column() -> Column[str]:
    return Column("id", Text, primary_key=True)


def organisation_column() -> Column[str]:
    return Column("organisation", Text, ForeignKey("organisations.id"), nullable=False)


def created_column() -> "Column[object]":
    return Column("created_at", UtcTime, nullable=False)
