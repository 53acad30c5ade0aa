"""The tables. Every change to them is a migration as well; a test compares the two.

In the database, playgrounds keep their former name, ``sandboxes``: existing stores need no migration for a word.
"""

from sqlalchemy import (
    JSON,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from assay.adapters.store import coding_tables, run_tables, service_tables
from assay.adapters.store.columns import Counted, UtcTime
from assay.adapters.store.schema import DEFAULT_ORGANISATION, metadata

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
    "sandboxes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created_at", UtcTime, nullable=False),
    Column("run_start", UtcTime, nullable=False),
    Column("fhir_base", Text),
    Column("file_source", Text),
    Column("data", JSON, nullable=False),
    # What the command line adds belongs to the organisation that a store begins with.
    Column("organisation", Text, nullable=False, server_default=DEFAULT_ORGANISATION),
    Index(None, "organisation", "id"),
)


def _of_a_playground() -> Column[str]:
    return Column("sandbox", Text, ForeignKey("sandboxes.id"), key="playground", nullable=False)


def _received() -> "Column[object]":
    """When the store took a record, whatever its sender says. Those of older stores have none."""
    return Column("received_at", UtcTime)


events = Table(
    "events",
    metadata,
    Column("id", Counted, primary_key=True),
    _of_a_playground(),
    Column("type", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("at", UtcTime, nullable=False),
    _received(),
    Index(None, "playground", "type", "at"),
)

state_rows = Table(
    "state_rows",
    metadata,
    _of_a_playground(),
    Column("resource", Text, nullable=False),
    Column("key", Text, nullable=False),
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
    _of_a_playground(),
    Column("resource", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("data", JSON, nullable=False),
    Column("at", UtcTime, nullable=False),
    _received(),
    Column("replaced_at", UtcTime, nullable=False),
    Index(None, "playground", "resource", "replaced_at"),
)

turns = Table(
    "turns",
    metadata,
    _of_a_playground(),
    Column("number", Integer, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    _received(),
    PrimaryKeyConstraint("playground", "number"),
)

x12_responses = Table(
    "x12_responses",
    metadata,
    Column("id", Counted, primary_key=True),
    _of_a_playground(),
    Column("payload", LargeBinary, nullable=False),
    Column("at", UtcTime, nullable=False),
    _received(),
    Index(None, "playground", "at"),
)
