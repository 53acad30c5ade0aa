"""The tables of the explorer: runs of every kind, what was said about them, and the files that they left.

``runs`` has a row for each trial of an imported job, each coding run and each ended task run. The row of a task
run has the task run's id as its name, and that of the benchmark run as its job. Ids grow with time whatever the
kind, so the newest come first by going through an index backwards.
"""

from typing import Final

import sqlalchemy as sa

from assay.adapters.store.columns import (
    UtcTime,
    list_index,
    listed_table,
    optional,
    organisation_column,
    owned_table,
    reference,
    required,
    table,
)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _run() -> sa.Column[str]:
    return sa.Column("run", sa.Text, sa.ForeignKey("runs.id"), nullable=False)


def _rare_index(column: str, where: str) -> sa.Index:
    """The same for what few runs have: the others need no entry. SQLite looks for the very same words."""
    return sa.Index(
        None,
        "organisation",
        column,
        "id",
        sqlite_where=sa.text(where.format(true="1")),
        postgresql_where=sa.text(where.format(true="true")),
    )


FLAGS: Final = ("gates_disagree", "reviewer_disagrees")

# Rewards are text: numbers of a database have neither NaN nor large ints.
runs = listed_table(
    "runs",
    sa.Column("kind", sa.Text, nullable=False, server_default="trial"),
    *required(sa.Text, "job", "name", "task", "agent", "dataset", "state"),
    *optional(sa.Text, "model", "rewards", "reason", "cause", "exception_type", "started_at", "finished_at"),
    *optional(sa.Text, "checks", "judge", "run_status", "validity", "failure_mode"),
    *optional(sa.Boolean, "run_metrics_passed"),
    *optional(sa.Float, "score", "cost_usd", "duration_sec", "suspicion"),
    # What the run is known by when it is imported again, and what else is shown of it.
    *required(sa.Text, "digest"),
    *optional(sa.Text, "shown_digest"),
    # When it began, or was added if it doesn't say; ``started_at`` is as the run wrote it.
    *optional(UtcTime, "began_at"),
    *optional(sa.BigInteger, "tokens"),
    sa.Column("metadata", sa.JSON(none_as_null=True)),
    sa.Column("axes", sa.JSON(none_as_null=True)),
    sa.Column("phases", sa.JSON(none_as_null=True)),
    _flag("gates_disagree"),
    sa.Column("reviewers", sa.Integer, nullable=False, server_default="0"),
    _flag("reviewer_disagrees"),
    # Whether ``run_totals`` has it already.
    _flag("counted"),
    sa.UniqueConstraint("organisation", "job", "name"),
    *map(list_index, ("kind", "name", "task", "agent", "model", "dataset", "state", "checks", "judge")),
    *map(list_index, ("run_status", "validity", "reason", "cause", "score", "duration_sec")),
    *map(list_index, ("cost_usd", "tokens", "began_at", "reviewers", "job")),
    *(_rare_index(name, f"{name} IS NOT NULL") for name in ("failure_mode", "run_metrics_passed", "suspicion")),
    *(_rare_index(name, f"{name} = {{true}}") for name in FLAGS),
)

# Which runs have an answer of checks or judge; task runs have neither.
HAS_GATES = sa.or_(runs.c.checks.is_not(None), runs.c.judge.is_not(None))
gates = sa.Index(
    "ix_runs_gates",
    runs.c.organisation,
    runs.c.checks,
    runs.c.judge,
    sqlite_where=HAS_GATES,
    postgresql_where=HAS_GATES,
)

# Almost all runs are counted, so the few others have an index of their own.
uncounted = sa.Index(
    "ix_runs_uncounted",
    runs.c.organisation,
    runs.c.id,
    sqlite_where=runs.c.counted == sa.false(),
    postgresql_where=runs.c.counted == sa.false(),
)

run_axes = table(
    "run_axes",
    organisation_column(),
    _run(),
    *required(sa.Text, "axis"),
    *required(sa.Float, "score"),
    sa.PrimaryKeyConstraint("run", "axis"),
    sa.Index(None, "organisation", "axis", "score", "run"),
)

run_metadata = table(
    "run_metadata",
    organisation_column(),
    _run(),
    *required(sa.Text, "key", "value"),
    sa.PrimaryKeyConstraint("run", "key"),
    sa.Index(None, "organisation", "key", "value", "run"),
)

# What is searched of a run's trajectory. SQLite has an FTS5 table over it, PostgreSQL a GIN index.
run_texts = table(
    "run_texts",
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    organisation_column(),
    _run(),
    *required(sa.Text, "text"),
    sa.UniqueConstraint("run"),
)

# Files are kept by the hash of their content, wherever that is. Each part of a file has a hash of its own, by
# which a part that is read alone is checked.
blob_index = table(
    "blob_index",
    sa.Column("digest", sa.Text, primary_key=True),
    *required(sa.BigInteger, "size"),
    *required(sa.JSON, "parts"),
)

blob_parts = table(
    "blob_parts",
    *required(sa.Text, "digest"),
    *required(sa.Integer, "number"),
    *required(sa.LargeBinary, "content"),
    sa.PrimaryKeyConstraint("digest", "number"),
)

run_files = table(
    "run_files",
    organisation_column(),
    _run(),
    *required(sa.Text, "name"),
    reference("blob", "blob_index.digest"),
    *required(sa.BigInteger, "size"),
    sa.PrimaryKeyConstraint("run", "name"),
)

# How many runs of each kind and state there are for each value of a field, kept up to date, because counting a
# million takes long. The sum of scores is exact, as text.
run_totals = table(
    "run_totals",
    organisation_column(),
    *required(sa.Text, "field", "kind", "value", "state", "total"),
    *required(sa.BigInteger, "runs"),
    sa.PrimaryKeyConstraint("organisation", "field", "kind", "value", "state"),
)

gradings = owned_table(
    "gradings",
    _run(),
    *required(sa.Integer, "number"),
    *required(sa.JSON, "record"),
    sa.UniqueConstraint("run", "number"),
)

annotations = owned_table(
    "annotations",
    _run(),
    *required(sa.JSON, "record"),
    list_index("run"),
)
