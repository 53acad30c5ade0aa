"""The store of playgrounds, as use cases need it: a playground in it, and the records that can be added."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from assay.dialects.criteria.playground_file import PlaygroundFile
from assay.evidence.playground import StateRow, Turn


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
