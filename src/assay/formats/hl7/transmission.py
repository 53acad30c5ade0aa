"""All that one text holds: messages, in batches, in a file. A lone message is one batch without a header."""

from dataclasses import dataclass

from assay.formats.hl7.model import Message, Segment


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was tolerated and that a reader should know."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages between BHS and BTS, or without them."""

    header: Segment | None
    messages: tuple[Message, ...]
    trailer: Segment | None = None


@dataclass(frozen=True, slots=True)
class Transmission:
    """Batches between FHS and FTS, or without them."""

    header: Segment | None
    batches: tuple[Batch, ...]
    trailer: Segment | None = None
    notes: tuple[Note, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(message for batch in self.batches for message in batch.messages)
