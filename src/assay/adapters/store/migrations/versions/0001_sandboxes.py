"""Sandboxes and what they record: events, rows of state, turns of calls, X12 responses."""

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.columns import Counted, UtcTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "sandboxes",
        sa.Column("id", sa.Text, nullable=False),
        _time("created_at"),
        _time("run_start"),
        sa.Column("fhir_base", sa.Text),
        sa.Column("file_source", sa.Text),
        sa.Column("data", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sandboxes"),
    )
    _events()
    _records()


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", Counted, nullable=False),
        _sandbox("events"),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        _time("at"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_sandbox_type_at", "events", ["sandbox", "type", "at"])
    op.create_table(
        "x12_responses",
        sa.Column("id", Counted, nullable=False),
        _sandbox("x12_responses"),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        _time("at"),
        sa.PrimaryKeyConstraint("id", name="pk_x12_responses"),
    )
    op.create_index("ix_x12_responses_sandbox_at", "x12_responses", ["sandbox", "at"])


def _records() -> None:
    op.create_table(
        "state_rows",
        _sandbox("state_rows"),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        _time("at"),
        sa.PrimaryKeyConstraint("sandbox", "resource", "key", name="pk_state_rows"),
    )
    op.create_table(
        "turns",
        _sandbox("turns"),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("speaker", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        _time("at"),
        sa.PrimaryKeyConstraint("sandbox", "number", name="pk_turns"),
    )


def _time(name: str) -> "sa.Column[object]":
    return sa.Column(name, UtcTime, nullable=False)


def _sandbox(table: str) -> "sa.Column[str]":
    target = sa.ForeignKey("sandboxes.id", name=f"fk_{table}_sandbox")
    return sa.Column("sandbox", sa.Text, target, nullable=False)
