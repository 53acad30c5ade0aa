"""The two errors of a store, and database failures as these. No text of them quotes a value.

It raises no others: what is kept by which rules is decided by the use cases.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from assay.core.errors import InputError, MeasurementError

PATIENCE_SEC: Final = 5.0
FIRST_PAUSE_SEC: Final = 0.1


class StoreError(MeasurementError):
    """The database can't be used, or was made by another version of Assay."""


class StoreRefusalError(InputError):
    """The store can't take what it was given: an address, a file, a key that is taken, a foreign cursor."""


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


def _reason(error: SQLAlchemyError) -> str:
    """Only errors of operation, such as a refused connection, tell what they are; others may quote data."""
    if isinstance(error, OperationalError) and str(error.orig).strip():
        return str(error.orig).strip().splitlines()[0]
    return type(error.orig if isinstance(error, DBAPIError) else error).__name__
