"""Put records into tables. A row of state replaces the one before it; everything else is only added.

What is removed is a whole sandbox.
"""

from datetime import UTC, datetime

from sqlalchemy import Connection, Table, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.store import limits, tables
from assay.adapters.store.sandbox import NewEvent, NewResponse, Record, Sandbox
from assay.core.errors import InputError
from assay.evidence.sandbox_state import StateRow, Turn


def add_sandbox(connection: Connection, sandbox: Sandbox) -> None:
    """A new sandbox. Raises ``InputError`` where there is one of that id."""
    values = {
        "id": limits.checked_name(sandbox.id, "the id of a sandbox"),
        "created_at": datetime.now(UTC),
        "run_start": limits.checked_time(sandbox.run_start, "the start of the run"),
        "fhir_base": _optional(sandbox.fhir_base, "the base URL of the FHIR server"),
        "file_source": _optional(sandbox.file_source, "the place of the files"),
        "data": limits.checked_data(sandbox.data, "the data of a sandbox"),
    }
    if not _added(connection, tables.sandboxes, values):
        raise InputError(f"there is a sandbox {sandbox.id!r} already")


def has_sandbox(connection: Connection, identity: str) -> bool:
    table = tables.sandboxes
    return connection.execute(select(table.c.id).where(table.c.id == identity)).first() is not None


def remove_sandbox(connection: Connection, identity: str) -> None:
    """A sandbox with all of its records, if it is there."""
    limits.checked_text(identity, "the id of a sandbox")
    for table in (tables.events, tables.state_rows, tables.turns, tables.x12_responses):
        connection.execute(delete(table).where(table.c.sandbox == identity))
    connection.execute(delete(tables.sandboxes).where(tables.sandboxes.c.id == identity))


def add(connection: Connection, sandbox: str, record: Record) -> None:
    """Add one record to a sandbox that is there."""
    if isinstance(record, NewEvent):
        _add_event(connection, sandbox, record)
    elif isinstance(record, NewResponse):
        _add_response(connection, sandbox, record)
    elif isinstance(record, StateRow):
        _put_row(connection, sandbox, record)
    else:
        _add_turn(connection, sandbox, record)


def _add_event(connection: Connection, sandbox: str, record: NewEvent) -> None:
    values = {
        "sandbox": sandbox,
        "type": limits.checked_name(record.type, "the type of an event"),
        "payload": limits.checked_payload(record.payload, "the payload of an event"),
        "at": limits.checked_time(record.at, "the time of an event"),
    }
    connection.execute(insert(tables.events).values(values))


def _add_response(connection: Connection, sandbox: str, record: NewResponse) -> None:
    values = {
        "sandbox": sandbox,
        "payload": limits.checked_payload(record.payload, "an X12 response"),
        "at": limits.checked_time(record.at, "the time of an X12 response"),
    }
    connection.execute(insert(tables.x12_responses).values(values))


def _put_row(connection: Connection, sandbox: str, record: StateRow) -> None:
    changed = {
        "data": limits.checked_data(record.data, "the data of a row"),
        "at": limits.checked_time(record.at, "the time of a row"),
    }
    values = {
        "sandbox": sandbox,
        "resource": limits.checked_name(record.resource, "the resource of a row"),
        "key": limits.checked_name(record.key, "the key of a row", limits.KEY_BYTES),
        **changed,
    }
    statement = _insert(connection, tables.state_rows).values(values)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["sandbox", "resource", "key"], set_=changed)
    )


def _add_turn(connection: Connection, sandbox: str, record: Turn) -> None:
    values = {
        "sandbox": sandbox,
        "number": limits.checked_turn(record.number),
        "speaker": limits.checked_name(record.speaker, f"the speaker of turn {record.number}"),
        "text": limits.checked_text(record.text, f"the text of turn {record.number}"),
        "at": limits.checked_time(record.at, f"the time of turn {record.number}"),
    }
    if not _added(connection, tables.turns, values):
        raise InputError(f"there is a turn {record.number} already")


def _optional(value: str | None, what: str) -> str | None:
    return None if value is None else limits.checked_text(value, what)


def _added(connection: Connection, table: Table, values: dict[str, object]) -> bool:
    """Whether a row was added; not so where one with its key is there."""
    statement = _insert(connection, table).values(values).on_conflict_do_nothing()
    return connection.execute(statement.returning(*table.primary_key.columns)).first() is not None


def _insert(connection: Connection, table: Table) -> "sqlite.Insert | postgresql.Insert":
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
