"""The tables of the service: who may do what, what is asked of agents, and how their runs came out.

Everything belongs to an organisation, and every index begins with it. Ids grow with time, so that the newest come
first by going through an index backwards.
"""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from assay.adapters.store.columns import (
    Counted,
    UtcTime,
    created_column,
    listed_table,
    metadata,
    optional,
    optional_texts,
    organisation_column,
    owned_table,
    playground_column,
    required,
    texts,
)

organisations = Table(
    "organisations", metadata, Column("id", Text, primary_key=True), *texts("name"), created_column()
)

keys = listed_table(
    "keys",
    *texts("name", "scope", "digest"),
    *optional_texts("benchmark_run"),
    *optional(UtcTime, "expires_at", "revoked_at"),
    UniqueConstraint("digest"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", Text, primary_key=True),
    organisation_column(),
    Column("key", Text, ForeignKey("keys.id"), nullable=False),
    created_column(),
    Column("expires_at", UtcTime, nullable=False),
    Index(None, "expires_at"),
)

sources = Table(
    "sources",
    metadata,
    playground_column(),
    *texts("kind"),
    Column("settings", JSON, nullable=False),
    Column("secrets", LargeBinary),
    PrimaryKeyConstraint("playground", "kind"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

files = Table(
    "files",
    metadata,
    playground_column(),
    *texts("path"),
    Column("size", Integer, nullable=False),
    Column("modified", UtcTime, nullable=False),
    Column("blob", Text, ForeignKey("blobs.digest"), nullable=False),
    PrimaryKeyConstraint("playground", "path"),
)

replaced_files = Table(
    "replaced_files",
    metadata,
    Column("id", Counted, primary_key=True),
    playground_column(),
    *texts("path"),
    Column("size", Integer, nullable=False),
    *required(UtcTime, "modified", "replaced_at"),
    Column("blob", Text, ForeignKey("blobs.digest"), nullable=False),
    Index(None, "playground", "replaced_at"),
)

tasks = listed_table(
    "tasks",
    *texts("name", "instruction"),
    Column("data", JSON, nullable=False),
    Column("timeout_s", Float),
)

criteria = owned_table(
    "criteria",
    Column("task", Text, ForeignKey("tasks.id"), nullable=False),
    Column("written", JSON, nullable=False),
    Index(None, "organisation", "task", "id"),
)

snapshots = Table(
    "snapshots",
    metadata,
    organisation_column(),
    *texts("digest"),
    Column("content", JSON, nullable=False),
    PrimaryKeyConstraint("organisation", "digest"),
)

benchmarks = listed_table(
    "benchmarks",
    *texts("slug", "name"),
    Column("latest", Integer),
    UniqueConstraint("organisation", "slug"),
)

versions = owned_table(
    "benchmark_versions",
    Column("benchmark", Text, ForeignKey("benchmarks.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("tasks", JSON, nullable=False),
    UniqueConstraint("benchmark", "version"),
)

benchmark_runs = listed_table(
    "benchmark_runs",
    Column("version", Text, ForeignKey("benchmark_versions.id"), nullable=False),
    *texts("benchmark", "status"),
    Column("scored", Boolean, nullable=False),
    *optional_texts("verdict"),
    Column("score", Float),
    Column("completed_at", UtcTime),
)

task_runs = listed_table(
    "task_runs",
    Column("benchmark_run", Text, ForeignKey("benchmark_runs.id")),
    *texts("task", "snapshot", "status", "phase"),
    playground_column(),
    Column("scored", Boolean, nullable=False),
    *optional_texts("verdict", "reason", "idempotency_key"),
    Column("score", Float),
    Column("axes", JSON),
    *optional(UtcTime, "started_at", "deadline_at", "completed_at", "claimed_until"),
    # The first completion that came in time. From then on, only the grading ends the run.
    Column("completion_requested_at", UtcTime),
    # Who grades it at the moment, and until when that is believed.
    *optional_texts("claim"),
    Index(None, "organisation", "benchmark_run", "id"),
    Index(None, "organisation", "status", "id"),
    Index(None, "organisation", "verdict", "id"),
    Index(None, "organisation", "task", "id"),
    Index(None, "status", "deadline_at"),
    UniqueConstraint("organisation", "idempotency_key"),
)

criterion_runs = listed_table(
    "criterion_runs",
    Column("task_run", Text, ForeignKey("task_runs.id"), nullable=False),
    Column("position", Integer, nullable=False),
    *optional_texts("criterion", "assertion", "axis"),
    *texts("label", "status", "details"),
    *required(Float, "weight", "score"),
    Column("passed", Boolean, nullable=False),
    Column("evidence", JSON, nullable=False),
    UniqueConstraint("task_run", "position"),
)

work = listed_table(
    "work",
    *texts("kind", "target", "state"),
    *required(Integer, "priority", "tries"),
    # Organisations take turns: each of their submissions is one turn later than the one before.
    Column("turn", Counted, nullable=False),
    # Since when it waits for a source that is down, and how often that was seen. This doesn't count as a try.
    Column("source_down_since", UtcTime),
    Column("source_waits", Integer, nullable=False, server_default="0"),
    Column("not_before", UtcTime, nullable=False),
    *optional_texts("claim", "reason"),
    *optional(UtcTime, "claimed_until", "finished_at"),
    Index(None, "state", "priority", "turn", "id"),
    Index(None, "organisation", "state", "turn"),
    Index(None, "state", "claimed_until"),
    Index(None, "kind", "target"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Counted, primary_key=True),
    organisation_column(),
    *optional_texts("key", "target", "request"),
    *texts("action"),
    Column("at", UtcTime, nullable=False),
    Index(None, "organisation", "id"),
)
