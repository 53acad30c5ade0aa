"""The store of playgrounds, as use cases need it: a playground in it, and the records that can be added."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol, TypeAlias

from assay.dialects.criteria.playground_file import PlaygroundFile
from assay.evidence.playground import Event, StateRow, StoredFile, Turn

# Of each kind of records, on a page.
MOST_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class Playground:
    """``data`` holds the values that criteria can refer to. A source that is None isn't configured."""

    id: str
    run_start: datetime
    fhir_base: str | None = None
    file_source: str | None = None
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event without an id yet."""

    type: str
    payload: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class NewResponse:
    """An X12 response without an id yet."""

    payload: bytes
    at: datetime


Record: TypeAlias = NewEvent | NewResponse | StateRow | Turn


class PlaygroundStore(Protocol):
    """Everything that is recorded with one call is there afterwards, or nothing of it."""

    @property
    def name(self) -> str:
        """How messages call it."""
        ...

    def record(self, playground: str, records: Iterable[Record], new: Playground | None = None) -> int:
        """Record everything and return the number of records. ``new`` is the playground to add first, if any."""
        ...

    def replace(self, new: Playground, records: Iterable[Record]) -> int:
        """Make a playground again, without the records it had, and return the number of records."""
        ...


def new_playground(file: PlaygroundFile, now: datetime) -> Playground:
    """The playground of a file, to be stored. Without a ``run_start``, its run starts now."""
    return Playground(
        file.id,
        file.run_start or now,
        None if file.fhir is None else file.fhir.url,
        None if file.files is None else file.files.location,
        file.data,
    )


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
