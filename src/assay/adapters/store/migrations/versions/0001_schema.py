"""All tables of the first release, what each database searches texts with, and the default organisation.

Until that release, this is the only migration: it makes the tables that the code has. From then on it stays as it
is, with the tables written out, and every change is a migration of its own.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from assay.adapters.store.service_tables import organisations
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
    metadata.create_all(connection, checkfirst=False)
    for statement in _FTS if connection.dialect.name == "sqlite" else _GIN:
        op.execute(statement)
    op.execute(sa.insert(organisations).values(id="default", name="default", created_at=datetime.now(UTC)))
