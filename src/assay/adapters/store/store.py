"""Playgrounds and their records in a database."""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Engine, Executable, bindparam, delete, select
from sqlalchemy.engine import Row

from assay.adapters.machine.tracing import span
from assay.adapters.store import service_tables, tables, writing
from assay.adapters.store.database import READ, WRITE, connect, reaching, transaction
from assay.adapters.store.errors import StoreRefusalError
from assay.adapters.store.migrate import upgrade
from assay.adapters.store.records import EVER, Records
from assay.engine.criteria.stored_limits import is_text
from assay.engine.criteria.watched_sources import NewEvent, Playground, Record

HL7_OUTBOUND = "hl7_outbound"
_PLAYGROUND: Final = select(tables.playgrounds).where(tables.playgrounds.c.id == bindparam("wanted"))
PROBE: Final = "probe"
PROBE_BYTES: Final = 64 * 1024
# Enough to tell which index is the better one, in a few milliseconds a table.
ROWS_LOOKED_AT: Final = 1000


class Store(Records):
    """May be used from several threads. To be closed, or used in a ``with``.

    Everything that is recorded with one call is there afterwards, or nothing of it. A database that can't be
    reached raises ``MeasurementError``.
    """

    def __init__(self, engine: Engine, name: str, light: Engine | None = None) -> None:
        """``name`` is how messages call it: a path, or a URL without its password.

        ``light`` writes without waiting for the disk, where that can be chosen.
        """
        self._engine = engine
        self._light = light or engine
        # There, several questions are asked without a transaction, too: records are those of a moment anyway.
        self._reader = engine.execution_options(isolation_level="AUTOCOMMIT") if self.is_postgres else engine
        self.name = name
        super().__init__(self.rows)
        # Threads that take turns here wait shorter than those that try SQLite's lock again and again.
        one_writer = engine.dialect.name == "sqlite"
        self._turn: AbstractContextManager[object] = threading.Lock() if one_writer else nullcontext()
        try:
            with reaching(name):
                connect(engine).close()
                upgrade(engine)
        except BaseException:
            engine.dispose()
            raise

    @property
    def url(self) -> str:
        """Where the database is, with its password."""
        return self._engine.url.render_as_string(hide_password=False)

    @property
    def is_postgres(self) -> bool:
        return self._engine.dialect.name == "postgresql"

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._engine.dispose()
        self._light.dispose()

    def add_playground(self, playground: Playground) -> None:
        """Raises ``StoreRefusalError`` if one with that id exists."""
        with self.writing() as connection:
            writing.add_playground(connection, playground)

    def record(self, playground: str, records: Iterable[Record], new: Playground | None = None) -> int:
        """Record everything and return the number of records. ``new`` is the playground to add first, if any."""
        with self.writing() as connection:
            if new is not None:
                writing.add_playground(connection, new)
            elif not is_text(playground) or not writing.has_playground(connection, playground):
                raise StoreRefusalError(f"there is no playground {playground!r} in {self.name}")
            return writing.add_all(connection, playground, records)

    def replace(self, new: Playground, records: Iterable[Record]) -> int:
        """Make a playground again, without the records it had, and return the number of records."""
        with self.writing() as connection:
            writing.remove_playground(connection, new.id)
            writing.add_playground(connection, new)
            return writing.add_all(connection, new.id, records)

    def playground(self, identity: str) -> Playground:
        """Raises ``StoreRefusalError`` if there is none with that id."""
        rows = self.rows(_PLAYGROUND, {"wanted": identity}) if is_text(identity) else ()
        if not rows:
            raise StoreRefusalError(f"there is no playground {identity!r} in {self.name}")
        row = rows[0]
        return Playground(row.id, row.run_start, row.fhir_base, row.file_source, row.data)

    def has_playground(self, identity: str) -> bool:
        if not is_text(identity):
            return False
        with reaching(self.name), connect(self._engine) as connection:
            return writing.has_playground(connection, identity)

    def check_writable(self) -> None:
        """Write something and take it back: of a full disk, one can still read. Raises ``MeasurementError``."""
        table = service_tables.blobs
        with self.writing(durable=False) as connection:
            content: dict[str, object] = {"content": os.urandom(PROBE_BYTES)}
            writing.put(connection, table, {"digest": PROBE, **content}, content)
        with self.writing(durable=False) as connection:
            connection.execute(delete(table).where(table.c.digest == PROBE))

    @contextmanager
    def reading(self, until: datetime = EVER) -> Iterator[Records]:
        """The records of all playgrounds as of a moment, over one connection."""
        with self._trace("read"), transaction(self._reader, READ) as connection:
            yield Records(lambda statement, values: connection.execute(statement, values).all(), until=until)

    def rows(
        self, statement: "Executable", values: Mapping[str, object] | None = None
    ) -> Sequence["Row[*tuple[Any, ...]]"]:
        """The rows that a query finds."""
        with self._trace("read"), connect(self._reader) as connection:
            return connection.execute(statement, values).all()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection that sees the store as it is at one moment."""
        options = {"isolation_level": "REPEATABLE READ"} if self.is_postgres else {}
        engine = self._engine.execution_options(**options)
        with reaching(self.name), transaction(engine, READ) as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """One transaction. On SQLite it waits for its turn before it looks at anything.

        One that isn't ``durable`` may be lost with the power: for what nobody was told.
        """
        engine = self._engine if durable else self._light
        with self._trace("write"), self._turn, transaction(engine, WRITE) as connection:
            yield connection

    def gather_statistics(self) -> None:
        """Tell SQLite how many rows there are, by which it chooses an index. PostgreSQL finds out by itself."""
        if not self.is_postgres:
            with self.writing(durable=False) as connection:
                connection.exec_driver_sql(f"PRAGMA analysis_limit = {ROWS_LOOKED_AT}")
                connection.exec_driver_sql("ANALYZE")

    def write(self, statement: "Executable", values: Mapping[str, object]) -> Sequence["Row[*tuple[Any, ...]]"]:
        """One statement that is a transaction by itself, and isn't durable; what it returns."""
        engine = self._reader if self.is_postgres else self._light
        with self._trace("write"), self._turn, connect(engine) as connection:
            return connection.execute(statement, values).all()

    @contextmanager
    def _trace(self, what: str) -> Iterator[None]:
        """Errors of the database as our own, and a span in which neither statements nor values are."""
        with reaching(self.name), span(f"store {what}", db__system__name=self._engine.dialect.name):
            yield


class EventRecorder:
    """Fulfils the recorder of the MLLP listener."""

    def __init__(self, store: Store, playground: str, event_type: str = HL7_OUTBOUND) -> None:
        self._store = store
        self._playground = playground
        self._event_type = event_type

    def record(self, message: bytes, received_at: datetime, peer: str) -> None:  # noqa: ARG002
        """Keep a message. Criteria don't look at its sender."""
        self._store.record(self._playground, [NewEvent(self._event_type, message, received_at)])
