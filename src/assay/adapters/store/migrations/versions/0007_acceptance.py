"""When completions were accepted, and what is needed to grade by the state of then."""

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.columns import Counted, UtcTime

revision = "0007"
down_revision = "0006"

# Work that waits was accepted, if its run had time left: no upgrade may cost it its score.
ACCEPTED = """
UPDATE task_runs SET completion_requested_at = (
    SELECT MIN(work.created_at) FROM work WHERE work.kind = 'complete_task_run' AND work.target = task_runs.id
    AND work.state <> 'done' AND (task_runs.deadline_at IS NULL OR work.created_at < task_runs.deadline_at)
) WHERE status = 'active'
"""


def upgrade() -> None:
    op.add_column("task_runs", sa.Column("completion_requested_at", UtcTime))
    op.execute(ACCEPTED)
    op.add_column("work", sa.Column("source_down_since", UtcTime))
    op.add_column("work", sa.Column("source_waits", sa.Integer, nullable=False, server_default="0"))
    for table in ("events", "state_rows", "turns", "x12_responses"):
        op.add_column(table, sa.Column("received_at", UtcTime))
    op.create_table(
        "replaced_rows",
        *_of_a_playground("replaced_rows"),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("received_at", UtcTime),
        sa.Column("replaced_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_replaced_rows"),
    )
    names = ["sandbox", "resource", "replaced_at"]
    op.create_index("ix_replaced_rows_sandbox_resource_replaced_at", "replaced_rows", names)
    op.create_table(
        "replaced_files",
        *_of_a_playground("replaced_files"),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("modified", UtcTime, nullable=False),
        sa.Column("blob", sa.Text, nullable=False),
        sa.Column("replaced_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["blob"], ["blobs.digest"], name="fk_replaced_files_blob"),
        sa.PrimaryKeyConstraint("id", name="pk_replaced_files"),
    )
    op.create_index("ix_replaced_files_sandbox_replaced_at", "replaced_files", ["sandbox", "replaced_at"])


def _of_a_playground(table: str) -> "list[sa.Column[object]]":
    target = sa.ForeignKey("sandboxes.id", name=f"fk_{table}_sandbox")
    return [sa.Column("id", Counted, nullable=False), sa.Column("sandbox", sa.Text, target, nullable=False)]
