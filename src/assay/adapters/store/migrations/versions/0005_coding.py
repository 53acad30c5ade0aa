"""Coding runs: scenarios, seeded tasks, runs, job folders, evaluation results."""

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.columns import UtcTime

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    _scenarios()
    _runs()
    _beside()


def _scenarios() -> None:
    """Archives that were sent, and scenarios with their versions."""
    op.create_table(
        "archives",
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_archives_organisation"),
        sa.PrimaryKeyConstraint("organisation", "digest", name="pk_archives"),
    )
    op.create_table(
        "scenarios",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("latest", sa.Integer, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("removed_at", UtcTime),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_scenarios_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_scenarios"),
    )
    op.create_index("ix_scenarios_organisation_id", "scenarios", ["organisation", "id"])
    op.create_table(
        "scenario_versions",
        sa.Column("scenario", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_scenario_versions_organisation"),
        sa.ForeignKeyConstraint(["scenario"], ["scenarios.id"], name="fk_scenario_versions_scenario"),
        sa.PrimaryKeyConstraint("scenario", "version", name="pk_scenario_versions"),
    )


def _runs() -> None:
    """Seeded tasks, runs of agents at them with their logs, and wishes to grade again."""
    op.create_table(
        "coding_tasks",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("scenario", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("record", sa.JSON),
        sa.Column("notes", sa.JSON),
        sa.Column("archive", sa.Text),
        sa.Column("workspace", sa.Text),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("seeded_at", UtcTime),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_coding_tasks_organisation"),
        sa.ForeignKeyConstraint(["scenario"], ["scenarios.id"], name="fk_coding_tasks_scenario"),
        sa.PrimaryKeyConstraint("id", name="pk_coding_tasks"),
    )
    op.create_index("ix_coding_tasks_organisation_id", "coding_tasks", ["organisation", "id"])
    op.create_index("ix_coding_tasks_organisation_scenario_id", "coding_tasks", ["organisation", "scenario", "id"])
    op.create_table(
        "coding_runs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("job", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("about", sa.JSON, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("workspace", sa.Text),
        sa.Column("workspace_size", sa.Integer),
        sa.Column("ending", sa.JSON),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("ended_at", UtcTime),
        sa.Column("graded_at", UtcTime),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_coding_runs_organisation"),
        sa.ForeignKeyConstraint(["task"], ["coding_tasks.id"], name="fk_coding_runs_task"),
        sa.PrimaryKeyConstraint("id", name="pk_coding_runs"),
    )
    op.create_index("ix_coding_runs_organisation_id", "coding_runs", ["organisation", "id"])
    op.create_index("ix_coding_runs_organisation_state_id", "coding_runs", ["organisation", "state", "id"])
    op.create_index("ix_coding_runs_organisation_task_id", "coding_runs", ["organisation", "task", "id"])
    op.create_table(
        "coding_files",
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["run"], ["coding_runs.id"], name="fk_coding_files_run"),
        sa.PrimaryKeyConstraint("run", "path", name="pk_coding_files"),
    )
    op.create_table(
        "grading_requests",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("judge_only", sa.Boolean, nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_grading_requests_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_grading_requests_run"),
        sa.PrimaryKeyConstraint("id", name="pk_grading_requests"),
    )
    op.create_index("ix_grading_requests_run_id", "grading_requests", ["run", "id"])


def _beside() -> None:
    """Judges of organisations, job folders that were sent, and what is said about runs."""
    op.create_table(
        "judges",
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("secrets", sa.LargeBinary),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_judges_organisation"),
        sa.PrimaryKeyConstraint("organisation", name="pk_judges"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("archive", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("imported_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_jobs_organisation"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("organisation", "name", name="uq_jobs_organisation_name"),
    )
    op.create_index("ix_jobs_organisation_id", "jobs", ["organisation", "id"])
    op.create_table(
        "evaluation_results",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("result", sa.JSON, nullable=False),
        sa.Column("reason_code", sa.Text),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_evaluation_results_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_evaluation_results_run"),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation_results"),
    )
    op.create_index("ix_evaluation_results_organisation_id", "evaluation_results", ["organisation", "id"])
    op.create_index(
        "ix_evaluation_results_organisation_run_id", "evaluation_results", ["organisation", "run", "id"]
    )
