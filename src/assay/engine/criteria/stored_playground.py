"""One playground as criteria look at it: its records from the store, and the systems beside it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from assay.core.errors import MeasurementError
from assay.engine.criteria.watched_sources import Playground
from assay.evidence.playground import Event, FhirSource, FileSource, StateRow, Turn


class PlaygroundRecords(Protocol):
    """The records of playgrounds."""

    def events(self, playground: str, event_type: str) -> Sequence[Event]: ...

    def state_rows(self, playground: str, resource: str) -> Sequence[StateRow]: ...

    def turns(self, playground: str) -> Sequence[Turn]: ...

    def x12_responses(self, playground: str) -> Sequence[Event]: ...


class StoredPlayground:
    """Fulfils ``PlaygroundState``."""

    def __init__(
        self,
        store: PlaygroundRecords,
        playground: Playground,
        fhir: FhirSource | None = None,
        files: FileSource | None = None,
    ) -> None:
        self._store = store
        self._playground = playground
        self._fhir = fhir
        self._files = files

    @property
    def run_start(self) -> datetime:
        return self._playground.run_start

    def events(self, event_type: str) -> Sequence[Event]:
        return self._store.events(self._playground.id, event_type)

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        return self._store.state_rows(self._playground.id, resource)

    def turns(self) -> Sequence[Turn]:
        return self._store.turns(self._playground.id)

    def x12_responses(self) -> Sequence[Event]:
        return self._store.x12_responses(self._playground.id)

    @property
    def fhir(self) -> FhirSource:
        if self._fhir is None:
            raise MeasurementError(f"no FHIR server is configured for the playground {self._playground.id!r}")
        return self._fhir

    @property
    def files(self) -> FileSource:
        if self._files is None:
            raise MeasurementError(f"no files are configured for the playground {self._playground.id!r}")
        return self._files
