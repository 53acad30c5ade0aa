"""The records of playgrounds, as they are read. The questions are made once, because making one takes longer.

No more is read into memory than the bounds allow (``evidence/bounds.py``): the database adds up the sizes, and
leaves out the content of what goes beyond. What was received later than a moment can be left out: then rows that
changed since are read as they were.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from sqlalchemy import Executable, FromClause, Table, Text, bindparam, case, cast, func, or_, select, union_all
from sqlalchemy.engine import Row
from sqlalchemy.sql.elements import ColumnElement

from assay.adapters.store import tables
from assay.adapters.store.columns import UtcTime
from assay.engine.criteria.stored_limits import is_text
from assay.evidence import bounds
from assay.evidence.playground import Event, StateRow, Turn

RESPONSE = "x12_response"
Ask: TypeAlias = Callable[[Executable, Mapping[str, object]], Sequence["Row[*tuple[Any, ...]]"]]
UNREAD = "it is too large to be read, or too much was recorded before it"
EVER: Final = datetime(9999, 1, 1, tzinfo=UTC)
_UNTIL: ColumnElement[datetime] = bindparam("until", type_=UtcTime)


def _of(table: FromClause, content: str, size: ColumnElement[int], order: Sequence[ColumnElement[Any]]) -> Any:
    """The records of a playground in order, one more than are read. Without content where that is too large."""
    each: ColumnElement[int] = bindparam("each")
    whole: ColumnElement[int] = bindparam("whole")
    so_far = func.sum(case((size <= each, size), else_=0)).over(order_by=order)
    others = [column for column in table.c if column.key not in (content, "received_at")]
    column = case((size <= each, case((so_far <= whole, table.c[content])))).label(content)
    in_time = or_(table.c.received_at.is_(None), table.c.received_at <= _UNTIL)
    found = select(*others, column).where(table.c.playground == bindparam("wanted"), in_time)
    return found.order_by(*order).limit(bindparam("most"))


def _messages(table: Table) -> Any:
    return _of(table, "payload", func.length(table.c.payload), [table.c.at, table.c.id])


_EVENTS = _messages(tables.events).where(tables.events.c.type == bindparam("named"))
_RESPONSES = _messages(tables.x12_responses)


def _rows() -> Any:
    """Rows as they are, and those that were replaced later than what is asked for as they were."""
    now, before = tables.state_rows, tables.replaced_rows
    then = select(*(before.c[column.key] for column in now.c)).where(before.c.replaced_at > _UNTIL)
    versions = union_all(*(one.where(*_of_resource(table)) for one, table in ((select(now), now), (then, before))))
    rows = versions.subquery()
    return _of(rows, "data", func.length(cast(rows.c.data, Text)), [rows.c.at, rows.c.key])


def _of_resource(table: Table) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return table.c.playground == bindparam("wanted"), table.c.resource == bindparam("named")


_ROWS = _rows()
_TURNS = _of(tables.turns, "text", func.length(tables.turns.c.text), [tables.turns.c.number])


@dataclass(frozen=True, slots=True)
class ReadBounds:
    """How much is read: bytes of one message and of all, characters of speech, and how many records."""

    message: int
    messages: int
    speech: int
    records: int


def as_for_grading() -> ReadBounds:
    return ReadBounds(bounds.MESSAGE_BYTES, bounds.MESSAGES_BYTES, bounds.SPEECH_CHARACTERS, bounds.MOST_RECORDS)


class Records:
    """Reads with ``ask``: over a connection for each question, or over one for all. ``until`` is as of when."""

    def __init__(
        self, ask: Ask, within: Callable[[], ReadBounds] = as_for_grading, until: datetime = EVER
    ) -> None:
        self._ask = ask
        self._within = within
        self._until = until

    def events(self, playground: str, event_type: str) -> Sequence[Event]:
        """Those of a type, the oldest first; of the same moment, in the order in which they were recorded."""
        found = self._ask(_EVENTS, {"named": event_type, **self._parameters(playground)})
        return [_event(row, row.type) for row in found]

    def x12_responses(self, playground: str) -> Sequence[Event]:
        found = self._ask(_RESPONSES, self._parameters(playground))
        return [_event(row, RESPONSE) for row in found]

    def state_rows(self, playground: str, resource: str) -> Sequence[StateRow]:
        """Those of a resource, in the order in which they changed."""
        if not is_text(resource):
            return []
        found = self._ask(_ROWS, {"named": resource, **self._parameters(playground)})
        return [
            StateRow(row.resource, row.key, row.data or {}, row.at, UNREAD if row.data is None else None)
            for row in found
        ]

    def turns(self, playground: str) -> Sequence[Turn]:
        most = self._within().speech
        found = self._ask(_TURNS, {**self._parameters(playground), "each": most, "whole": most})
        return [
            Turn(number, speaker, text or "", at, UNREAD if text is None else None)
            for _, number, speaker, at, text in found
        ]

    def _parameters(self, playground: str) -> dict[str, object]:
        """One more record than are read shows that there are more."""
        within = self._within()
        sizes = {"each": within.message, "whole": within.messages, "most": within.records + 1}
        return {"wanted": playground, "until": self._until, **sizes}


def _event(row: "Row[*tuple[Any, ...]]", kind: str) -> Event:
    return Event(str(row.id), kind, row.payload or b"", row.at, UNREAD if row.payload is None else None)
