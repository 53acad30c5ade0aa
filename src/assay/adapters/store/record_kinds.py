"""The kinds of records in a playground, as they are listed: each has an id within its kind, and no content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Subquery, Table, Text, cast, literal, select
from sqlalchemy.sql.elements import ColumnElement

from assay.adapters.store.integration_tables import sent_records
from assay.adapters.store.tables import events, state_rows, turns, x12_responses


@dataclass(frozen=True, slots=True)
class RecordKind:
    """``key`` are the columns by which a record is known in its playground, and ``shown`` others in a list."""

    name: str
    table: Table
    key: tuple[str, ...]
    shown: tuple[str, ...] = ()

    def identity(self, values: Mapping[str, Any]) -> str:
        return "/".join(str(values[name]) for name in self.key)

    @property
    def listed(self) -> Subquery:
        """The records of all playgrounds without their content, and the newest id that a sender gave each."""
        columns = [self.table.c[name] for name in (*self.key, *self.shown)]
        known: ColumnElement[str] = cast(columns[0], Text)
        if len(self.key) > 1:
            known = known + literal("/") + cast(columns[1], Text)
        sent = (
            select(sent_records.c.sender_id)
            .where(
                sent_records.c.playground == self.table.c.playground,
                sent_records.c.kind == self.name,
                sent_records.c.record == known,
            )
            .order_by(sent_records.c.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        place = (self.table.c.playground, known.label("record"), sent.label("sender_id"))
        return select(*place, *columns, self.table.c.at, self.table.c.received_at).subquery()


_KINDS: Final = (
    RecordKind("events", events, ("id",), ("type",)),
    RecordKind("rows", state_rows, ("resource", "key")),
    RecordKind("turns", turns, ("number",), ("speaker",)),
    RecordKind("responses", x12_responses, ("id",)),
)
RECORD_KINDS: Final[Mapping[Table, RecordKind]] = {kind.table: kind for kind in _KINDS}
LISTED_RECORDS: Final[Mapping[str, Subquery]] = {f"listed_{kind.name}": kind.listed for kind in _KINDS}
