"""What an explorer needs of runs: gates, verdicts, times, axes, files, text to search, and totals."""

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.columns import UtcTime

revision = "0004"
down_revision = "0003"

_LISTED = (
    *("kind", "name", "dataset", "verdict", "checks", "judge", "run_status", "validity", "score", "duration_sec"),
    *("cost_usd", "tokens", "began_at", "reviewers", "job"),
)
_SPARSE = ("failure_mode", "run_metrics_passed")
_FLAGS = ("measurement_broken", "gates_disagree", "reviewer_disagrees")


def upgrade() -> None:
    for column in _columns():
        op.add_column("runs", column)
    _fill()
    if op.get_bind().dialect.name == "postgresql":
        # Names are found by how they begin, which needs an order by code points, as SQLite has it.
        op.execute('ALTER TABLE runs ALTER COLUMN name TYPE text COLLATE "C"')
    for name in _LISTED:
        op.create_index(f"ix_runs_organisation_{name}_id", "runs", ["organisation", name, "id"])
    for name in _SPARSE:
        _create_rare_index(name, f"{name} IS NOT NULL", f"{name} IS NOT NULL")
    for name in _FLAGS:
        _create_rare_index(name, f"{name} = 1", f"{name} = true")
    op.create_index(
        "ix_runs_uncounted",
        "runs",
        ["organisation", "id"],
        # SQLite uses such an index only for the very same words.
        sqlite_where=sa.text("counted = 0"),
        postgresql_where=sa.text("counted = false"),
    )
    _values()
    _files()
    _texts()


def _create_rare_index(name: str, sqlite: str, postgresql: str) -> None:
    """Few runs have a value there, or the flag."""
    op.create_index(
        f"ix_runs_organisation_{name}_id",
        "runs",
        ["organisation", name, "id"],
        sqlite_where=sa.text(sqlite),
        postgresql_where=sa.text(postgresql),
    )


def _columns() -> list[sa.Column[object]]:
    return [
        sa.Column("kind", sa.Text, nullable=False, server_default="trial"),
        sa.Column("shown_digest", sa.Text),
        sa.Column("verdict", sa.Text),
        sa.Column("checks", sa.Text),
        sa.Column("judge", sa.Text),
        sa.Column("run_status", sa.Text),
        sa.Column("run_metrics_passed", sa.Boolean),
        sa.Column("validity", sa.Text),
        sa.Column("failure_mode", sa.Text),
        sa.Column("began_at", UtcTime),
        sa.Column("duration_sec", sa.Float),
        sa.Column("tokens", sa.BigInteger),
        sa.Column("metadata", sa.JSON),
        sa.Column("axes", sa.JSON),
        sa.Column("measurement_broken", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("gates_disagree", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("reviewers", sa.Integer, nullable=False, server_default="0"),
        sa.Column("reviewer_disagrees", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("counted", sa.Boolean, nullable=False, server_default=sa.false()),
    ]


def _fill() -> None:
    """What follows from the columns that there were."""
    op.execute(
        "UPDATE runs SET verdict = CASE WHEN score >= 1 THEN 'pass' ELSE 'fail' END WHERE score IS NOT NULL"
    )
    op.execute("UPDATE runs SET began_at = created_at")
    op.execute(
        "UPDATE runs SET reviewers = (SELECT count(*) FROM annotations WHERE annotations.run = runs.id)"
        " WHERE id IN (SELECT run FROM annotations)"
    )


def _values() -> None:
    op.create_table(
        "run_axes",
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("axis", sa.Text, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_run_axes_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_run_axes_run"),
        sa.PrimaryKeyConstraint("run", "axis", name="pk_run_axes"),
    )
    op.create_index(
        "ix_run_axes_organisation_axis_score_run", "run_axes", ["organisation", "axis", "score", "run"]
    )
    op.create_table(
        "run_metadata",
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_run_metadata_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_run_metadata_run"),
        sa.PrimaryKeyConstraint("run", "key", name="pk_run_metadata"),
    )
    op.create_index(
        "ix_run_metadata_organisation_key_value_run", "run_metadata", ["organisation", "key", "value", "run"]
    )
    op.create_table(
        "run_totals",
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("field", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("runs", sa.BigInteger, nullable=False),
        sa.Column("scored", sa.BigInteger, nullable=False),
        sa.Column("judged", sa.BigInteger, nullable=False),
        sa.Column("passed", sa.BigInteger, nullable=False),
        sa.Column("total", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_run_totals_organisation"),
        sa.PrimaryKeyConstraint("organisation", "field", "kind", "value", name="pk_run_totals"),
    )


def _files() -> None:
    op.create_table(
        "blob_index",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("parts", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_blob_index"),
    )
    op.create_table(
        "blob_parts",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", "number", name="pk_blob_parts"),
    )
    op.create_table(
        "run_files",
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("blob", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_run_files_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_run_files_run"),
        sa.ForeignKeyConstraint(["blob"], ["blob_index.digest"], name="fk_run_files_blob"),
        sa.PrimaryKeyConstraint("run", "name", name="pk_run_files"),
    )


def _texts() -> None:
    """The text itself, and what each database searches it with."""
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "run_texts",
        sa.Column("number", number, nullable=False),
        sa.Column("organisation", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["organisation"], ["organisations.id"], name="fk_run_texts_organisation"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_run_texts_run"),
        sa.PrimaryKeyConstraint("number", name="pk_run_texts"),
        sa.UniqueConstraint("run", name="uq_run_texts_run"),
    )
    if op.get_bind().dialect.name == "sqlite":
        for statement in _FTS:
            op.execute(statement)
    else:
        for statement in _GIN:
            op.execute(statement)


_GIN = (
    "ALTER TABLE run_texts ADD COLUMN search_words tsvector"
    " GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, text)) STORED",
    "CREATE INDEX search_run_texts ON run_texts USING gin (search_words)",
)
_FTS = (
    "CREATE VIRTUAL TABLE run_search USING fts5(organisation, text, content='run_texts', content_rowid='number')",
    "CREATE TRIGGER run_texts_added AFTER INSERT ON run_texts BEGIN"
    " INSERT INTO run_search(rowid, organisation, text) VALUES (new.number, new.organisation, new.text); END",
    "CREATE TRIGGER run_texts_removed AFTER DELETE ON run_texts BEGIN INSERT INTO run_search(run_search, rowid,"
    " organisation, text) VALUES ('delete', old.number, old.organisation, old.text); END",
)
