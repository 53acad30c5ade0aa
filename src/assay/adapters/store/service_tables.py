"""The tables of the service: who may do what, what is asked of agents, and how their runs came out.

Everything belongs to an organisation, and every index begins with it. Ids grow with time, so that the newest come
first by going through an index backwards. Graded coding runs are in ``runs`` as well, under the same id.
"""

from typing import Any

import sqlalchemy as sa

from assay.adapters.store.columns import (
    Counted,
    UtcTime,
    counted_id,
    created_column,
    list_index,
    listed_table,
    optional,
    organisation_column,
    owned_table,
    playground_column,
    reference,
    required,
    table,
)

organisations = table(
    "organisations", sa.Column("id", sa.Text, primary_key=True), *required(sa.Text, "name"), created_column()
)

keys = listed_table(
    "keys",
    *required(sa.Text, "name", "scope", "digest"),
    *optional(sa.Text, "benchmark_run"),
    *optional(UtcTime, "expires_at", "revoked_at"),
    sa.UniqueConstraint("digest"),
)

sessions = table(
    "sessions",
    sa.Column("digest", sa.Text, primary_key=True),
    organisation_column(),
    reference("key", "keys.id"),
    created_column(),
    *required(UtcTime, "expires_at"),
    sa.Index(None, "expires_at"),
)

sources = table(
    "sources",
    playground_column(),
    *required(sa.Text, "kind"),
    *required(sa.JSON, "settings"),
    *optional(sa.LargeBinary, "secrets"),
    sa.PrimaryKeyConstraint("playground", "kind"),
)

blobs = table(
    "blobs",
    sa.Column("digest", sa.Text, primary_key=True),
    *required(sa.LargeBinary, "content"),
)

files = table(
    "files",
    playground_column(),
    *required(sa.Text, "path"),
    *required(sa.Integer, "size"),
    *required(UtcTime, "modified"),
    reference("blob", "blobs.digest"),
    sa.PrimaryKeyConstraint("playground", "path"),
)

replaced_files = table(
    "replaced_files",
    counted_id(),
    playground_column(),
    *required(sa.Text, "path"),
    *required(sa.Integer, "size"),
    *required(UtcTime, "modified", "replaced_at"),
    reference("blob", "blobs.digest"),
    sa.Index(None, "playground", "replaced_at"),
)

tasks = listed_table(
    "tasks",
    *required(sa.Text, "name", "instruction"),
    *required(sa.JSON, "data"),
    *optional(sa.Float, "timeout_s"),
)

criteria = owned_table(
    "criteria",
    reference("task", "tasks.id"),
    *required(sa.JSON, "written"),
    list_index("task"),
)

snapshots = table(
    "snapshots",
    organisation_column(),
    *required(sa.Text, "digest"),
    *required(sa.JSON, "content"),
    sa.PrimaryKeyConstraint("organisation", "digest"),
)

benchmarks = listed_table(
    "benchmarks",
    *required(sa.Text, "slug", "name"),
    *optional(sa.Integer, "latest"),
    sa.UniqueConstraint("organisation", "slug"),
)

versions = owned_table(
    "benchmark_versions",
    reference("benchmark", "benchmarks.id"),
    *required(sa.Integer, "version"),
    *required(sa.JSON, "tasks"),
    sa.UniqueConstraint("benchmark", "version"),
)

benchmark_runs = listed_table(
    "benchmark_runs",
    reference("version", "benchmark_versions.id"),
    *required(sa.Text, "benchmark", "status"),
    *required(sa.Boolean, "scored"),
    *optional(sa.Text, "verdict"),
    *optional(sa.Float, "score"),
    *optional(UtcTime, "completed_at"),
)

task_runs = listed_table(
    "task_runs",
    sa.Column("benchmark_run", sa.Text, sa.ForeignKey("benchmark_runs.id")),
    *required(sa.Text, "task", "snapshot", "status", "phase"),
    playground_column(),
    *required(sa.Boolean, "scored"),
    *optional(sa.Text, "verdict", "reason"),
    *optional(sa.Float, "score"),
    *optional(sa.JSON, "axes"),
    *optional(UtcTime, "started_at", "deadline_at", "completed_at", "claimed_until"),
    # The first completion that came in time. From then on, only the grading ends the run.
    *optional(UtcTime, "completion_requested_at"),
    # Who grades it at the moment, and until when that is believed.
    *optional(sa.Text, "claim"),
    *map(list_index, ("benchmark_run", "status", "verdict", "task")),
    sa.Index(None, "status", "deadline_at"),
)

criterion_runs = listed_table(
    "criterion_runs",
    reference("task_run", "task_runs.id"),
    *required(sa.Integer, "position"),
    *optional(sa.Text, "criterion", "assertion", "axis"),
    *required(sa.Text, "label", "status", "details"),
    *required(sa.Float, "weight", "score"),
    *required(sa.Boolean, "passed"),
    *required(sa.JSON, "evidence"),
    sa.UniqueConstraint("task_run", "position"),
)


def _some(name: str, state: str, *columns: Any) -> sa.Index:
    """An index of the work in one state."""
    return sa.Index(f"ix_work_{name}", *columns, sqlite_where=sa.text(f"state = '{state}'"))


