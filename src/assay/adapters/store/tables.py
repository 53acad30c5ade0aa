"""The tables. Every change to them is a migration as well; a test compares the two."""

import sqlalchemy as sa

from assay.adapters.store import integration_tables, run_tables, service_tables
from assay.adapters.store.columns import (
    DEFAULT_ORGANISATION,
    UtcTime,
    counted_id,
    metadata,
    optional,
    playground_column,
    required,
    table,
)

# Whoever knows these tables knows those of the service too: a database has all or none.
__all__ = [
    "events",
    "integration_tables",
    "metadata",
    "playgrounds",
    "replaced_rows",
    "run_tables",
    "service_tables",
    "state_rows",
    "turns",
    "x12_responses",
]

playgrounds = table(
    "playgrounds",
    sa.Column("id", sa.Text, primary_key=True),
    *required(UtcTime, "created_at", "run_start"),
    *optional(sa.Text, "fhir_base", "file_source"),
    *required(sa.JSON, "data"),
    # What the command line adds belongs to the organisation that a store begins with.
    sa.Column("organisation", sa.Text, nullable=False, server_default=DEFAULT_ORGANISATION),
    sa.Index(None, "organisation", "id"),
)


def _received_column() -> "sa.Column[object]":
    """When the store took a record, whatever its sender says. Those of older stores have none."""
    return sa.Column("received_at", UtcTime)


events = table(
    "events",
    counted_id(),
    playground_column(),
    *required(sa.Text, "type"),
    *required(sa.LargeBinary, "payload"),
    *required(UtcTime, "at"),
    _received_column(),
    sa.Index(None, "playground", "type", "at"),
)

state_rows = table(
    "state_rows",
    playground_column(),
    *required(sa.Text, "resource", "key"),
    *required(sa.JSON, "data"),
    *required(UtcTime, "at"),
    _received_column(),
    sa.PrimaryKeyConstraint("playground", "resource", "key"),
)

# What rows were before they changed: a run is graded by the state of when its completion was accepted.
replaced_rows = table(
    "replaced_rows",
    counted_id(),
    playground_column(),
    *required(sa.Text, "resource", "key"),
    *required(sa.JSON, "data"),
    *required(UtcTime, "at", "replaced_at"),
    _received_column(),
    sa.Index(None, "playground", "resource", "replaced_at"),
)

turns = table(
    "turns",
    playground_column(),
    *required(sa.Integer, "number"),
    *required(sa.Text, "speaker", "text"),
    *required(UtcTime, "at"),
    _received_column(),
    sa.PrimaryKeyConstraint("playground", "number"),
)

x12_responses = table(
    "x12_responses",
    counted_id(),
    playground_column(),
    *required(sa.LargeBinary, "payload"),
    *required(UtcTime, "at"),
    _received_column(),
    sa.Index(None, "playground", "at"),
)
