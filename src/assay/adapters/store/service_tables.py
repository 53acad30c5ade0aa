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

from assay.adapters.store.columns import Counted, UtcTime
from assay.adapters.store.schema import metadata


def _id() -> Column[str]:
    return Column("id", Text, primary_key=True)


def _organisation() -> Column[str]:
    return Column("organisation", Text, ForeignKey("organisations.id"), nullable=False)


def _created() -> "Column[object]":
    return Column("created_at", UtcTime, nullable=False)


organisations = Table("organisations", metadata, _id(), Column("name", Text, nullable=False), _created())

keys = Table(
    "keys",
    metadata,
    _id(),
    _organisation(),
    Column("name", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("benchmark_run", Text),
    _created(),
    Column("expires_at", UtcTime),
    Column("revoked_at", UtcTime),
    UniqueConstraint("digest"),
    Index(None, "organisation", "id"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", Text, primary_key=True),
    _organisation(),
    Column("key", Text, ForeignKey("keys.id"), nullable=False),
    _created(),
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

tasks = Table(
    "tasks",
    metadata,
    _id(),
    _organisation(),
    Column("name", Text, nullable=False),
    Column("instruction", Text, nullable=False),
    Column("data", JSON, nullable=False),
    Column("timeout_s", Float),
    _created(),
    Index(None, "organisation", "id"),
)

criteria = Table(
    "criteria",
    metadata,
    _id(),
    _organisation(),
    Column("task", Text, ForeignKey("tasks.id"), nullable=False),
    Column("written", JSON, nullable=False),
    _created(),
    Index(None, "organisation", "task", "id"),
)

snapshots = Table(
    "snapshots",
    metadata,
    _organisation(),
    Column("digest", Text, nullable=False),
    Column("content", JSON, nullable=False),
    PrimaryKeyConstraint("organisation", "digest"),
)

benchmarks = Table(
    "benchmarks",
    metadata,
    _id(),
    _organisation(),
    Column("slug", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("latest", Integer),
    _created(),
    UniqueConstraint("organisation", "slug"),
    Index(None, "organisation", "id"),
)

versions = Table(
    "benchmark_versions",
    metadata,
    _id(),
    _organisation(),
    Column("benchmark", Text, ForeignKey("benchmarks.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("tasks", JSON, nullable=False),
    _created(),
    UniqueConstraint("benchmark", "version"),
)

benchmark_runs = Table(
    "benchmark_runs",
    metadata,
    _id(),
    _organisation(),
    Column("version", Text, ForeignKey("benchmark_versions.id"), nullable=False),
    Column("benchmark", Text, nullable=False),
    Column("scored", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("verdict", Text),
    Column("score", Float),
    _created(),
    Column("completed_at", UtcTime),
    Index(None, "organisation", "id"),
)

task_runs = Table(
    "task_runs",
    metadata,
    _id(),
    _organisation(),
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
    _created(),
    Column("started_at", UtcTime),
    Column("deadline_at", UtcTime),
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
    _id(),
    _organisation(),
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
    _created(),
    UniqueConstraint("task_run", "position"),
    Index(None, "organisation", "id"),
)

work = Table(
    "work",
    metadata,
    _id(),
    _organisation(),
    Column("kind", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    # Organisations take turns: each of their submissions is one turn later than the one before.
    Column("turn", Counted, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("not_before", UtcTime, nullable=False),
    Column("claim", Text),
    Column("claimed_until", UtcTime),
    Column("reason", Text),
    _created(),
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
    _organisation(),
    Column("key", Text),
    Column("action", Text, nullable=False),
    Column("target", Text),
    Column("at", UtcTime, nullable=False),
    Column("request", Text),
    Index(None, "organisation", "id"),
)

# Trials of jobs that were imported. Rewards are text: numbers of a database have neither NaN nor large ints.
runs = Table(
    "runs",
    metadata,
    _id(),
    _organisation(),
    Column("job", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("model", Text),
    Column("dataset", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("rewards", Text),
    Column("score", Float),
    Column("reason_code", Text),
    Column("exception_type", Text),
    Column("cost_usd", Float),
    Column("started_at", Text),
    Column("finished_at", Text),
    Column("digest", Text, nullable=False),
    _created(),
    UniqueConstraint("organisation", "job", "name"),
    Index(None, "organisation", "id"),
    Index(None, "organisation", "task", "id"),
    Index(None, "organisation", "agent", "id"),
    Index(None, "organisation", "model", "id"),
    Index(None, "organisation", "status", "id"),
    Index(None, "organisation", "reason_code", "id"),
)

gradings = Table(
    "gradings",
    metadata,
    _id(),
    _organisation(),
    Column("run", Text, ForeignKey("runs.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("record", JSON, nullable=False),
    _created(),
    UniqueConstraint("run", "number"),
)

annotations = Table(
    "annotations",
    metadata,
    _id(),
    _organisation(),
    Column("run", Text, ForeignKey("runs.id"), nullable=False),
    Column("record", JSON, nullable=False),
    _created(),
    Index(None, "organisation", "run", "id"),
)