# On PostgreSQL, this is a view of procrastinate's jobs (migrations/work.sql).
work = listed_table(
    "work",
    *required(sa.Text, "kind", "target", "state"),
    *required(sa.Integer, "priority", "tries"),
    # The lowest is next. Organisations take turns: each of their submissions is one later than the one before.
    *required(Counted, "turn"),
    # Since when it waits for a source that is down, and how often that was seen. This doesn't count as a try.
    *optional(UtcTime, "source_down_since"),
    sa.Column("source_waits", sa.Integer, nullable=False, server_default="0"),
    *required(UtcTime, "not_before"),
    *optional(sa.Text, "claim", "reason"),
    *optional(UtcTime, "claimed_until", "finished_at"),
    # One for each question that workers ask (service/work.py).
    _some("waiting", "queued", "turn", "id", "not_before", "kind"),
    _some("claimed", "running", "claimed_until"),
    _some("last_turn", "queued", "organisation", "turn"),
    _some("done", "done", "finished_at"),
    sa.Index(None, "kind", "target"),
)

audit = table(
    "audit",
    counted_id(),
    organisation_column(),
    *optional(sa.Text, "key", "target", "request"),
    *required(sa.Text, "action"),
    *required(UtcTime, "at"),
    sa.Column("denied", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index(None, "organisation", "id"),
)

# Which organisation sent which archive: a blob alone belongs to nobody, and knowing its hash is no right to it.
archives = table(
    "archives",
    organisation_column(),
    *required(sa.Text, "digest"),
    *required(sa.Integer, "size"),
    created_column(),
    sa.PrimaryKeyConstraint("organisation", "digest"),
)

scenarios = listed_table(
    "scenarios",
    *required(sa.Integer, "latest"),
    *optional(UtcTime, "removed_at"),
)

scenario_versions = table(
    "scenario_versions",
    reference("scenario", "scenarios.id"),
    *required(sa.Integer, "version"),
    organisation_column(),
    *required(sa.Text, "sha256"),
    *required(sa.JSON, "content"),
    created_column(),
    sa.PrimaryKeyConstraint("scenario", "version"),
)

coding_tasks = listed_table(
    "coding_tasks",
    reference("scenario", "scenarios.id"),
    *required(sa.Integer, "version"),
    *required(sa.Text, "state"),
    *optional(sa.Text, "reason", "archive", "workspace"),
    *optional(sa.JSON, "record", "notes"),
    *optional(UtcTime, "seeded_at"),
    list_index("scenario"),
)

coding_runs = listed_table(
    "coding_runs",
    reference("task", "coding_tasks.id"),
    *required(sa.Text, "job", "agent", "state"),
    *optional(sa.Text, "model", "workspace"),
    *required(sa.JSON, "about"),
    *optional(sa.Integer, "workspace_size"),
    *optional(sa.JSON, "ending"),
    *optional(UtcTime, "ended_at", "graded_at"),
    *map(list_index, ("task", "state")),
)

# The agent's logs, by their path.
coding_files = table(
    "coding_files",
    reference("run", "coding_runs.id"),
    *required(sa.Text, "path", "digest"),
    *required(sa.Integer, "size"),
    sa.PrimaryKeyConstraint("run", "path"),
)

grading_requests = owned_table(
    "grading_requests",
    reference("run", "runs.id"),
    *required(sa.Boolean, "judge_only"),
    *optional(sa.Integer, "number"),
    sa.Index(None, "run", "id"),
)

judges = table(
    "judges",
    sa.Column("organisation", sa.Text, sa.ForeignKey("organisations.id"), primary_key=True),
    *required(sa.JSON, "settings"),
    *optional(sa.LargeBinary, "secrets"),
)

# Archives of job folders, by which their reports can be computed again.
jobs = listed_table(
    "jobs",
    *required(sa.Text, "name", "archive"),
    *required(sa.Integer, "size"),
    *required(UtcTime, "imported_at"),
    sa.UniqueConstraint("organisation", "name"),
)

evaluation_results = listed_table(
    "evaluation_results",
    reference("run", "runs.id"),
    *required(sa.Text, "origin"),
    *required(sa.JSON, "result"),
    *optional(sa.Text, "reason_code"),
    list_index("run"),
)

# Scenarios with what their newest version has.
listed_scenarios = (
    sa.select(
        *scenarios.c,
        scenario_versions.c.sha256,
        scenario_versions.c.content,
        scenario_versions.c.created_at.label("updated_at"),
    )
    .join(
        scenario_versions,
        (scenario_versions.c.scenario == scenarios.c.id) & (scenario_versions.c.version == scenarios.c.latest),
    )
    .subquery()
)

# Seeded tasks with what their scenario was then, and which version it has now.
seeded_tasks = (
    sa.select(*coding_tasks.c, scenarios.c.latest, scenarios.c.removed_at, scenario_versions.c.content)
    .join(scenarios, scenarios.c.id == coding_tasks.c.scenario)
    .join(
        scenario_versions,
        (scenario_versions.c.scenario == coding_tasks.c.scenario)
        & (scenario_versions.c.version == coding_tasks.c.version),
    )
    .subquery()
)
