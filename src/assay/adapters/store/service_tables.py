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

from assay.adapters.store.columns import Counted, UtcTime, created_column, id_column, organisation_column
from assay.adapters.store.schema import metadata

organisations = Table(
    "organisations", metadata, id_column(), Column("name", Text, nullable=False), created_column()
)

keys = Table(
    "keys",
    metadata,
    id_column(),
    organisation_column(),
    Column("name", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("benchmark_run", Text),
    created_column(),
    Column("expires_at", UtcTime),
    Column("revoked_at", UtcTime),
    UniqueConstraint("digest"),
    Index(None, "organisation", "id"),
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
    Column("sandbox", Text, ForeignKey("sandboxes.id"), key="playground", nullable=False),
    Column("kind", Text, nullable=False),
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
    Column("sandbox", Text, ForeignKey("sandboxes.id"), key="playground", nullable=False),
    Column("path", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("modified", UtcTime, nullable=False),
    Column("blob", Text, ForeignKey("blobs.digest"), nullable=False),
    PrimaryKeyConstraint("playground", "path"),
)

replaced_files = Table(
    "replaced_files",
    metadata,
    Column("id", Counted, primary_key=True),
    Column("sandbox", Text, ForeignKey("sandboxes.id"), key="playground", nullable=False),
    Column("path", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("modified", UtcTime, nullable=False),
    Column("blob", Text, ForeignKey("blobs.digest"), nullable=False),
    Column("replaced_at", UtcTime, nullable=False),
    Index(None, "playground", "replaced_at"),
)

tasks = Table(
    "tasks",
    metadata,
    id_column(),
    organisation_column(),
    Column("name", Text, nullable=False),
    Column("instruction", Text, nullable=False),
    Column("data", JSON, nullable=False),
    Column("timeout_s", Float),
    created_column(),
    Index(None, "organisation", "id"),
)

criteria = Table(
    "criteria",
    metadata,
    id_column(),
    organisation_column(),
    Column("task", Text, ForeignKey("tasks.id"), nullable=False),
    Column("written", JSON, nullable=False),
    created_column(),
    Index(None, "organisation", "task", "id"),
)

snapshots = Table(
    "snapshots",
    metadata,
    organisation_column(),
    Column("digest", Text, nullable=False),
    Column("content", JSON, nullable=False),
    PrimaryKeyConstraint("organisation", "digest"),
)

benchmarks = Table(
    "benchmarks",
    metadata,
    id_column(),
    organisation_column(),
    Column("slug", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("latest", Integer),
    created_column(),
    UniqueConstraint("organisation", "slug"),
    Index(None, "organisation", "id"),
)

versions = Table(
    "benchmark_versions",
    metadata,
    id_column(),
    organisation_column(),
    Column("benchmark", Text, ForeignKey("benchmarks.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("tasks", JSON, nullable=False),
    created_column(),
    UniqueConstraint("benchmark", "version"),
)

benchmark_runs = Table(
    "benchmark_runs",
    metadata,
    id_column(),
    organisation_column(),
    Column("version", Text, ForeignKey("benchmark_versions.id"), nullable=False),
    Column("benchmark", Text, nullable=False),
    Column("scored", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("verdict", Text),
    Column("score", Float),
    created_column(),
    Column("completed_at", UtcTime),
    Index(None, "organisation", "id"),
)

task_runs = Table(
    "task_runs",
    metadata,
    id_column(),
    organisation_column(),
    Column("benchmark_run", Text, ForeignKey("benchmark_runs.id")),
    Column("task", Text, nullable=False),
    Column("snapshot", Text, nullable=False),
    Column("sandbox", Text, ForeignKey("sandboxes.id"), key="playground", nullable=False),
    Column("scored", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("phase", Text, nullable=False),
    Column("verdict", Text),
    Column("score", Float),
    Column("axes", JSON),
    Column("reason", Text),
    created_column(),
    Column("started_at", UtcTime),
    Column("deadline_at", UtcTime),
    # The first completion that came in time. From then on, only the grading ends the run.
    Column("completion_requested_at", UtcTime),
    Column("completed_at", UtcTime),
    # Who grades it at the moment, and until when that is believed.
    Column("claim", Text),
    Column("claimed_until", UtcTime),
    Column("idempotency_key", Text),
    Index(None, "organisation", "id"),
    Index(None, "organisation", "benchmark_run", "id"),
    Index(None, "organisation", "status", "id"),
    Index(None, "organisation", "verdict", "id"),
    Index(None, "organisation", "task", "id"),
    Index(None, "status", "deadline_at"),
    UniqueConstraint("organisation", "idempotency_key"),
)

criterion_runs = Table(
    "criterion_runs",
    metadata,
    id_column(),
    organisation_column(),
    Column("task_run", Text, ForeignKey("task_runs.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("criterion", Text),
    Column("label", Text, nullable=False),
    Column("assert", Text, key="assertion"),
    Column("axis", Text),
    Column("weight", Float, nullable=False),
    Column("score", Float, nullable=False),
    Column("passed", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("details", Text, nullable=False),
    Column("evidence", JSON, nullable=False),
    created_column(),
    UniqueConstraint("task_run", "position"),
    Index(None, "organisation", "id"),
)

work = Table(
    "work",
    metadata,
    id_column(),
    organisation_column(),
    Column("kind", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    # Organisations take turns: each of their submissions is one turn later than the one before.
    Column("turn", Counted, nullable=False),
    Column("tries", Integer, nullable=False),
    # Since when it waits for a source that is down, and how often that was seen. This doesn't count as a try.
    Column("source_down_since", UtcTime),
    Column("source_waits", Integer, nullable=False, server_default="0"),
    Column("not_before", UtcTime, nullable=False),
    Column("claim", Text),
    Column("claimed_until", UtcTime),
    Column("reason", Text),
    created_column(),
    Column("finished_at", UtcTime),
    Index(None, "organisation", "id"),
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
    Column("key", Text),
    Column("action", Text, nullable=False),
    Column("target", Text),
    Column("at", UtcTime, nullable=False),
    Column("request", Text),
    Index(None, "organisation", "id"),
)
