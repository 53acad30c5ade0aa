"""The records of playgrounds, as they are read. The questions are made once, because making one takes longer.

No more is read into memory than the bounds allow (``evidence/bounds.py``): the database adds up the sizes, and
leaves out the content of what goes beyond.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Column, Executable, Table, Text, bindparam, case, cast, func, select
from sqlalchemy.engine import Row
from sqlalchemy.sql.elements import ColumnElement

from assay.adapters.store import tables
from assay.adapters.store.limits import is_text
from assay.evidence import bounds
from assay.evidence.playground import Event, StateRow, Turn

RESPONSE = "x12_response"
Ask: TypeAlias = Callable[[Executable, Mapping[str, object]], Sequence["Row[*tuple[Any, ...]]"]]
UNREAD = "it is too large to be read, or too much was recorded before it"


def _of(table: Table, content: str, size: ColumnElement[int], order: Sequence[Column[Any]]) -> Any:
    """The records of a playground in order, one more than are read. Without content where that is too large."""
    each: ColumnElement[int] = bindparam("each")
    whole: ColumnElement[int] = bindparam("whole")
    so_far = func.sum(case((size <= each, size), else_=0)).over(order_by=order)
    others = [column for column in table.c if column.key != content]
    column = case((size <= each, case((so_far <= whole, table.c[content])))).label(content)
    found = select(*others, column).where(table.c.playground == bindparam("wanted"))
    return found.order_by(*order).limit(bindparam("most"))


def _messages(table: Table) -> Any:
    return _of(table, "payload", func.length(table.c.payload), [table.c.at, table.c.id])


_EVENTS = _messages(tables.events).where(tables.events.c.type == bindparam("named"))
_RESPONSES = _messages(tables.x12_responses)
_ROWS = _of(
    tables.state_rows,
    "data",
    func.length(cast(tables.state_rows.c.data, Text)),
    [tables.state_rows.c.at, tables.state_rows.c.key],
).where(tables.state_rows.c.resource == bindparam("named"))
_TURNS = _of(tables.turns, "text", func.length(tables.turns.c.text), [tables.turns.c.number])


@dataclass(frozen=True, slots=True)
class ReadBounds:
    """How much is read: bytes of one message and of all, characters of speech, and how many records."""

    message: int
    messages: int
    speech: int
    records: int

    def of_messages(self) -> dict[str, object]:
        return self._limits(self.message, self.messages)

    def of_speech(self) -> dict[str, object]:
        return self._limits(self.speech, self.speech)

    def _limits(self, each: int, whole: int) -> dict[str, object]:
        """One more record than are read shows that there are more."""
        return {"each": each, "whole": whole, "most": self.records + 1}


def as_for_grading() -> ReadBounds:
    return ReadBounds(bounds.MESSAGE_BYTES, bounds.MESSAGES_BYTES, bounds.SPEECH_CHARACTERS, bounds.MOST_RECORDS)


class Records:
    """Reads with ``ask``: over a connection for each question, or over one for all."""

    def __init__(self, ask: Ask, within: Callable[[], ReadBounds] = as_for_grading) -> None:
        self._ask = ask
        self._within = within

    def events(self, playground: str, event_type: str) -> Sequence[Event]:
        """Those of a type, the oldest first; of the same moment, in the order in which they were recorded."""
        found = self._ask(_EVENTS, {"wanted": playground, "named": event_type, **self._within().of_messages()})
        return [_event(row, row.type) for row in found]

    def x12_responses(self, playground: str) -> Sequence[Event]:
        found = self._ask(_RESPONSES, {"wanted": playground, **self._within().of_messages()})
        return [_event(row, RESPONSE) for row in found]

    def state_rows(self, playground: str, resource: str) -> Sequence[StateRow]:
        """Those of a resource, in the order in which they changed."""
        if not is_text(resource):
            return []
        found = self._ask(_ROWS, {"wanted": playground, "named": resource, **self._within().of_messages()})
        return [
            StateRow(row.resource, row.key, row.data or {}, row.at, UNREAD if row.data is None else None)
            for row in found
        ]

    def turns(self, playground: str) -> Sequence[Turn]:
        found = self._ask(_TURNS, {"wanted": playground, **self._within().of_speech()})
        return [
            Turn(number, speaker, text or "", at, UNREAD if text is None else None)
            for _, number, speaker, at, text in found
        ]


def _event(row: "Row[*tuple[Any, ...]]", kind: str) -> Event:
    return Event(str(row.id), kind, row.payload or b"", row.at, UNREAD if row.payload is None else None)
