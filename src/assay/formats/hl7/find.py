"""Find what a path names in a message.

A definite path finds exactly one value, which may be absent. A path with a star or a filter finds one value for
each segment and repetition that it chooses, and so perhaps none.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from assay.formats.hl7.encoding import Encoding
from assay.formats.hl7.model import Field, Index, Message, Segment
from assay.formats.hl7.path import Choice, Filter, Path
from assay.formats.hl7.value import ABSENT, Presence, Value, in_standard, split, value_of

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


def find(path: Path, message: Message) -> list[Found]:
    """All that the path names, in the order of the message."""
    found = [found for segment in _chosen_segments(path, message) for found in _in_segment(path, segment)]
    return found or ([Found(ABSENT, None)] if path.is_definite else [])


def find_first(path: Path, message: Message) -> Value:
    """The first value that the path names, absent where there is none."""
    found = find(path, message)
    return found[0].value if found else ABSENT


def _chosen_segments(path: Path, message: Message) -> Sequence[Segment]:
    segments: Sequence[Segment] = message.named(path.segment)
    if path.segments.filters:
        first, *others = (_having(message, path.segment, wanted) for wanted in path.segments.filters)
        segments = [one for position, one in first.items() if all(position in other for other in others)]
    return _at(segments, path.segments.position)


def _having(message: Message, name: str, wanted: Filter) -> dict[int, Segment]:
    """The segments in which some repetition of a field has the wanted text."""
    place = (name, wanted.numbers)
    if place not in message.indexes:
        message.indexes[place] = _index(message.named(name), wanted.numbers)
    return message.indexes[place].get(wanted.text, {})


def _index(segments: Sequence[Segment], numbers: tuple[int, ...]) -> Index:
    found: Index = {}
    for segment in segments:
        field = segment.field(numbers[0])
        if field is None:
            continue
        for part in split(field.raw, field.encoding.repetition):
            text = _part(part, field.encoding, numbers[1:]).text
            found.setdefault(text, {})[segment.position] = segment
    return found


def _in_segment(path: Path, segment: Segment) -> list[Found]:
    if not path.numbers:
        return [Found(Value(Presence.TEXT, in_standard(segment.raw, segment.encoding)), segment)]
    number, *inner = path.numbers
    field = segment.field(number)
    if field is not None:
        chosen = _chosen_repetitions(path.repetitions, field)
        found = [Found(_part(raw, field.encoding, inner), segment, place) for place, raw in chosen]
        if found:
            return found
    return [Found(ABSENT, segment)] if path.repetitions.is_definite else []


def _chosen_repetitions(choice: Choice, field: Field) -> Sequence[tuple[int, str]]:
    """The repetitions as written, with their numbers."""
    mark = field.encoding.repetition
    if choice.position == 1 and not choice.filters and (mark is None or mark not in field.raw):
        return ((1, field.raw),)
    numbered = [*enumerate(split(field.raw, field.encoding.repetition), start=1)]
    for wanted in choice.filters:
        numbered = [
            item for item in numbered if _part(item[1], field.encoding, wanted.numbers).text == wanted.text
        ]
    return _at(numbered, choice.position)


def _at(items: Sequence[T], position: int | None) -> Sequence[T]:
    return items if position is None else items[position - 1 : position]


def _part(raw: str, encoding: Encoding, numbers: Sequence[int]) -> Value:
    """Of a repetition as written: itself, or its component, or the component's sub-component."""
    for number, delimiter in zip(numbers, (encoding.component, encoding.subcomponent), strict=False):
        parts = split(raw, delimiter)
        if number > len(parts):
            return ABSENT
        raw = parts[number - 1]
    return value_of(raw, encoding)
