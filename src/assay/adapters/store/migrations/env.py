"""What Alembic runs migrations with: the connection that ``upgrade`` hands over, within its transaction."""

from alembic import context

from assay.adapters.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
