"""Sessions of people who look at pages."""

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.columns import UtcTime

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("expires_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_sessions_organisation"),
        sa.ForeignKeyConstraint(["key"], ["keys.id"], name="fk_sessions_key"),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
