"""A playground as a page shows it: how much its systems recorded, and the first of each kind.

What is read is bounded by far less than what criteria may read, because a page is read by a person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from assay.dialects.criteria.resources import PlaygroundResource, Written
from assay.engine.looked_at import Looked
from assay.engine.readable_messages import ReadableMessages, ShownMessage, readable_hl7, readable_x12, unreadable
from assay.evidence.playground import Event, StateRow, StoredFile, Turn

OUTBOUND: Final = "hl7_outbound"
MOST_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class Contents:
    """How many records there are: events by type, rows by resource, turns, responses and files."""

    events: Mapping[str, int] = field(default_factory=dict)
    resources: Mapping[str, int] = field(default_factory=dict)
    turns: int = 0
    responses: int = 0
    files: int = 0

    @property
    def total(self) -> int:
        return sum(self.events.values()) + sum(self.resources.values()) + self.turns + self.responses + self.files


class ShownRecords(Protocol):
    """The first records of a playground, each kind bounded."""

    def contents(self, playground: str) -> Contents: ...

    def events(self, playground: str, event_type: str) -> Sequence[Event]: ...

    def x12_responses(self, playground: str) -> Sequence[Event]: ...

    def state_rows(self, playground: str, resource: str) -> Sequence[StateRow]: ...

    def turns(self, playground: str) -> Sequence[Turn]: ...

    def files(self, playground: str, limit: int) -> Sequence[StoredFile]: ...


@dataclass(frozen=True, slots=True)
class RecordsView:
    """What a playground holds."""

    contents: Contents
    hl7: ReadableMessages
    x12: ReadableMessages
    other_events: Sequence[ShownMessage]
    rows: Mapping[str, Sequence[StateRow]]
    turns: Sequence[Turn]
    files: Sequence[StoredFile]


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source without its secrets."""

    kind: str
    settings: Written
    has_secret: bool


@dataclass(frozen=True, slots=True)
class PlaygroundView:
    """A playground with its sources and its records."""

    playground: PlaygroundResource
    sources: Sequence[SourceView]
    records: RecordsView


def view_records(records: ShownRecords, playground: str, looked: Sequence[Looked] = ()) -> RecordsView:
    """The records of a playground, with the fields marked that criteria looked at."""
    found = records.contents(playground)
    others = [one for kind in found.events if kind != OUTBOUND for one in records.events(playground, kind)]
    return RecordsView(
        found,
        readable_hl7(records.events(playground, OUTBOUND), looked),
        readable_x12(records.x12_responses(playground), looked),
        [unreadable(one, one.unread or "") for one in others[:MOST_SHOWN]],
        {name: records.state_rows(playground, name)[:MOST_SHOWN] for name in list(found.resources)[:MOST_SHOWN]},
        records.turns(playground),
        records.files(playground, MOST_SHOWN),
    )


def view_sources(found: Mapping[str, tuple[Written, Any]]) -> list[SourceView]:
    return [SourceView(kind, settings, secret is not None) for kind, (settings, secret) in sorted(found.items())]
