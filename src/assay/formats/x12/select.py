"""Find the values of a path."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from assay.formats.x12.elements import values
from assay.formats.x12.loop_steps import in_loops
from assay.formats.x12.loops import Placed
from assay.formats.x12.model import Document, Interchange, Segment, Separators
from assay.formats.x12.path import OUTSIDE_LOOPS, Equals, Nth, Path
from assay.formats.x12.placed_set import PlacedSet, place_sets
from assay.formats.x12.render import segment_text


class Place(NamedTuple):
    """Where a value stands.

    Interchanges and sets count from 1; a segment counts from 1 at the ST of its set, or at the ISA of its
    interchange if it is in no set. ``loop`` has the names of the loops from the outermost on.
    """

    interchange: int
    set: int | None
    loop: tuple[str, ...]
    segment: int
    element: int | None
    component: int | None
    repetition: int


class Found(NamedTuple):
    """One value: its text, which may be empty, or None where the segment or element ends before it."""

    text: str | None
    place: Place


class _Candidate(NamedTuple):
    segment: Segment
    loop: tuple[str, ...]


Chosen = TypeVar("Chosen", Placed, _Candidate)


def select(path: Path, placed_set: PlacedSet) -> list[Found]:
    """The values in one transaction set and in the envelopes around it, in the order of the file.

    There are none where no segment fits the path; where one does, it has at least one value.
    """
    interchange, one = placed_set.interchange, placed_set.set
    if path.segment in OUTSIDE_LOOPS:
        group = [segment for segment in (placed_set.group.header, placed_set.group.trailer) if segment]
        return _in_envelopes(path, [*group, *_of_interchange(interchange)], interchange)
    placed = placed_set.by_id.get(path.segment, ())
    if path.loops:
        placed = in_loops(placed, path.loops, placed_set.loops)
    left = _filtered(placed, path, interchange.separators)
    # The set itself is no loop that a reader would look for.
    candidates = [_Candidate(one_of.segment, one_of.loop.path[1:]) for one_of in left]
    return _found(path, candidates, interchange, one.number, one.header.number - 1)


def select_all(path: Path, document: Document) -> list[Found]:
    """The values in all transaction sets of a document, or in all its envelopes."""
    if path.segment not in OUTSIDE_LOOPS:
        return [found for placed_set in place_sets(document) for found in select(path, placed_set)]
    return [
        found
        for interchange in document.interchanges
        for found in _in_envelopes(path, _envelopes(interchange), interchange)
    ]


def _in_envelopes(path: Path, segments: list[Segment], interchange: Interchange) -> list[Found]:
    named = [_Candidate(segment, ()) for segment in segments if segment.id == path.segment]
    return _found(path, _filtered(named, path, interchange.separators), interchange, None, 0)


def _of_interchange(interchange: Interchange) -> list[Segment]:
    trailer = [interchange.trailer] if interchange.trailer else []
    return [interchange.header, *interchange.acknowledgments, *trailer]


def _envelopes(interchange: Interchange) -> list[Segment]:
    groups = [segment for group in interchange.groups for segment in (group.header, group.trailer) if segment]
    return sorted([*_of_interchange(interchange), *groups], key=lambda segment: segment.number)


def _found(
    path: Path, candidates: Sequence[_Candidate], interchange: Interchange, number: int | None, offset: int
) -> list[Found]:
    separators = interchange.separators
    return [
        Found(
            text,
            Place(
                interchange.number,
                number,
                candidate.loop,
                candidate.segment.number - offset,
                path.element,
                path.component,
                repetition,
            ),
        )
        for candidate in candidates
        for repetition, text in _texts(path, candidate.segment, separators)
    ]


def _filtered(candidates: Sequence[Chosen], path: Path, separators: Separators) -> Sequence[Chosen]:
    for one in path.filters:
        if isinstance(one, Nth):
            candidates = candidates[one.number - 1 : one.number]
        else:
            candidates = [each for each in candidates if _has(each.segment, one, separators)]
    return candidates


def _has(segment: Segment, wanted: Equals, separators: Separators) -> bool:
    element = segment.element(wanted.element)
    # A text that is nowhere in the element is none of its parts, either, which is quick to see.
    if element is None or wanted.value not in element:
        return False
    return wanted.value in values(segment, wanted.element, wanted.component, separators)


def _texts(path: Path, segment: Segment, separators: Separators) -> Iterator[tuple[int, str | None]]:
    """The values in one segment with the numbers of their repetitions."""
    if path.element is None:
        yield 1, segment_text(segment, separators.element)
        return
    texts = values(segment, path.element, path.component, separators)
    if path.repetition is None:
        yield from enumerate(texts, 1)
    else:
        yield path.repetition, texts[path.repetition - 1] if path.repetition <= len(texts) else None
