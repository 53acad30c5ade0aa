r"""A message as frozen values: segments, fields, repetitions, components, sub-components.

Every level keeps the text as it was written and is taken apart when it is asked for, so a message costs little
until somebody looks into it, and what is written again is what was read.

What one place of a message holds.

A value that is made of parts (``Smith^John``) is text too. It is given in the standard delimiters ``|^~\&``,
whatever its message uses, with its escape sequences, for without them it could be read in two ways. A value
without parts is given as it was meant.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from assay.formats.hl7.encoding import HEADERS, STANDARD, Encoding, unescape


class Presence(Enum):
    """Four things that are not the same: an explicit null deletes what a receiver knows, the others don't."""

    TEXT = "text"
    EMPTY = "empty"
    """The place is there, between its delimiters, and holds nothing."""
    NULL = "null"
    """Two quotes: what was known is to be deleted."""
    ABSENT = "absent"
    """The text ends before the place comes."""


class Value(NamedTuple):
    """``text`` is empty unless the presence is TEXT."""

    presence: Presence
    text: str = ""


class Segment(NamedTuple):
    """One segment as it was written; its name is what stands in front of the first separator.

    ``position`` counts the segments of the message from 1, ``line`` the lines of the text from 1. In MSH, FHS and
    BHS the first field is the field separator itself.
    """

    name: str
    raw: str
    encoding: Encoding
    position: int
    line: int

    def written(self, number: int) -> tuple[str | None, Encoding]:
        """A field as it is written, None behind the end of the segment, and in which delimiters."""
        encoding = self.encoding
        if self._declares_delimiters:
            # A header's first field is the separator, and its second is not divided by what it declares.
            fields = self.raw_fields[:number]
            encoding = encoding if number > 2 else encoding.literal
            return (fields[number - 1] if 0 < number <= len(fields) else None), encoding
        parts = self.raw.split(encoding.field, number + 1)
        return (parts[number] if 0 < number < len(parts) else None), encoding

    @property
    def raw_fields(self) -> tuple[str, ...]:
        """The fields as written: field n is ``raw_fields[n - 1]``."""
        fields = self.raw.split(self.encoding.field)
        return (self.encoding.field, *fields[1:]) if self._declares_delimiters else tuple(fields[1:])

    @property
    def _declares_delimiters(self) -> bool:
        """Only the header itself does: another line that says MSH would have begun a message of its own."""
        return self.position == 1 and self.name in HEADERS


Index: TypeAlias = dict[str, dict[int, Segment]]
"""By a text that segments have at some place: those segments, by their position in the message."""


@dataclass(frozen=True)
class Message:
    """One message; its first segment is always MSH."""

    segments: tuple[Segment, ...]

    @property
    def header(self) -> Segment:
        return self.segments[0]

    @property
    def encoding(self) -> Encoding:
        return self.header.encoding

    def named(self, name: str) -> tuple[Segment, ...]:
        """The segments of that name, in order."""
        return self._by_name.get(name, ())

    @property
    def counts(self) -> dict[str, int]:
        """How many segments there are of each name, in order of appearance."""
        return {name: len(segments) for name, segments in self._by_name.items()}

    @cached_property
    def indexes(self) -> dict[tuple[str, tuple[int, ...]], Index]:
        """Earlier searches: rules about one message often choose segments by the same field."""
        return {}

    @cached_property
    def _by_name(self) -> dict[str, tuple[Segment, ...]]:
        found: dict[str, list[Segment]] = {}
        for segment in self.segments:
            found.setdefault(segment.name, []).append(segment)
        return {name: tuple(segments) for name, segments in found.items()}


# There is one value of each of these, and one name for what most values are: both are looked at very often.
TEXT = Presence.TEXT
EMPTY = Value(Presence.EMPTY)
NULL = Value(Presence.NULL)
ABSENT = Value(Presence.ABSENT)


def value_of(raw: str, encoding: Encoding) -> Value:
    """The value of a place that is written as ``raw``."""
    if raw.isalnum():
        # Most values are, and no letter or digit is a delimiter.
        return Value(TEXT, raw)
    if not raw:
        return EMPTY
    if raw == '""':
        return NULL
    for char in encoding.within_fields:
        if char in raw:
            return Value(TEXT, in_standard(raw, encoding))
    return Value(TEXT, unescape(raw, encoding))


def split(raw: str, delimiter: str | None) -> list[str]:
    """The parts of a text; a delimiter that a message does not have divides nothing."""
    return [raw] if delimiter is None else raw.split(delimiter)


def in_standard(raw: str, encoding: Encoding) -> str:
    """The same text, written in the standard delimiters."""
    table = _to_standard(encoding)
    return raw.translate(table) if table else raw


@lru_cache(maxsize=64)
def _to_standard(encoding: Encoding) -> dict[int, str]:
    """Delimiters become the standard ones, and plain characters that are delimiters there are escaped."""
    letters = {"field": "F", "component": "S", "repetition": "R", "escape": "E", "subcomponent": "T"}
    table: dict[int, str] = {ord(getattr(STANDARD, role)): f"\\{letter}\\" for role, letter in letters.items()}
    for role in letters:
        char: str | None = getattr(encoding, role)
        if char is not None:
            table[ord(char)] = getattr(STANDARD, role)
    return {code: text for code, text in table.items() if chr(code) != text}


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
