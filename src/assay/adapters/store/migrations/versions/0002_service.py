"""The service: organisations and keys, tasks and benchmarks, runs, work."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.columns import Counted, UtcTime

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("sandboxes", sa.Column("organisation", sa.Text, nullable=False, server_default="default"))
    op.create_index("ix_sandboxes_organisation_id", "sandboxes", ["organisation", "id"])
    _who()
    _playgrounds()
    _asked()
    _runs()
    _work()
    first = sa.table("organisations", sa.column("id"), sa.column("name"), sa.column("created_at", UtcTime))
    op.execute(sa.insert(first).values(id="default", name="default", created_at=datetime.now(UTC)))


def _who() -> None:
    """Organisations, their keys, and what was done with them."""
    op.create_table(
        "organisations",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_organisations"),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("benchmark_run", sa.Text),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("expires_at", UtcTime),
        sa.Column("revoked_at", UtcTime),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_keys_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("digest", name="uq_keys_digest"),
    )
    op.create_index("ix_keys_organisation_id", "keys", ["organisation", "id"])
    op.create_table(
        "audit",
        sa.Column("id", Counted, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("key", sa.Text),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("target", sa.Text),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("request", sa.Text),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_audit_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_organisation_id", "audit", ["organisation", "id"])


def _playgrounds() -> None:
    """What a playground has beside its records."""
    op.create_table(
        "blobs",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_blobs"),
    )
    op.create_table(
        "files",
        sa.Column("sandbox", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("modified", UtcTime, nullable=False),
        sa.Column("blob", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["blob"], ["blobs.digest"], name="fk_files_blob"),
        sa.ForeignKeyConstraint(["sandbox"], ["sandboxes.id"], name="fk_files_sandbox"),
        sa.PrimaryKeyConstraint("sandbox", "path", name="pk_files"),
    )
    op.create_table(
        "sources",
        sa.Column("sandbox", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("secrets", sa.LargeBinary),
        sa.ForeignKeyConstraint(["sandbox"], ["sandboxes.id"], name="fk_sources_sandbox"),
        sa.PrimaryKeyConstraint("sandbox", "kind", name="pk_sources"),
    )


def _asked() -> None:
    """What is asked of agents."""
    op.create_table(
        "tasks",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("instruction", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("timeout_s", sa.Float),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_tasks_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
    )
    op.create_index("ix_tasks_organisation_id", "tasks", ["organisation", "id"])
    op.create_table(
        "criteria",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("written", sa.JSON, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_criteria_organisation"),
        sa.ForeignKeyConstraint(["task"], ["tasks.id"], name="fk_criteria_task"),
        sa.PrimaryKeyConstraint("id", name="pk_criteria"),
    )
    op.create_index("ix_criteria_organisation_task_id", "criteria", ["organisation", "task", "id"])
    op.create_table(
        "snapshots",
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_snapshots_organisation"),
        sa.PrimaryKeyConstraint("organisation", "digest", name="pk_snapshots"),
    )
    op.create_table(
        "benchmarks",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("slug", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("latest", sa.Integer),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_benchmarks_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_benchmarks"),
        sa.UniqueConstraint("organisation", "slug", name="uq_benchmarks_organisation_slug"),
    )
    op.create_index("ix_benchmarks_organisation_id", "benchmarks", ["organisation", "id"])
    op.create_table(
        "benchmark_versions",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("tasks", sa.JSON, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmarks.id"], name="fk_benchmark_versions_benchmark"),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_benchmark_versions_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_benchmark_versions"),
        sa.UniqueConstraint("benchmark", "version", name="uq_benchmark_versions_benchmark_version"),
    )


def _runs() -> None:
    """What agents did, and how that came out."""
    op.create_table(
        "benchmark_runs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("scored", sa.Boolean, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text),
        sa.Column("score", sa.Float),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("completed_at", UtcTime),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_benchmark_runs_organisation"),
        sa.ForeignKeyConstraint(["version"], ["benchmark_versions.id"], name="fk_benchmark_runs_version"),
        sa.PrimaryKeyConstraint("id", name="pk_benchmark_runs"),
    )
    op.create_index("ix_benchmark_runs_organisation_id", "benchmark_runs", ["organisation", "id"])
    op.create_table(
        "task_runs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("benchmark_run", sa.Text),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("snapshot", sa.Text, nullable=False),
        sa.Column("sandbox", sa.Text, nullable=False),
        sa.Column("scored", sa.Boolean, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text),
        sa.Column("score", sa.Float),
        sa.Column("axes", sa.JSON),
        sa.Column("reason", sa.Text),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("started_at", UtcTime),
        sa.Column("deadline_at", UtcTime),
        sa.Column("completed_at", UtcTime),
        sa.Column("claim", sa.Text),
        sa.Column("claimed_until", UtcTime),
        sa.Column("idempotency_key", sa.Text),
        sa.ForeignKeyConstraint(["benchmark_run"], ["benchmark_runs.id"], name="fk_task_runs_benchmark_run"),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_task_runs_organisation"),
        sa.ForeignKeyConstraint(["sandbox"], ["sandboxes.id"], name="fk_task_runs_sandbox"),
        sa.PrimaryKeyConstraint("id", name="pk_task_runs"),
        sa.UniqueConstraint("organisation", "idempotency_key", name="uq_task_runs_organisation_idempotency_key"),
    )
    op.create_index(
        "ix_task_runs_organisation_benchmark_run_id", "task_runs", ["organisation", "benchmark_run", "id"]
    )
    op.create_index("ix_task_runs_organisation_id", "task_runs", ["organisation", "id"])
    op.create_index("ix_task_runs_organisation_status_id", "task_runs", ["organisation", "status", "id"])
    op.create_index("ix_task_runs_organisation_verdict_id", "task_runs", ["organisation", "verdict", "id"])
    op.create_index("ix_task_runs_organisation_task_id", "task_runs", ["organisation", "task", "id"])
    op.create_index("ix_task_runs_status_deadline_at", "task_runs", ["status", "deadline_at"])
    op.create_table(
        "criterion_runs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("task_run", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("criterion", sa.Text),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("assert", sa.Text),
        sa.Column("axis", sa.Text),
        sa.Column("weight", sa.Float, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("evidence", sa.JSON, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_criterion_runs_organisation"),
        sa.ForeignKeyConstraint(["task_run"], ["task_runs.id"], name="fk_criterion_runs_task_run"),
        sa.PrimaryKeyConstraint("id", name="pk_criterion_runs"),
        sa.UniqueConstraint("task_run", "position", name="uq_criterion_runs_task_run_position"),
    )
    op.create_index("ix_criterion_runs_organisation_id", "criterion_runs", ["organisation", "id"])


def _work() -> None:
    """What is still to be done."""
    op.create_table(
        "work",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("turn", Counted, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("not_before", UtcTime, nullable=False),
        sa.Column("claim", sa.Text),
        sa.Column("claimed_until", UtcTime),
        sa.Column("reason", sa.Text),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("finished_at", UtcTime),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_work_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_work"),
    )
    op.create_index("ix_work_kind_target", "work", ["kind", "target"])
    op.create_index("ix_work_organisation_id", "work", ["organisation", "id"])
    op.create_index("ix_work_state_priority_turn_id", "work", ["state", "priority", "turn", "id"])
    op.create_index("ix_work_organisation_state_turn", "work", ["organisation", "state", "turn"])
    op.create_index("ix_work_state_claimed_until", "work", ["state", "claimed_until"])
