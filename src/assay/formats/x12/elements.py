"""Take elements apart: repetitions, then components."""

from assay.formats.x12.binary import DATA_AT
from assay.formats.x12.model import Segment, Separators


def repetitions(element: str, separators: Separators) -> list[str]:
    """The repetitions of an element, of which there is at least one."""
    mark = separators.repetition
    return element.split(mark) if mark and mark in element else [element]


def components(repetition: str, separators: Separators) -> list[str]:
    """The components of one repetition, of which there is at least one."""
    mark = separators.component
    return repetition.split(mark) if mark and mark in repetition else [repetition]


def values(segment: Segment, position: int, component: int | None, separators: Separators) -> list[str | None]:
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
