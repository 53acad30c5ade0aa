"""A playground: what its systems recorded while an agent worked in it, and the state that the agent left there.

Nothing here reads anything. ``unread`` of a record says why its content was left out, where it goes beyond the
bounds.
"""

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from assay.core.errors import BoundsError, MeasurementError
from assay.core.outcome import Check
from assay.evidence.bounds import MOST_SEGMENTS

Made = TypeVar("Made")
Escape: TypeAlias = Callable[[str], str]
Escapes: TypeAlias = Mapping[str, Callable[[str], Escape]]
"""By the name of a field: from what is written in it to how a value is escaped there."""


@dataclass(frozen=True, slots=True)
class Event:
    """One recorded event, such as an outbound HL7 message, as it was sent."""

    id: str
    type: str
    payload: bytes
    at: datetime
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class StateRow:
    """One row of a playground's state: a record of a portal."""

    resource: str
    key: str
    data: Mapping[str, object]
    at: datetime
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a call. Numbers begin at 1."""

    number: int
    speaker: str
    text: str
    at: datetime
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file below the playground's prefix. ``path`` is relative to that."""

    path: str
    size: int
    modified: datetime


class FhirSource(Protocol):
    """A FHIR server."""

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """The matches, page by page."""

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None: ...


@runtime_checkable
class Validating(Protocol):
    """A FHIR server that can say whether a resource follows a profile."""

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]:
        """The errors of a resource by a profile; none if it follows it."""


@runtime_checkable
class Versioned(Protocol):
    """A FHIR server that may keep versions."""

    def past(self, at: datetime) -> "PastSource":
        """The server as it was."""


@runtime_checkable
class PastSource(FhirSource, Protocol):
    """A FHIR server as it was at a moment."""

    def note(self, resource_type: str) -> str | None:
        """A note on what is unknown about a type's resources, if any."""


class FileSource(Protocol):
    """A place for files: a folder, an SFTP server, a bucket."""

    def files(self) -> Iterable[StoredFile]:
        """Everything below the playground's prefix. Links are not followed."""

    def chunks(self, path: str) -> Iterator[bytes]:
        """The content of a file, a part at a time.

        A file that is gone, isn't a regular file, can't be read or changed meanwhile raises ``OSError``: that is
        evidence. A place that can't be reached, listed or read raises ``MeasurementError``.
        """


class PlaygroundState(Protocol):
    """All of one playground. A source that can't be reached raises ``MeasurementError``: that isn't a zero."""

    @property
    def run_start(self) -> datetime: ...

    def events(self, event_type: str) -> Sequence[Event]:
        """Those of a type, the oldest first."""

    def state_rows(self, resource: str) -> Sequence[StateRow]: ...

    def turns(self) -> Sequence[Turn]: ...

    def x12_responses(self) -> Sequence[Event]: ...

    @property
    def fhir(self) -> FhirSource: ...

    @property
    def files(self) -> FileSource: ...


class Clock(Protocol):
    """Time for checks that wait: seconds that only increase, and a way to let some of them pass."""

    def clock(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


@runtime_checkable
class Remembering(Protocol):
    """A state that answers the same question again without asking its source."""

    def time(self) -> Clock | None:
        """The clock to wait with; None if no check should wait."""

    def accepted_at(self) -> datetime | None:
        """When the completion was accepted: what changed later doesn't count. None if everything does."""

    def anew(self) -> PlaygroundState: ...

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made: ...


def time_of(state: PlaygroundState) -> Clock | None:
    """The clock to wait with, if the state has one."""
    return cast("Remembering", state).time() if _remembers(type(state)) else None


def accepted_at(state: PlaygroundState) -> datetime | None:
    """When the completion was accepted, if the state knows."""
    return cast("Remembering", state).accepted_at() if _remembers(type(state)) else None


def past(source: FhirSource, at: datetime) -> FhirSource:
    """A server as it was, where it can tell."""
    return source.past(at) if isinstance(source, Versioned) else source


def anew(state: PlaygroundState) -> PlaygroundState:
    """The same playground as it is now: for a check that waits until something shows up."""
    return cast("Remembering", state).anew() if _remembers(type(state)) else state


def made_once(state: PlaygroundState, what: Hashable, make: Callable[[], Made]) -> Made:
    """A value made from a state, such as its parsed messages: once for all checks, where the state remembers."""
    return cast("Remembering", state).once(what, make) if _remembers(type(state)) else make()


def read_events(
    state: PlaygroundState,
    events: Iterable[Event],
    parse: Callable[[bytes], tuple[Made, int]],
    unreadable: type[Exception],
    what: str,
) -> tuple[list[Made], list[str]]:
    """Read each event with ``parse``, and say why some can't be read. It also counts the segments of each."""
    found: list[Made] = []
    broken: list[str] = []
    left = MOST_SEGMENTS
    for event in events:
        try:
            if event.unread is not None:
                raise BoundsError(event.unread)
            if left <= 0:
                raise BoundsError(f"the {what} have more than {MOST_SEGMENTS} segments up to here")
            made, segments = made_once(state, (parse, event.payload), functools.partial(parse, event.payload))
        except (unreadable, BoundsError) as error:
            broken.append(str(error))
            continue
        left -= segments
        found.append(made)
    return found, broken


def profile_problems(source: FhirSource, resource: Mapping[str, object], profile: str) -> Sequence[str]:
    """The source's complaints about a resource. Raises ``MeasurementError`` if it can't tell."""
    if not isinstance(source, Validating):
        raise MeasurementError("this source of FHIR resources can't check profiles: a server with $validate can")
    return source.problems(resource, profile)


def older_note(count: int) -> str:
    """A note for details where ``since`` left something out, and nothing else is there."""
    return f"; {count} {'is' if count == 1 else 'are'} older than the run's start" if count else ""


@functools.cache
def _remembers(cls: type[PlaygroundState]) -> bool:
    """Whether states of a class are ``Remembering``. Finding out takes longer than most answers."""
    return issubclass(cls, Remembering)


class PlaygroundCheck(Check[PlaygroundState], Protocol):
    """A check that criteria can ask for.

    ``escapes`` names the fields that are written in some language, such as a path or a search, in which a value of
    the task must not change the meaning. ``path`` also counts for names, such as those in ``correlate_by``. A
    check without such fields declares none.
    """

    escapes: ClassVar[Escapes]
