"""Bring a database to the tables that this version of Assay knows."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, text

from assay.adapters.store.database import WRITING
from assay.core.errors import MeasurementError

MIGRATIONS = Path(__file__).with_name("migrations")
# Any number will do, as long as all who migrate take the same one.
_LOCK = 1_635_021_177


def upgrade(engine: Engine) -> None:
    """Run the migrations that the database lacks, all or none. Others that try at the same time wait."""
    with engine.connect() as connection:
        if _current(connection) == _newest():
            return
    with engine.execution_options(**WRITING).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        config = _config()
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise MeasurementError("the store was made by a newer Assay than this one") from error


def _config() -> Config:
    config = Config()
    # The option goes through an interpolation in which a percent sign means something.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _newest() -> str | None:
    return ScriptDirectory.from_config(_config()).get_current_head()
