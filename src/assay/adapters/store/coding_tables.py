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
)

from assay.adapters.store.columns import UtcTime, created_column, id_column, organisation_column
from assay.adapters.store.schema import metadata

# Which organisation sent which archive: a blob alone belongs to nobody, and knowing its hash is no right to it.
archives = Table(
    "archives",
    metadata,
    organisation_column(),
    Column("digest", Text, nullable=False),
    Column("size", Integer, nullable=False),
    created_column(),
    PrimaryKeyConstraint("organisation", "digest"),
)

scenarios = Table(
    "scenarios",
    metadata,
    id_column(),
    organisation_column(),
    Column("latest", Integer, nullable=False),
    created_column(),
    Column("removed_at", UtcTime),
    Index(None, "organisation", "id"),
)

scenario_versions = Table(
    "scenario_versions",
    metadata,
    Column("scenario", Text, ForeignKey("scenarios.id"), nullable=False),
    Column("version", Integer, nullable=False),
    organisation_column(),
    Column("sha256", Text, nullable=False),
    Column("content", JSON, nullable=False),
    created_column(),
    PrimaryKeyConstraint("scenario", "version"),
)

coding_tasks = Table(
    "coding_tasks",
    metadata,
    id_column(),
    organisation_column(),
    Column("scenario", Text, ForeignKey("scenarios.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("record", JSON),
    Column("notes", JSON),
    Column("archive", Text),
    Column("workspace", Text),
    created_column(),
    Column("seeded_at", UtcTime),
    Index(None, "organisation", "id"),
    Index(None, "organisation", "scenario", "id"),
)

coding_runs = Table(
    "coding_runs",
    metadata,
    id_column(),
    organisation_column(),
    Column("task", Text, ForeignKey("coding_tasks.id"), nullable=False),
    Column("job", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("model", Text),
    Column("about", JSON, nullable=False),
    Column("state", Text, nullable=False),
    Column("workspace", Text),
    Column("workspace_size", Integer),
    Column("ending", JSON),
    created_column(),
    Column("ended_at", UtcTime),
    Column("graded_at", UtcTime),
    Index(None, "organisation", "id"),
    Index(None, "organisation", "task", "id"),
    Index(None, "organisation", "state", "id"),
)

# The agent's logs, by their path.
coding_files = Table(
    "coding_files",
    metadata,
    Column("run", Text, ForeignKey("coding_runs.id"), nullable=False),
    Column("path", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("size", Integer, nullable=False),
    PrimaryKeyConstraint("run", "path"),
)

grading_requests = Table(
    "grading_requests",
    metadata,
    id_column(),
    organisation_column(),
    Column("run", Text, ForeignKey("runs.id"), nullable=False),
    Column("judge_only", Boolean, nullable=False),
    Column("number", Integer),
    created_column(),
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
jobs = Table(
    "jobs",
    metadata,
    id_column(),
    organisation_column(),
    Column("name", Text, nullable=False),
    Column("archive", Text, nullable=False),
    Column("size", Integer, nullable=False),
    created_column(),
    Column("imported_at", UtcTime, nullable=False),
    UniqueConstraint("organisation", "name"),
    Index(None, "organisation", "id"),
)

evaluation_results = Table(
    "evaluation_results",
    metadata,
    id_column(),
    organisation_column(),
    Column("run", Text, ForeignKey("runs.id"), nullable=False),
    Column("origin", Text, nullable=False),
    Column("result", JSON, nullable=False),
    Column("reason_code", Text),
    created_column(),
    Index(None, "organisation", "id"),
    Index(None, "organisation", "run", "id"),
)
