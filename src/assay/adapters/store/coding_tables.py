"""The tables of coding runs: archives, scenarios and their versions, seeded tasks, runs, wishes to grade again.

Graded runs are in ``runs``, under the same id.
"""

import sqlalchemy as sa

from assay.adapters.store.columns import (
    UtcTime,
    created_column,
    list_index,
    listed_table,
    optional,
    organisation_column,
    owned_table,
    reference,
    required,
    table,
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
