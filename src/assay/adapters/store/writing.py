"""Put records into tables. A row of state replaces the one before it, which is kept apart; the rest is only added.

What is removed is a whole playground.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import Connection, Table, delete, insert, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.elements import ColumnElement

from assay.adapters.store import service_tables, tables
from assay.adapters.store.columns import DEFAULT_ORGANISATION, UtcTime
from assay.adapters.store.errors import StoreRefusalError
from assay.adapters.store.integration_tables import sent_records
from assay.adapters.store.record_kinds import RECORD_KINDS
from assay.engine.criteria import stored_limits
from assay.engine.criteria.watched_sources import NewEvent, NewResponse, Playground, Record, SentRecord
from assay.evidence.playground import StateRow, Turn


def add_playground(
    connection: Connection, playground: Playground, organisation: str = DEFAULT_ORGANISATION
) -> None:
    """A new playground. Raises ``StoreRefusalError`` where there is one of that id."""
    values = {
        "id": stored_limits.checked_name(playground.id, "the id of a playground"),
        "created_at": datetime.now(UTC),
        "run_start": stored_limits.checked_time(playground.run_start, "the start of the run"),
        "fhir_base": _optional(playground.fhir_base, "the base URL of the FHIR server"),
        "file_source": _optional(playground.file_source, "the place of the files"),
        "data": stored_limits.checked_data(playground.data, "the data of a playground"),
        "organisation": organisation,
    }
    if not insert_new(connection, tables.playgrounds, values):
        raise StoreRefusalError(f"the playground {playground.id!r} exists already")


def has_playground(connection: Connection, identity: str) -> bool:
    table = tables.playgrounds
    return connection.execute(select(table.c.id).where(table.c.id == identity)).first() is not None


def remove_playground(connection: Connection, identity: str) -> None:
    """A playground with all of its records, if it is there, and if no task run worked in it."""
    stored_limits.checked_text(identity, "the id of a playground")
    runs = service_tables.task_runs
    if connection.execute(select(runs.c.id).where(runs.c.playground == identity)).first() is not None:
        raise StoreRefusalError(
            f"the playground {identity!r} can't be replaced: task runs of the service worked in it"
        )
    records = (*RECORD_KINDS, tables.replaced_rows, sent_records)
    for table in (*records, service_tables.files, service_tables.replaced_files, service_tables.sources):
        connection.execute(delete(table).where(table.c.playground == identity))
    connection.execute(delete(tables.playgrounds).where(tables.playgrounds.c.id == identity))


def add_all(
    connection: Connection, playground: str, records: Iterable[Record], received: datetime | None = None
) -> int:
    """Add records to a playground that is there; returns how many. One that was sent before isn't added again."""
    return sum(add(connection, playground, record, received) for record in records)


def add(connection: Connection, playground: str, record: Record, received: datetime | None = None) -> bool:
    """Add one record to a playground that is there. It was received now, unless told otherwise.

    Returns whether it is new: one with its sender's id that was sent before is left as it is.
    """
    table, checked = _checked_row(record.record if isinstance(record, SentRecord) else record)
    if isinstance(record, SentRecord) and not _note_sender(connection, playground, table, record):
        return False
    received = received or datetime.now(UTC)
    values = {"playground": playground, "received_at": received, **checked}
    if table is tables.state_rows:
        key = table.primary_key.columns
        same = [column == values[column.key] for column in key]
        keep_replaced(connection, table, tables.replaced_rows, same, received)
        put(connection, table, values, {name: value for name, value in values.items() if name not in key})
    elif table is tables.turns:
        if not insert_new(connection, table, values):
            raise StoreRefusalError(f"turn {values['number']} exists already")
    else:
        values["id"] = connection.execute(insert(table).values(values).returning(table.c.id)).scalar_one()
    if isinstance(record, SentRecord):
        named = update(sent_records).where(_sent(playground, record))
        connection.execute(named.values(record=RECORD_KINDS[table].identity(values)))
    return True


def _note_sender(connection: Connection, playground: str, table: Table, record: SentRecord) -> bool:
    """Whether nothing was sent with this sender's id before. Raises ``StoreRefusalError`` for something else.

    Of two who send the same at once, the second waits for the first.
    """
    identity = stored_limits.checked_name(record.sender_id, "the id of a record")
    known = {"playground": playground, "kind": RECORD_KINDS[table].name, "record": ""}
    if insert_new(connection, sent_records, {**known, "sender_id": identity, "digest": record.digest}):
        return True
    found = select(sent_records.c.digest).where(_sent(playground, record))
    if connection.execute(found).scalar() != record.digest:
        raise StoreRefusalError(f"another record was sent with the id {identity!r}")
    return False


def _sent(playground: str, record: SentRecord) -> ColumnElement[bool]:
    return (sent_records.c.playground == playground) & (sent_records.c.sender_id == record.sender_id)


def _checked_row(record: NewEvent | NewResponse | StateRow | Turn) -> tuple[Table, dict[str, object]]:
    """The table of a record, and its values there. Raises ``InputError`` for what no store can hold."""
    at = partial(stored_limits.checked_time, record.at)
    match record:
        case NewEvent():
            return tables.events, {
                "type": stored_limits.checked_name(record.type, "the type of an event"),
                "payload": stored_limits.checked_payload(record.payload, "the payload of an event"),
                "at": at("the time of an event"),
            }
        case NewResponse():
            return tables.x12_responses, {
                "payload": stored_limits.checked_payload(record.payload, "an X12 response"),
                "at": at("the time of an X12 response"),
            }
        case StateRow():
            return tables.state_rows, {
                "resource": stored_limits.checked_name(record.resource, "the resource of a row"),
                "key": stored_limits.checked_name(record.key, "the key of a row", stored_limits.KEY_BYTES),
                "data": stored_limits.checked_data(record.data, "the data of a row"),
                "at": at("the time of a row"),
            }
        case Turn():
            return tables.turns, {
                "number": stored_limits.checked_turn(record.number),
                "speaker": stored_limits.checked_name(record.speaker, f"the speaker of turn {record.number}"),
                "text": stored_limits.checked_text(record.text, f"the text of turn {record.number}"),
                "at": at(f"the time of turn {record.number}"),
            }


def keep_replaced(
    connection: Connection, table: Table, replaced: Table, same: Sequence[ColumnElement[bool]], at: object
) -> None:
    """Copy the row that is about to be replaced, if there is one. Of two who replace it, one waits."""
    names = [column.key for column in table.c]
    there = select(*table.c, literal(at, UtcTime)).where(*same).with_for_update()
    connection.execute(insert(replaced).from_select([*names, "replaced_at"], there))


def _optional(value: str | None, what: str) -> str | None:
    return None if value is None else stored_limits.checked_text(value, what)


def insert_new(connection: Connection, table: Table, values: dict[str, object]) -> bool:
    """Whether a row was added; not so where one with its key is there."""
    statement = insert_into(connection, table).values(values).on_conflict_do_nothing()
    return connection.execute(statement.returning(*table.primary_key.columns)).first() is not None


def put(
    connection: Connection,
    table: Table,
    values: dict[str, object],
    changed: dict[str, object],
    by: Sequence[str] | None = None,
) -> None:
    """Add a row, or change the one with its key: the primary key, or that of other columns."""
    key = list(table.primary_key.columns) if by is None else list(by)
    statement = insert_into(connection, table).values(values)
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=changed))


def insert_into(connection: Connection, table: Table) -> "sqlite.Insert | postgresql.Insert":
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
