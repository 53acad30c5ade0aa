"""The records of playgrounds, as they are read. The questions are made once, because making one takes longer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Executable, Table, bindparam, select
from sqlalchemy.engine import Row

from assay.adapters.store import tables
from assay.adapters.store.limits import is_text
from assay.evidence.playground import Event, StateRow, Turn

RESPONSE = "x12_response"
Ask: TypeAlias = Callable[[Executable, Mapping[str, object]], Sequence["Row[*tuple[Any, ...]]"]]


def _of(table: Table) -> Any:
    return select(table).where(table.c.playground == bindparam("wanted"))


_EVENTS = (
    _of(tables.events)
    .where(tables.events.c.type == bindparam("named"))
    .order_by(tables.events.c.at, tables.events.c.id)
)
_RESPONSES = _of(tables.x12_responses).order_by(tables.x12_responses.c.at, tables.x12_responses.c.id)
_ROWS = (
    _of(tables.state_rows)
    .where(tables.state_rows.c.resource == bindparam("named"))
    .order_by(tables.state_rows.c.at, tables.state_rows.c.key)
)
_TURNS = _of(tables.turns).order_by(tables.turns.c.number)


class Records:
    """Reads with ``ask``: over a connection for each question, or over one for all."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def events(self, playground: str, event_type: str) -> Sequence[Event]:
        """Those of a type, the oldest first; of the same moment, in the order in which they were recorded."""
        found = self._ask(_EVENTS, {"wanted": playground, "named": event_type})
        return [Event(str(row.id), row.type, row.payload, row.at) for row in found]

    def x12_responses(self, playground: str) -> Sequence[Event]:
        found = self._ask(_RESPONSES, {"wanted": playground})
        return [Event(str(row.id), RESPONSE, row.payload, row.at) for row in found]

    def state_rows(self, playground: str, resource: str) -> Sequence[StateRow]:
        """Those of a resource, in the order in which they changed."""
        if not is_text(resource):
            return []
        found = self._ask(_ROWS, {"wanted": playground, "named": resource})
        return [StateRow(row.resource, row.key, row.data, row.at) for row in found]

    def turns(self, playground: str) -> Sequence[Turn]:
        found = self._ask(_TURNS, {"wanted": playground})
        return [Turn(row.number, row.speaker, row.text, row.at) for row in found]
