"""The tables of the explorer: runs of every kind, what was said about them, and the files that they left.

``runs`` has a row for each trial of an imported job, each coding run and each ended task run. The row of a task
run has the task run's id as its name, and that of the benchmark run as its job. Ids grow with time whatever the
kind, so the newest come first by going through an index backwards.
"""

from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
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
    false,
    text,
)

from assay.adapters.store.columns import (
    UtcTime,
    listed_table,
    metadata,
    optional,
    optional_texts,
    organisation_column,
    owned_table,
    texts,
)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False, server_default=false())


def _run() -> Column[str]:
    return Column("run", Text, ForeignKey("runs.id"), nullable=False)


def _list_index(column: str) -> Index:
    """For lists that are narrowed down to a value, or sorted by it."""
    return Index(None, "organisation", column, "id")


def _rare_index(column: str, where: str) -> Index:
    """The same for what few runs have: the others need no entry. SQLite looks for the very same words."""
    return Index(
        None,
        "organisation",
        column,
        "id",
        sqlite_where=text(where.format(true="1")),
        postgresql_where=text(where.format(true="true")),
    )


FLAGS: Final = ("gates_disagree", "reviewer_disagrees")

# Rewards are text: numbers of a database have neither NaN nor large ints.
runs = listed_table(
    "runs",
    Column("kind", Text, nullable=False, server_default="trial"),
    *texts("job", "name", "task", "agent", "dataset", "state"),
    *optional_texts("model", "rewards", "reason", "cause", "exception_type", "started_at", "finished_at"),
    *optional_texts("checks", "judge", "run_status", "validity", "failure_mode"),
    Column("run_metrics_passed", Boolean),
    *optional(Float, "score", "cost_usd", "duration_sec"),
    # What the run is known by when it is imported again, and what else is shown of it.
    *texts("digest"),
    *optional_texts("shown_digest"),
    # When it began, or was added if it doesn't say; ``started_at`` is as the run wrote it.
    Column("began_at", UtcTime),
    Column("tokens", BigInteger),
    Column("metadata", JSON(none_as_null=True)),
    Column("axes", JSON(none_as_null=True)),
    _flag("gates_disagree"),
    Column("reviewers", Integer, nullable=False, server_default="0"),
    _flag("reviewer_disagrees"),
    # Whether ``run_totals`` has it already.
    _flag("counted"),
    UniqueConstraint("organisation", "job", "name"),
    *map(_list_index, ("kind", "name", "task", "agent", "model", "dataset", "state", "checks", "judge")),
    *map(_list_index, ("run_status", "validity", "reason", "cause", "score", "duration_sec")),
    *map(_list_index, ("cost_usd", "tokens", "began_at", "reviewers", "job")),
    *(_rare_index(name, f"{name} IS NOT NULL") for name in ("failure_mode", "run_metrics_passed")),
    *(_rare_index(name, f"{name} = {{true}}") for name in FLAGS),
)

# Almost all runs are counted, so the few others have an index of their own.
uncounted = Index(
    "ix_runs_uncounted",
    runs.c.organisation,
    runs.c.id,
    sqlite_where=runs.c.counted == false(),
    postgresql_where=runs.c.counted == false(),
)

run_axes = Table(
    "run_axes",
    metadata,
    organisation_column(),
    _run(),
    *texts("axis"),
    Column("score", Float, nullable=False),
    PrimaryKeyConstraint("run", "axis"),
    Index(None, "organisation", "axis", "score", "run"),
)

run_metadata = Table(
    "run_metadata",
    metadata,
    organisation_column(),
    _run(),
    *texts("key", "value"),
    PrimaryKeyConstraint("run", "key"),
    Index(None, "organisation", "key", "value", "run"),
)

# What is searched of a run's trajectory. SQLite has an FTS5 table over it, PostgreSQL a GIN index.
run_texts = Table(
    "run_texts",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    organisation_column(),
    _run(),
    *texts("text"),
    UniqueConstraint("run"),
)

# Files are kept by the hash of their content, wherever that is. Each part of a file has a hash of its own, by
# which a part that is read alone is checked.
blob_index = Table(
    "blob_index",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("parts", JSON, nullable=False),
)

blob_parts = Table(
    "blob_parts",
    metadata,
    *texts("digest"),
    Column("number", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("digest", "number"),
)

run_files = Table(
    "run_files",
    metadata,
    organisation_column(),
    _run(),
    *texts("name"),
    Column("blob", Text, ForeignKey("blob_index.digest"), nullable=False),
    Column("size", BigInteger, nullable=False),
    PrimaryKeyConstraint("run", "name"),
)

# How many runs of each kind and state there are for each value of a field, kept up to date, because counting a
# million takes long. The sum of scores is exact, as text.
run_totals = Table(
    "run_totals",
    metadata,
    organisation_column(),
    *texts("field", "kind", "value", "state", "total"),
    Column("runs", BigInteger, nullable=False),
    PrimaryKeyConstraint("organisation", "field", "kind", "value", "state"),
)

gradings = owned_table(
    "gradings",
    _run(),
    Column("number", Integer, nullable=False),
    Column("record", JSON, nullable=False),
    UniqueConstraint("run", "number"),
)

annotations = owned_table(
    "annotations",
    _run(),
    Column("record", JSON, nullable=False),
    Index(None, "organisation", "run", "id"),
)
