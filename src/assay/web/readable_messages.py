"""HL7 v2 and X12 messages as people read them: segment by segment, every field with its position.

Fields that criteria looked at are marked, with what was expected there. A message that can't be read is shown as
the text that it is, with the reason. What is shown is bounded, because an agent wrote it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from assay.core.errors import InputError
from assay.evidence.playground import Event
from assay.formats.hl7.encoding import Hl7Error
from assay.formats.hl7.find import find
from assay.formats.hl7.header import control_id, message_type
from assay.formats.hl7.model import Message
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import parse_path as parse_hl7_path
from assay.formats.segment_names import segment_names
from assay.formats.x12.loops import PlacedSet, lone_acknowledgments, place_sets
from assay.formats.x12.model import Document, NotX12Error, X12Segment
from assay.formats.x12.path import OUTSIDE_LOOPS
from assay.formats.x12.path import parse_path as parse_x12_path
from assay.formats.x12.select import select
from assay.formats.x12.tokenize import tokenize
from assay.web.evidence_table import HL7, X12, EvidenceRow, Looked

MOST_MESSAGES: Final = 20
MOST_SEGMENTS: Final = 200
MOST_FIELDS: Final = 60
LONGEST_FIELD: Final = 300
LONGEST_RAW: Final = 4_000


@dataclass(frozen=True, slots=True)
class FieldMark:
    """A criterion looked here: the rule it had, and whether that held."""

    label: str
    row: EvidenceRow


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field by its position, such as ``PID-5`` or ``EB03``. An empty one is shown only if it is marked."""

    position: str
    text: str
    marks: tuple[FieldMark, ...] = ()

    @property
    def state(self) -> str | None:
        """Whether what criteria expected here was there; None if none looked."""
        if not self.marks:
            return None
        return "passed" if all(mark.row.passed for mark in self.marks) else "failed"


