"""Bring a database to the tables that this version of Assay knows."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Engine, inspect, text

from assay.adapters.store.database import WRITE, transaction
from assay.adapters.store.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).with_name("migrations")
# The last of the migrations. A database that has it needs none, and whoever opens it does without Alembic.
NEWEST: Final = "0001"
# Any number will do, as long as all who migrate take the same one.
_LOCK = 1_635_021_177


def upgrade(engine: Engine) -> None:
    """Run the migrations that the database lacks, all or none. Others that try at the same time wait."""
    with engine.connect() as connection:
        if revision(connection) == NEWEST:
            return
    from alembic import command  # noqa: PLC0415 - slow to import
    from alembic.util import CommandError  # noqa: PLC0415

    with transaction(engine, WRITE) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        config = alembic_config()
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StoreError("the store was created by a newer version of Assay") from error


def alembic_config() -> "Config":
    """Where Alembic finds the migrations."""
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    # The option goes through an interpolation in which a percent sign means something.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def revision(connection: Connection) -> str | None:
    """The migration that a database is at. Alembic keeps that in a table of its own."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = list(connection.scalars(text("SELECT version_num FROM alembic_version")))
    return str(found[0]) if len(found) == 1 else None
