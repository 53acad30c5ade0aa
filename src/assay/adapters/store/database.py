"""Connections to a store's database, set up so that both kinds behave alike."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, InvalidatePoolError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from assay.adapters.store.errors import StoreError

PATIENCE_SEC: Final = 5.0
FIRST_PAUSE_SEC: Final = 0.1
READ: Final = "BEGIN"
# A writer takes its turn at once: a reader that becomes one in between may be refused.
WRITE: Final = "BEGIN IMMEDIATE"
BUSY_SEC: Final = 30
CONNECT_SEC: Final = 5
POOL: Final = 40
TEXTS: Final = {"client_encoding": "utf8"}
# No database is started again in less.
IDLE_SEC: Final = 0.1
_USED: Final = "assay_used"
_ENCODER: Final = json.JSONEncoder(allow_nan=False)
# Another process may write at the same time.
_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {BUSY_SEC * 1000}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA foreign_keys = ON",
)
# What was recorded must survive a loss of power.
_DURABLE: Final = "PRAGMA synchronous = FULL"
# What was written last may be lost with the power, but the file stays whole.
_LIGHT: Final = "PRAGMA synchronous = NORMAL"


def engine_for(url: URL, *, durable: bool = True) -> Engine:
    """An engine for a URL of SQLite or PostgreSQL. It connects only when it is used."""
    postgres = url.get_backend_name() == "postgresql"
    engine = create_engine(
        url,
        # Values are clinical: the text of an error must not quote them.
        hide_parameters=True,
        pool_size=POOL,
        skip_autocommit_rollback=postgres,
        json_serializer=_json,
        connect_args=_postgres_settings(url) if postgres else {},
    )
    if postgres:
        event.listen(engine, "checkin", _note_use)
        event.listen(engine, "checkout", partial(_check_idle, engine.dialect))
    else:
        event.listen(engine, "connect", partial(_prepare, pragmas=(*_PRAGMAS, _DURABLE if durable else _LIGHT)))
    return engine


def _note_use(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info[_USED] = time.monotonic()


def _check_idle(dialect: Dialect, connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
    """One that was used a moment ago needs no question whether it is still there."""
    used = record.info.get(_USED)
    if used is None or time.monotonic() - used < IDLE_SEC:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        raise InvalidatePoolError from error


def _json(value: Any) -> str:
    return _ENCODER.encode(value)


def _postgres_settings(url: URL) -> dict[str, object]:
    # A database that knows no encoding would send bytes, not texts.
    settings: dict[str, object] = {"connect_timeout": CONNECT_SEC, "options": "-c timezone=utc", **TEXTS}
    return {name: value for name, value in settings.items() if name not in url.query}


def _prepare(connection: sqlite3.Connection, _record: object, pragmas: Iterable[str]) -> None:
    """Python's driver begins no transaction before a change of tables; so all are begun by ``transaction``."""
    connection.isolation_level = None
    for pragma in pragmas:
        connection.execute(pragma)


@contextmanager
def reaching(name: str) -> Iterator[None]:
    """Any error of the database means that nothing is known about the agent."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(f"the store {name} can't be used: {_reason(error)}") from error


def connect(engine: Engine, patience: float = PATIENCE_SEC) -> Connection:
    """A connection. A database that is down is tried again for a while."""
    end = time.monotonic() + patience
    pause = FIRST_PAUSE_SEC
    while True:
        try:
            return engine.connect()
        except OperationalError:
            if time.monotonic() + pause > end:
                raise
        time.sleep(pause)
        pause *= 2


@contextmanager
def transaction(engine: Engine, begin: str) -> Iterator[Connection]:
    """A transaction. SQLite is told how it begins; without one, each statement is a transaction."""
    with connect(engine) as connection, connection.begin():
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql(begin)
        yield connection


def _reason(error: SQLAlchemyError) -> str:
    """Only errors of operation, such as a refused connection, tell what they are; others may quote data."""
    if isinstance(error, OperationalError) and str(error.orig).strip():
        return str(error.orig).strip().splitlines()[0]
    return type(error.orig if isinstance(error, DBAPIError) else error).__name__
