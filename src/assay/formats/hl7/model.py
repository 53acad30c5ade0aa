"""A message as frozen values: segments, fields, repetitions, components, sub-components.

Every level keeps the text as it was written and is taken apart when it is asked for, so a message costs little
until somebody looks into it, and what is written again is what was read.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from assay.formats.hl7.encoding import HEADERS, Encoding
from assay.formats.hl7.value import Value, split, value_of


class Component(NamedTuple):
    """One component of a repetition."""

    raw: str
    encoding: Encoding

    @property
    def subcomponents(self) -> tuple[Value, ...]:
        return tuple(value_of(part, self.encoding) for part in split(self.raw, self.encoding.subcomponent))

    @property
    def value(self) -> Value:
        return value_of(self.raw, self.encoding)


class Repetition(NamedTuple):
    """One repetition of a field; a field that does not repeat has one."""

    raw: str
    encoding: Encoding

    @property
    def components(self) -> tuple[Component, ...]:
        return tuple(Component(part, self.encoding) for part in split(self.raw, self.encoding.component))

    @property
    def value(self) -> Value:
        return value_of(self.raw, self.encoding)


class Field(NamedTuple):
    """One field of a segment."""

    raw: str
    encoding: Encoding

    @property
    def repetitions(self) -> tuple[Repetition, ...]:
        return tuple(Repetition(part, self.encoding) for part in split(self.raw, self.encoding.repetition))

    @property
    def value(self) -> Value:
        return value_of(self.raw, self.encoding)


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

    def field(self, number: int) -> Field | None:
        """The field of that number, None behind the end of the segment."""
        raw, encoding = self.written(number)
        return None if raw is None else Field(raw, encoding)

    def written(self, number: int) -> tuple[str | None, Encoding]:
        """A field as it is written, None behind the end of the segment, and in which delimiters."""
        encoding = self.encoding
        if self.position == 1 and self.name in HEADERS:
            return self._of_header(number)
        parts = self.raw.split(encoding.field, number + 1)
        return (parts[number] if 0 < number < len(parts) else None), encoding

    @property
    def raw_fields(self) -> tuple[str, ...]:
        """The fields as written: field n is ``raw_fields[n - 1]``."""
        fields = self.raw.split(self.encoding.field)
        return (self.encoding.field, *fields[1:]) if self._declares_delimiters else tuple(fields[1:])

    def _of_header(self, number: int) -> tuple[str | None, Encoding]:
        """A header's first field is the separator, and its second is not divided by what it declares."""
        fields = self.raw_fields[:number]
        encoding = self.encoding if number > 2 else self.encoding.literal
        return (fields[number - 1] if 0 < number <= len(fields) else None), encoding

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
        """What was looked for before: rules about one message often choose segments by the same field."""
        return {}

    @cached_property
    def _by_name(self) -> dict[str, tuple[Segment, ...]]:
        found: dict[str, list[Segment]] = {}
        for segment in self.segments:
            found.setdefault(segment.name, []).append(segment)
        return {name: tuple(segments) for name, segments in found.items()}
