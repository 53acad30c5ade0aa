"""The tables. Every change to them is a migration as well; a test compares the two."""

from sqlalchemy import (
    JSON,
    Column,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from assay.adapters.store import coding_tables, run_tables, service_tables
from assay.adapters.store.columns import (
    DEFAULT_ORGANISATION,
    Counted,
    UtcTime,
    metadata,
    optional_texts,
    playground_column,
    required,
    texts,
)

# Whoever knows these tables knows those of the service too: a database has all or none.
__all__ = [
    "coding_tables",
    "events",
    "metadata",
    "playgrounds",
    "replaced_rows",
    "run_tables",
    "service_tables",
    "state_rows",
    "turns",
    "x12_responses",
]

playgrounds = Table(
    "playgrounds",
    metadata,
    Column("id", Text, primary_key=True),
    *required(UtcTime, "created_at", "run_start"),
    *optional_texts("fhir_base", "file_source"),
    Column("data", JSON, nullable=False),
    # What the command line adds belongs to the organisation that a store begins with.
    Column("organisation", Text, nullable=False, server_default=DEFAULT_ORGANISATION),
    Index(None, "organisation", "id"),
)


def _received() -> "Column[object]":
    """When the store took a record, whatever its sender says. Those of older stores have none."""
    return Column("received_at", UtcTime)


events = Table(
    "events",
    metadata,
    Column("id", Counted, primary_key=True),
    playground_column(),
    *texts("type"),
    Column("payload", LargeBinary, nullable=False),
    Column("at", UtcTime, nullable=False),
    _received(),
    Index(None, "playground", "type", "at"),
)

state_rows = Table(
    "state_rows",
    metadata,
    playground_column(),
    *texts("resource", "key"),
    Column("data", JSON, nullable=False),
    Column("at", UtcTime, nullable=False),
    _received(),
    PrimaryKeyConstraint("playground", "resource", "key"),
)

# What rows were before they changed: a run is graded by the state of when its completion was accepted.
replaced_rows = Table(
    "replaced_rows",
    metadata,
    Column("id", Counted, primary_key=True),
    playground_column(),
    *texts("resource", "key"),
    Column("data", JSON, nullable=False),
    *required(UtcTime, "at", "replaced_at"),
    _received(),
    Index(None, "playground", "resource", "replaced_at"),
)

turns = Table(
    "turns",
    metadata,
    playground_column(),
    Column("number", Integer, nullable=False),
    *texts("speaker", "text"),
    Column("at", UtcTime, nullable=False),
    _received(),
    PrimaryKeyConstraint("playground", "number"),
)

x12_responses = Table(
    "x12_responses",
    metadata,
    Column("id", Counted, primary_key=True),
    playground_column(),
    Column("payload", LargeBinary, nullable=False),
    Column("at", UtcTime, nullable=False),
    _received(),
    Index(None, "playground", "at"),
)
