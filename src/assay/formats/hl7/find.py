"""Find what a path names in a message.

A definite path finds exactly one value, which may be absent. A path with a star or a filter finds one value for
each segment and repetition that it chooses, and so perhaps none.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from assay.formats.hl7.encoding import Encoding
from assay.formats.hl7.model import (
    ABSENT,
    NULL,
    TEXT,
    Index,
    Message,
    Segment,
    Value,
    in_standard,
    split,
    value_of,
)
from assay.formats.hl7.path import Choice, Filter, Hl7Path

T = TypeVar("T")


class Found(NamedTuple):
    """A value and its place: the segment and the repetition, None where there is no such thing."""

    value: Value
    segment: Segment | None
    repetition: int | None = None

    @property
    def line(self) -> int | None:
        """The line of the text on which the segment stands."""
        return self.segment.line if self.segment else None


def find(path: Hl7Path, message: Message) -> list[Found]:
    """All that the path names, in the order of the message."""
    found = [
        Found(value, segment, repetition)
        for segment in _chosen_segments(path, message)
        for repetition, value in _in_segment(path, segment)
    ]
    return found or ([Found(ABSENT, None)] if path.is_definite else [])


def find_first(path: Hl7Path, message: Message) -> Value:
    """The first value that the path names, absent where there is none."""
    found = find(path, message)
    return found[0].value if found else ABSENT


def texts(path: Hl7Path, message: Message) -> list[str | None]:
    """The texts that a path names, None for an explicit null; what is absent is left out."""
    return [
        None if value is NULL else value.text
        for segment in _chosen_segments(path, message)
        for _, value in _in_segment(path, segment)
        if value is not ABSENT
    ]


def _chosen_segments(path: Hl7Path, message: Message) -> Sequence[Segment]:
    choice = path.segments
    if not choice.filters:
        return _at(message.named(path.segment), choice.position)
    chosen = _having(message, path.segment, choice.filters[0])
    for wanted in choice.filters[1:]:
        others = _having(message, path.segment, wanted)
        chosen = {position: one for position, one in chosen.items() if position in others}
    return _at(list(chosen.values()), choice.position)


def _having(message: Message, name: str, wanted: Filter) -> dict[int, Segment]:
    """The segments in which some repetition of a field has the wanted text."""
    place = (name, wanted.numbers)
    index = message.indexes.get(place)
    if index is None:
        index = message.indexes[place] = _index(message.named(name), wanted.numbers)
    return index.get(wanted.text, {})


def _index(segments: Sequence[Segment], numbers: tuple[int, ...]) -> Index:
    found: Index = {}
    inner = numbers[1:]
    for segment in segments:
        raw, encoding = segment.written(numbers[0])
        for part in () if raw is None else split(raw, encoding.repetition):
            found.setdefault(_part(part, encoding, inner).text, {})[segment.position] = segment
    return found


def _in_segment(path: Hl7Path, segment: Segment) -> list[tuple[int | None, Value]]:
    """The values in one segment, with the numbers of their repetitions."""
    if not path.numbers:
        return [(None, Value(TEXT, in_standard(segment.raw, segment.encoding)))]
    raw, encoding = segment.written(path.numbers[0])
    found: list[tuple[int | None, Value]] = []
    if raw is not None:
        inner, chosen = path.numbers[1:], _chosen_repetitions(path.repetitions, raw, encoding)
        found = [(place, _part(part, encoding, inner)) for place, part in chosen]
    return found or ([(None, ABSENT)] if path.repetitions.is_definite else [])


def _chosen_repetitions(choice: Choice, raw: str, encoding: Encoding) -> Sequence[tuple[int, str]]:
    """The repetitions as written, with their numbers."""
    mark = encoding.repetition
    if choice.position == 1 and not choice.filters and (mark is None or mark not in raw):
        return ((1, raw),)
    numbered = [*enumerate(split(raw, mark), start=1)]
    for wanted in choice.filters:
        numbered = [item for item in numbered if _part(item[1], encoding, wanted.numbers).text == wanted.text]
    return _at(numbered, choice.position)


def _at(items: Sequence[T], position: int | None) -> Sequence[T]:
    return items if position is None else items[position - 1 : position]


def _part(raw: str, encoding: Encoding, numbers: tuple[int, ...]) -> Value:
    """Of a repetition as written: itself, or its component, or the component's sub-component."""
    delimiter = encoding.component
    for number in numbers:
        parts = split(raw, delimiter)
        if number > len(parts):
            return ABSENT
        raw, delimiter = parts[number - 1], encoding.subcomponent
    return value_of(raw, encoding)
