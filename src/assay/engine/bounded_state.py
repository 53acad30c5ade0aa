"""A playground of which no more is read than the bounds allow (``evidence/bounds.py``)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from assay.core.errors import BoundsError
from assay.evidence import bounds
from assay.evidence.playground import Event, FhirSource, FileSource, PlaygroundState, StateRow, Turn

Record = TypeVar("Record", Event, StateRow, Turn)


@dataclass(frozen=True, slots=True)
class BoundedState:
    """Fulfils ``PlaygroundState``. Records beyond the bounds keep their place and have no content.

    FHIR servers and files have bounds of their own. Raises ``BoundsError`` for more records than are read.
    """

    source: PlaygroundState

    @property
    def run_start(self) -> datetime:
        return self.source.run_start

    def events(self, event_type: str) -> Sequence[Event]:
        return _messages(self.source.events(event_type), f"events of type {event_type}")

    def x12_responses(self) -> Sequence[Event]:
        return _messages(self.source.x12_responses(), "X12 responses")

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        rows = self.source.state_rows(resource)
        return _bounded(rows, f"records of {resource}", _row_size, bounds.MOST_VALUES, "values", _emptied_row)

    def turns(self) -> Sequence[Turn]:
        turns, most = self.source.turns(), bounds.SPEECH_CHARACTERS
        return _bounded(turns, "turns", lambda one: len(one.text), most, "characters", _emptied_turn)

    @property
    def fhir(self) -> FhirSource:
        return self.source.fhir

    @property
    def files(self) -> FileSource:
        return self.source.files


def _messages(events: Sequence[Event], what: str) -> Sequence[Event]:
    return _bounded(events, what, _message_size, bounds.MESSAGES_BYTES, "bytes", _emptied_event)


def _bounded(
    records: Sequence[Record],
    what: str,
    size: Callable[[Record], int | str],
    most: int,
    unit: str,
    emptied: Callable[[Record, str], Record],
) -> Sequence[Record]:
    """The records; those that are too large, alone or with the ones before, are emptied."""
    if len(records) > bounds.MOST_RECORDS:
        raise BoundsError(f"there are more than {bounds.MOST_RECORDS} {what}, which are not read")
    left, kept = most, list[Record]()
    for record in records:
        needed = size(record) if record.unread is None else record.unread
        if isinstance(needed, int) and needed > left:
            needed = f"the {what} have more than {most} {unit} up to here"
        if isinstance(needed, str):
            kept.append(emptied(record, needed))
        else:
            left -= needed
            kept.append(record)
    return kept


def _message_size(event: Event) -> int | str:
    too_large = len(event.payload) > bounds.MESSAGE_BYTES
    return f"it has more than {bounds.MESSAGE_BYTES} bytes" if too_large else len(event.payload)


def _row_size(row: StateRow) -> int | str:
    data = dict(row.data)
    size = bounds.size_of(data)
    return size if size > bounds.MOST_VALUES else bounds.unusual(data) or size


def _emptied_event(event: Event, why: str) -> Event:
    return replace(event, payload=b"", unread=why)


def _emptied_row(row: StateRow, why: str) -> StateRow:
    return replace(row, data={}, unread=why)


def _emptied_turn(turn: Turn, why: str) -> Turn:
    return replace(turn, text="", unread=why)
