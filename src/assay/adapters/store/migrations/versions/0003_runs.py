"""Trials of jobs that were imported, with their gradings and annotations."""

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.columns import UtcTime

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _runs()
    _beside()


def _runs() -> None:
    """The trials."""
    op.create_table(
        "runs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("job", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("dataset", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("rewards", sa.Text),
        sa.Column("score", sa.Float),
        sa.Column("reason_code", sa.Text),
        sa.Column("exception_type", sa.Text),
        sa.Column("cost_usd", sa.Float),
        sa.Column("started_at", sa.Text),
        sa.Column("finished_at", sa.Text),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_runs_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("organisation", "job", "name", name="uq_runs_organisation_job_name"),
    )
    op.create_index("ix_runs_organisation_agent_id", "runs", ["organisation", "agent", "id"])
    op.create_index("ix_runs_organisation_id", "runs", ["organisation", "id"])
    op.create_index("ix_runs_organisation_model_id", "runs", ["organisation", "model", "id"])
    op.create_index("ix_runs_organisation_reason_code_id", "runs", ["organisation", "reason_code", "id"])
    op.create_index("ix_runs_organisation_status_id", "runs", ["organisation", "status", "id"])
    op.create_index("ix_runs_organisation_task_id", "runs", ["organisation", "task", "id"])


def _beside() -> None:
    """What is kept beside a trial."""
    op.create_table(
        "gradings",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("record", sa.JSON, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_gradings_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_gradings_run"),
        sa.PrimaryKeyConstraint("id", name="pk_gradings"),
        sa.UniqueConstraint("run", "number", name="uq_gradings_run_number"),
    )
    op.create_table(
        "annotations",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("record", sa.JSON, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_annotations_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_annotations_run"),
        sa.PrimaryKeyConstraint("id", name="pk_annotations"),
    )
    op.create_index("ix_annotations_organisation_run_id", "annotations", ["organisation", "run", "id"])
