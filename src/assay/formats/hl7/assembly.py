"""Put blocks together into messages, batches and a file, and notice what does not fit."""

from assay.formats.hl7.block import Block
from assay.formats.hl7.model import Message, Segment
from assay.formats.hl7.transmission import Batch, Note, Transmission


class Assembly:
    """A transmission that is growing block by block."""

    def __init__(self) -> None:
        self._file_header: Segment | None = None
        self._file_trailer: Segment | None = None
        self._batches: list[Batch] = []
        self._batch_header: Segment | None = None
        self._messages: list[Message] = []
        self._notes: list[Note] = []

    def add(self, block: Block) -> None:
        """Take the next block of the text."""
        self._notes += block.notes
        if block.name == "MSH":
            self._messages.append(Message(block.segments))
            return
        self._note_strays(block)
        {"FHS": self._begin_file, "BHS": self._begin_batch, "BTS": self._end_batch, "FTS": self._end_file}[
            block.name
        ](block.segments[0])

    def finished(self) -> Transmission:
        """All of it; a batch that has no trailer ends with the text."""
        self._close_batch(None)
        notes = sorted(self._notes, key=lambda note: note.line)
        return Transmission(self._file_header, tuple(self._batches), self._file_trailer, tuple(notes))

    def _begin_file(self, header: Segment) -> None:
        self._close_batch(None)
        if self._file_header is not None:
            self._note(header, "a second FHS; what follows is kept with the first file")
            return
        self._file_header = header

    def _begin_batch(self, header: Segment) -> None:
        self._close_batch(None)
        self._batch_header = header

    def _end_batch(self, trailer: Segment) -> None:
        if self._batch_header is None:
            self._note(trailer, "BTS ends a batch that no BHS began")
        self._check_count(trailer, len(self._messages), "messages")
        self._close_batch(trailer)

    def _end_file(self, trailer: Segment) -> None:
        self._close_batch(None)
        if self._file_header is None:
            self._note(trailer, "FTS ends a file that no FHS began")
        self._check_count(trailer, len(self._batches), "batches")
        self._file_trailer = trailer

    def _close_batch(self, trailer: Segment | None) -> None:
        if self._batch_header is not None and trailer is None:
            self._note(self._batch_header, "the batch that begins here has no BTS")
        if self._messages or self._batch_header or trailer:
            self._batches.append(Batch(self._batch_header, tuple(self._messages), trailer))
        self._batch_header, self._messages = None, []

    def _check_count(self, trailer: Segment, found: int, what: str) -> None:
        """A trailer's first field is how many there should be; senders may leave it empty."""
        declared = trailer.raw_fields[0].strip() if trailer.raw_fields else ""
        if declared and declared.lstrip("0") != str(found).lstrip("0"):
            self._note(trailer, f"{trailer.name}-1 does not agree with the number of {what}, which is {found}")

    def _note(self, segment: Segment, text: str) -> None:
        self._notes.append(Note(segment.line, text))

    def _note_strays(self, block: Block) -> None:
        for segment in block.segments[1:]:
            self._note(segment, f"this segment comes after {block.name}, outside any message, and is ignored")
