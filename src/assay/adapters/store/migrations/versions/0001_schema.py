"""All tables of the first release, what each database searches texts with, and the default organisation.

Until that release, this is the only migration: it makes the tables that the code has. From then on it stays as it
is, with the tables written out, and every change is a migration of its own.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.migrate import MIGRATIONS
from assay.adapters.store.service_tables import organisations, work
from assay.adapters.store.tables import metadata

revision = "0001"
down_revision = None

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


def upgrade() -> None:
    connection = op.get_bind()
    postgres = connection.dialect.name == "postgresql"
    tables = [table for table in metadata.sorted_tables if not postgres or table is not work]
    metadata.create_all(connection, tables, checkfirst=False)
    for statement in _GIN if postgres else _FTS:
        op.execute(statement)
    if postgres:
        _make_queue(connection)
    op.execute(sa.insert(organisations).values(id="default", name="default", created_at=datetime.now(UTC)))


def _make_queue(connection: sa.Connection) -> None:
    """Procrastinate's own tables, and work as a view of them."""
    from procrastinate.schema import SchemaManager  # noqa: PLC0415 - of the extra for PostgreSQL

    driver: Any = connection.connection.driver_connection
    for script in (SchemaManager.get_schema(), (MIGRATIONS / "work.sql").read_text(encoding="utf-8")):
        driver.execute(script)
