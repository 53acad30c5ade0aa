"""Find the values of a path."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from assay.formats.x12.envelope import DATA_AT
from assay.formats.x12.loops import LoopAt, LoopSegment, PlacedSet, place_sets
from assay.formats.x12.model import Document, Interchange, Separators, X12Segment
from assay.formats.x12.path import OUTSIDE_LOOPS, Equals, LoopStep, Nth, X12Path


class X12Place(NamedTuple):
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


class X12Value(NamedTuple):
    """One value: its text, which may be empty, or None where the segment or element ends before it."""

    text: str | None
    place: X12Place


class _CandidateSegment(NamedTuple):
    segment: X12Segment
    loop: tuple[str, ...]


Chosen = TypeVar("Chosen", LoopSegment, _CandidateSegment)


def select(path: X12Path, placed_set: PlacedSet) -> list[X12Value]:
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
    left = _filter_candidates(placed, path, interchange.separators)
    # The set itself is no loop that a reader would look for.
    candidates = [_CandidateSegment(one_of.segment, one_of.loop.path[1:]) for one_of in left]
    return _find_values(path, candidates, interchange, one.number, one.header.number - 1)


def select_all(path: X12Path, document: Document) -> list[X12Value]:
    """The values in all transaction sets of a document, or in all its envelopes."""
    if path.segment not in OUTSIDE_LOOPS:
        return [found for placed_set in place_sets(document) for found in select(path, placed_set)]
    return [
        found
        for interchange in document.interchanges
        for found in _in_envelopes(path, _envelopes(interchange), interchange)
    ]


def _in_envelopes(path: X12Path, segments: list[X12Segment], interchange: Interchange) -> list[X12Value]:
    named = [_CandidateSegment(segment, ()) for segment in segments if segment.id == path.segment]
    return _find_values(path, _filter_candidates(named, path, interchange.separators), interchange, None, 0)


def _of_interchange(interchange: Interchange) -> list[X12Segment]:
    trailer = [interchange.trailer] if interchange.trailer else []
    return [interchange.header, *interchange.acknowledgments, *trailer]


def _envelopes(interchange: Interchange) -> list[X12Segment]:
    groups = [segment for group in interchange.groups for segment in (group.header, group.trailer) if segment]
    return sorted([*_of_interchange(interchange), *groups], key=lambda segment: segment.number)


def _find_values(
    path: X12Path,
    candidates: Sequence[_CandidateSegment],
    interchange: Interchange,
    number: int | None,
    offset: int,
) -> list[X12Value]:
    separators = interchange.separators
    return [
        X12Value(
            text,
            X12Place(
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


def _filter_candidates(candidates: Sequence[Chosen], path: X12Path, separators: Separators) -> Sequence[Chosen]:
    for one in path.filters:
        if isinstance(one, Nth):
            candidates = candidates[one.number - 1 : one.number]
        else:
            candidates = [each for each in candidates if _has(each.segment, one, separators)]
    return candidates


def _has(segment: X12Segment, wanted: Equals, separators: Separators) -> bool:
    element = segment.element(wanted.element)
    # A text that is nowhere in the element is none of its parts, either, which is quick to see.
    if element is None or wanted.value not in element:
        return False
    return wanted.value in values(segment, wanted.element, wanted.component, separators)


def _texts(path: X12Path, segment: X12Segment, separators: Separators) -> Iterator[tuple[int, str | None]]:
    """The values in one segment with the numbers of their repetitions."""
    if path.element is None:
        yield 1, segment_text(segment, separators.element)
        return
    texts = values(segment, path.element, path.component, separators)
    if path.repetition is None:
        yield from enumerate(texts, 1)
    else:
        yield path.repetition, texts[path.repetition - 1] if path.repetition <= len(texts) else None


def in_loops(
    placed: tuple[LoopSegment, ...], steps: tuple[LoopStep, ...], loops: tuple[LoopAt, ...]
) -> tuple[LoopSegment, ...]:
    """The segments whose own loop is the last that is named, inside the others from the outside in."""
    if all(step.number is None for step in steps):
        return _by_names(placed, tuple(step.id for step in steps))
    chosen = _chosen_loops(steps, loops)
    return tuple(one for one in placed if one.loop.order in chosen)


def _by_names(placed: tuple[LoopSegment, ...], names: tuple[str, ...]) -> tuple[LoopSegment, ...]:
    if names == ("*",):
        return placed
    if len(names) == 1:
        return tuple(one for one in placed if one.loop.id == names[0])
    return tuple(one for one in placed if _stands_in(one.loop.path, names))


def _stands_in(path: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether a loop's path ends with the last name and has the others before it in this order."""
    *outer, own = names
    if own not in ("*", path[-1]):
        return False
    rest = iter(path[-2::-1])
    return all(any(name in ("*", one) for one in rest) for name in reversed(outer))


def _chosen_loops(steps: tuple[LoopStep, ...], loops: tuple[LoopAt, ...]) -> set[int]:
    """The loops that are meant, by their order. A number counts loops inside what stands left of it."""
    chosen: set[int] | None = None
    for step in steps:
        found = [
            loop.order
            for loop in loops
            if step.id in ("*", loop.id) and (chosen is None or _is_inside(loop, chosen))
        ]
        chosen = set(found if step.number is None else found[step.number - 1 : step.number])
    return chosen or set()


def _is_inside(loop: LoopAt, outer: set[int]) -> bool:
    at = loop.parent
    while at is not None:
        if at.order in outer:
            return True
        at = at.parent
    return False


def repetitions(element: str, separators: Separators) -> list[str]:
    """The repetitions of an element, of which there is at least one."""
    mark = separators.repetition
    return element.split(mark) if mark and mark in element else [element]


def components(repetition: str, separators: Separators) -> list[str]:
    """The components of one repetition, of which there is at least one."""
    mark = separators.component
    return repetition.split(mark) if mark and mark in repetition else [repetition]


def values(segment: X12Segment, position: int, component: int | None, separators: Separators) -> list[str | None]:
    """An element's text, or that of one component, once for each repetition.

    None where the segment or the element ends before it, which is not the same as an empty text.
    """
    element = segment.element(position)
    if element is None:
        return [None]
    if segment.id == "ISA":
        # Two of its elements are the separators themselves, and the others are padded to a fixed width.
        return [element.rstrip(" ") if component in (None, 1) else None]
    if position == DATA_AT.get(segment.id):
        return [element if component in (None, 1) else None]
    texts = repetitions(element, separators)
    if component is None:
        return list(texts)
    return [_component(text, component, separators) for text in texts]


def _component(text: str, position: int, separators: Separators) -> str | None:
    parts = components(text, separators)
    return parts[position - 1] if position <= len(parts) else None


def segment_text(segment: X12Segment, mark: str) -> str:
    """A segment with its element separators, without its terminator."""
    return mark.join((segment.id, *segment.elements))
