"""The tables of coding runs: archives, scenarios and their versions, seeded tasks, runs, wishes to grade again.

Graded runs are in ``runs``, under the same id.
"""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    select,
)

from assay.adapters.store.columns import (
    UtcTime,
    created_column,
    listed_table,
    metadata,
    optional,
    optional_texts,
    organisation_column,
    owned_table,
    texts,
)

# Which organisation sent which archive: a blob alone belongs to nobody, and knowing its hash is no right to it.
archives = Table(
    "archives",
    metadata,
    organisation_column(),
    *texts("digest"),
    Column("size", Integer, nullable=False),
    created_column(),
    PrimaryKeyConstraint("organisation", "digest"),
)

scenarios = listed_table(
    "scenarios",
    Column("latest", Integer, nullable=False),
    Column("removed_at", UtcTime),
)

scenario_versions = Table(
    "scenario_versions",
    metadata,
    Column("scenario", Text, ForeignKey("scenarios.id"), nullable=False),
    Column("version", Integer, nullable=False),
    organisation_column(),
    *texts("sha256"),
    Column("content", JSON, nullable=False),
    created_column(),
    PrimaryKeyConstraint("scenario", "version"),
)

coding_tasks = listed_table(
    "coding_tasks",
    Column("scenario", Text, ForeignKey("scenarios.id"), nullable=False),
    Column("version", Integer, nullable=False),
    *texts("state"),
    *optional_texts("reason", "archive", "workspace"),
    *optional(JSON, "record", "notes"),
    Column("seeded_at", UtcTime),
    Index(None, "organisation", "scenario", "id"),
)

coding_runs = listed_table(
    "coding_runs",
    Column("task", Text, ForeignKey("coding_tasks.id"), nullable=False),
    *texts("job", "agent", "state"),
    *optional_texts("model", "workspace"),
    Column("about", JSON, nullable=False),
    Column("workspace_size", Integer),
    Column("ending", JSON),
    *optional(UtcTime, "ended_at", "graded_at"),
    Index(None, "organisation", "task", "id"),
    Index(None, "organisation", "state", "id"),
)

# The agent's logs, by their path.
coding_files = Table(
    "coding_files",
    metadata,
    Column("run", Text, ForeignKey("coding_runs.id"), nullable=False),
    *texts("path", "digest"),
    Column("size", Integer, nullable=False),
    PrimaryKeyConstraint("run", "path"),
)

grading_requests = owned_table(
    "grading_requests",
    Column("run", Text, ForeignKey("runs.id"), nullable=False),
    Column("judge_only", Boolean, nullable=False),
    Column("number", Integer),
    Index(None, "run", "id"),
)

judges = Table(
    "judges",
    metadata,
    Column("organisation", Text, ForeignKey("organisations.id"), primary_key=True),
    Column("settings", JSON, nullable=False),
    Column("secrets", LargeBinary),
)

# Archives of job folders, by which their reports can be computed again.
jobs = listed_table(
    "jobs",
    *texts("name", "archive"),
    Column("size", Integer, nullable=False),
    Column("imported_at", UtcTime, nullable=False),
    UniqueConstraint("organisation", "name"),
)

evaluation_results = listed_table(
    "evaluation_results",
    Column("run", Text, ForeignKey("runs.id"), nullable=False),
    *texts("origin"),
    Column("result", JSON, nullable=False),
    *optional_texts("reason_code"),
    Index(None, "organisation", "run", "id"),
)

# Scenarios with what their newest version has.
listed_scenarios = (
    select(
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
    select(*coding_tasks.c, scenarios.c.latest, scenarios.c.removed_at, scenario_versions.c.content)
    .join(scenarios, scenarios.c.id == coding_tasks.c.scenario)
    .join(
        scenario_versions,
        (scenario_versions.c.scenario == coding_tasks.c.scenario)
        & (scenario_versions.c.version == coding_tasks.c.version),
    )
    .subquery()
)
