"""A playground's state in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from assay.core.errors import MeasurementError
from assay.evidence.playground import Event, FhirSource, FileSource, StateRow, Turn

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
BEFORE, AFTER = START - timedelta(hours=1), START + timedelta(minutes=1)


@dataclass(frozen=True)
class FakeState:
    """What was recorded. Sources that were not given are down."""

    hl7: Sequence[Event] = ()
    rows: Sequence[StateRow] = ()
    spoken: Sequence[Turn] = ()
    x12: Sequence[Event] = ()
    fhir_source: FhirSource | None = None
    file_source: FileSource | None = None
    run_start: datetime = field(default=START)

    def events(self, event_type: str) -> Sequence[Event]:
        return [event for event in self.hl7 if event.type == event_type]

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        return [row for row in self.rows if row.resource == resource]

    def turns(self) -> Sequence[Turn]:
        return self.spoken

    def x12_responses(self) -> Sequence[Event]:
        return self.x12

    @property
    def fhir(self) -> FhirSource:
        if self.fhir_source is None:
            raise MeasurementError("the FHIR server can't be reached")
        return self.fhir_source

    @property
    def files(self) -> FileSource:
        if self.file_source is None:
            raise MeasurementError("the file store can't be reached")
        return self.file_source


def hl7(*messages: str, at: datetime = AFTER) -> list[Event]:
    return [Event(str(n), "hl7_outbound", text.encode(), at) for n, text in enumerate(messages)]


def x12(*texts: str, at: datetime = AFTER) -> list[Event]:
    return [Event(str(n), "x12", text.encode(), at) for n, text in enumerate(texts)]


def row(resource: str, key: str, data: Mapping[str, object], at: datetime = AFTER) -> StateRow:
    return StateRow(resource, key, data, at)


def call(*turns: tuple[str, str], at: datetime = AFTER) -> list[Turn]:
    return [Turn(number, speaker, text, at) for number, (speaker, text) in enumerate(turns, 1)]
