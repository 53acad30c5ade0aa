"""Sources that note when somebody waits for them: each passes on what the real one answers.

Says what a grading is waiting for, so that a slow source isn't mistaken for a command that hangs.

A source is named once, when one of its answers takes longer than a couple of seconds. Nothing of what is asked or
answered is said.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol, TypeAlias, TypeVar

from assay.dialects.criteria.playground_file import PlaygroundFile
from assay.evidence.playground import Event, FhirSource, FileSource, StateRow, StoredFile, Turn, profile_problems
from assay.evidence.verdict import Answer, Judge, Question

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


@dataclass(frozen=True, slots=True)
class SentRecord:
    """A record with the id that its sender gave it, and the hash of what was sent."""

    sender_id: str
    digest: str
    record: "NewEvent | NewResponse | StateRow | Turn"


Record: TypeAlias = NewEvent | NewResponse | StateRow | Turn | SentRecord


class PlaygroundStore(Protocol):
    """Everything that is recorded with one call is there afterwards, or nothing of it."""

    @property
    def name(self) -> str:
        """How messages call it."""

    def record(self, playground: str, records: Iterable[Record], new: Playground | None = None) -> int:
        """Record everything and return the number of records. ``new`` is the playground to add first, if any."""

    def replace(self, new: Playground, records: Iterable[Record]) -> int:
        """Make a playground again, without the records it had, and return the number of records."""


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


PATIENCE_SEC: Final = 2.0
Say = Callable[[str], None]
Item = TypeVar("Item")


class Waits:
    """The sources that somebody is waiting for. Safe to use from several threads."""

    def __init__(self, say: Say, clock: Callable[[], float]) -> None:
        self._say = say
        self._clock = clock
        self._lock = threading.Lock()
        self._since: dict[object, tuple[str, float]] = {}
        self._said: set[str] = set()

    @contextmanager
    def of(self, source: str) -> Iterator[None]:
        """Inside this context, somebody is waiting for the source."""
        question = object()
        self._since[question] = source, self._clock()
        try:
            yield
        finally:
            del self._since[question]

    def each(self, source: str, ask: Callable[[], Iterable[Item]]) -> Iterator[Item]:
        """The items as they come. Only the time until the next one counts, not what is done with it."""
        with self.of(source):
            rest = iter(ask())
        while True:
            with self.of(source):
                try:
                    item = next(rest)
                except StopIteration:
                    return
            yield item

    def look(self) -> None:
        """Name the sources that have kept somebody waiting for long."""
        now = self._clock()
        with self._lock:
            late = {source for source, since in list(self._since.values()) if now - since >= PATIENCE_SEC}
            for source in sorted(late - self._said):
                self._said.add(source)
                self._say(f"waiting for {source}")


@dataclass(frozen=True, slots=True)
class WatchedFhir:
    """Fulfils ``FhirSource``."""

    source: FhirSource
    name: str
    waits: Waits

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        return self.waits.each(self.name, lambda: self.source.search(resource_type, parameters))

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        with self.waits.of(self.name):
            return self.source.read(resource_type, identity)

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]:
        with self.waits.of(self.name):
            return profile_problems(self.source, resource, profile)


@dataclass(frozen=True, slots=True)
class WatchedFiles:
    """Fulfils ``FileSource``."""

    source: FileSource
    name: str
    waits: Waits

    def files(self) -> Iterator[StoredFile]:
        return self.waits.each(self.name, self.source.files)

    def chunks(self, path: str) -> Iterator[bytes]:
        return self.waits.each(self.name, lambda: self.source.chunks(path))


@dataclass(frozen=True, slots=True)
class WatchedJudge:
    """Fulfils ``Judge``."""

    source: Judge
    name: str
    waits: Waits

    def opinion(self, question: Question) -> Answer:
        with self.waits.of(self.name):
            return self.source.opinion(question)
