"""Alembic's environment for migrations: the connection that ``upgrade`` hands over, in its transaction."""

from alembic import context

from assay.adapters.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