@dataclass(frozen=True, slots=True)
class ShownSegment:
    """A segment with its name in words. ``marks`` are of rules about the whole segment, such as how many."""

    name: str
    words: str
    loop: str
    fields: tuple[ShownField, ...]
    marks: tuple[FieldMark, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message. ``why`` says why it can't be read, and ``raw`` is its text then."""

    title: str
    identity: str
    at: datetime
    segments: tuple[ShownSegment, ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()
    why: str | None = None
    raw: str = ""

    @property
    def is_marked(self) -> bool:
        return any(segment.marks or any(one.marks for one in segment.fields) for segment in self.segments)


_Place = tuple[int, int | None]
_Places = Mapping[_Place, list[FieldMark]]


@dataclass(frozen=True, slots=True)
class ReadableMessages:
    """The first messages, and how many there are beyond them."""

    messages: tuple[ShownMessage, ...] = field(default=())
    left_out: int = 0


def readable_hl7(events: Sequence[Event], looked: Sequence[Looked]) -> ReadableMessages:
    """The messages of events, the oldest first."""
    return _readable(events, lambda event: _hl7(event, [one for one in looked if one.kind == HL7]))


def readable_x12(events: Sequence[Event], looked: Sequence[Looked]) -> ReadableMessages:
    """The transaction sets of responses, the oldest first."""
    return _readable(events, lambda event: _x12(event, [one for one in looked if one.kind == X12]))


def _readable(events: Sequence[Event], read: Callable[[Event], Iterator[ShownMessage]]) -> ReadableMessages:
    shown: list[ShownMessage] = []
    for at, event in enumerate(events):
        if len(shown) >= MOST_MESSAGES:
            return ReadableMessages(tuple(shown), len(events) - at)
        shown += [unreadable(event, event.unread)] if event.unread is not None else _read(event, read)
    return ReadableMessages(tuple(shown[:MOST_MESSAGES]), max(0, len(shown) - MOST_MESSAGES))


def _read(event: Event, read: Callable[[Event], Iterator[ShownMessage]]) -> list[ShownMessage]:
    try:
        return list(read(event))
    except (Hl7Error, NotX12Error) as error:
        return [unreadable(event, str(error))]


def unreadable(event: Event, why: str) -> ShownMessage:
    """A message as the text that it is."""
    raw = event.payload[: LONGEST_RAW + 1].decode("utf-8", "replace").replace("\r", "\n")
    return ShownMessage(event.type, "", event.at, why=why, raw=_short(raw, LONGEST_RAW))


def _hl7(event: Event, looked: Sequence[Looked]) -> Iterator[ShownMessage]:
    found = parse(event.payload)
    notes = tuple(f"line {note.line}: {note.text}" for note in found.notes[:10])
    for message in found.messages:
        number = control_id(message)
        mine = [one for one in looked if one.identity == number]
        marks = _marks(mine, partial(_hl7_places, message=message))
        segments = tuple(_hl7_segment(message, at, marks) for at in range(len(message.segments[:MOST_SEGMENTS])))
        title = str(message_type(message)) or "a message without a type"
        left_out = max(0, len(message.segments) - MOST_SEGMENTS)
        yield ShownMessage(title, number, event.at, segments, left_out, notes)


def _hl7_segment(message: Message, at: int, marks: _Places) -> ShownSegment:
    segment = message.segments[at]
    texts = dict(enumerate(segment.raw_fields, 1))
    fields = _fields(texts, lambda number: f"{segment.name}-{number}", marks, segment.position)
    words = segment_names("hl7").get(segment.name, "")
    return ShownSegment(segment.name, words, "", fields, tuple(marks.get((segment.position, None), ())))


def _hl7_places(path: str, message: Message) -> list[_Place]:
    """The position of the segment in the message, and the number of the field."""
    parsed = parse_hl7_path(path)
    number = parsed.numbers[0] if parsed.numbers else None
    return [(each.segment.position, number) for each in find(parsed, message) if each.segment is not None]


def _x12(event: Event, looked: Sequence[Looked]) -> Iterator[ShownMessage]:
    document = tokenize(event.payload)
    for placed in (*place_sets(document), *lone_acknowledgments(document)):
        header = placed.set.header
        number = header.text(1 if header.id == "TA1" else 2)
        mine = [one for one in looked if one.identity == number]
        marks = _marks(mine, partial(_x12_places, placed=placed))
        segments = _x12_segments(placed)
        shown = tuple(_x12_segment(one, loop, marks) for one, loop in segments[:MOST_SEGMENTS])
        name = placed.guide.name if placed.guide is not None else header.text(1)
        title = "TA1" if header.id == "TA1" else name
        left_out = max(0, len(segments) - MOST_SEGMENTS)
        yield ShownMessage(title, number, event.at, shown, left_out, _findings(document, placed))


def _findings(document: Document, placed: PlacedSet) -> tuple[str, ...]:
    around = [
        one
        for one in document.findings
        if one.interchange in (None, placed.interchange.number) and one.set in (None, placed.set.number)
    ]
    return tuple(one.message for one in around[:10])


def _x12_segments(placed: PlacedSet) -> list[tuple[X12Segment, str]]:
    """The envelopes around a set and its own segments, each with the innermost loop that it is in."""
    interchange, group = placed.interchange, placed.group
    before = [one for one in (interchange.header, *interchange.acknowledgments, group.header) if one is not None]
    after = [one for one in (group.trailer, interchange.trailer) if one is not None]
    loops = {one.segment.number: one.loop.id for one in placed.segments if len(one.loop.path) > 1}
    inside = [] if placed.set.header.id == "TA1" else list(placed.set.segments)
    return [(one, loops.get(one.number, "")) for one in (*before, *inside, *after)]


def _x12_segment(segment: X12Segment, loop: str, marks: _Places) -> ShownSegment:
    texts = {number: element.rstrip() for number, element in enumerate(segment.elements, 1)}
    fields = _fields(texts, lambda number: f"{segment.id}{number:02}", marks, segment.number)
    words = segment_names("x12").get(segment.id, "")
    return ShownSegment(segment.id, words, loop, fields, tuple(marks.get((segment.number, None), ())))


def _x12_places(path: str, placed: PlacedSet) -> list[_Place]:
    """The number of the segment in its interchange, and that of the element."""
    parsed = parse_x12_path(path)
    offset = 0 if parsed.segment in OUTSIDE_LOOPS else placed.set.header.number - 1
    return [(each.place.segment + offset, each.place.element) for each in select(parsed, placed)]


def _fields(
    texts: Mapping[int, str], position: Callable[[int], str], marks: _Places, segment: int
) -> tuple[ShownField, ...]:
    """The fields that hold something, and those that a criterion looked at."""
    looked = [number for place, number in marks if place == segment and number is not None]
    shown = sorted({*(number for number, text in texts.items() if text), *looked})[:MOST_FIELDS]
    return tuple(
        ShownField(
            position(number), _short(texts.get(number, ""), LONGEST_FIELD), tuple(marks.get((segment, number), ()))
        )
        for number in shown
    )


def _marks(looked: Sequence[Looked], places: Callable[[str], list[_Place]]) -> _Places:
    found: dict[_Place, list[FieldMark]] = defaultdict(list)
    for one in looked:
        for row in one.rows:
            try:
                here = places(row.path)
            except InputError:
                # Some rows are about a whole message, and have no path into it.
                continue
            for place in dict.fromkeys(here):
                found[place].append(FieldMark(one.label, row))
    return found


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
