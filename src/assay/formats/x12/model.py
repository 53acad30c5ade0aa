"""An X12 file as values: interchanges of functional groups of transaction sets of segments.

Elements stay as they were written; ``elements.py`` takes repetitions and components apart when they are asked for.
"""

from dataclasses import dataclass
from typing import NamedTuple

from assay.formats.x12.findings import Finding


@dataclass(frozen=True, slots=True)
class Separators:
    """What an interchange puts between its parts. None where it declares none that can be used."""

    element: str
    component: str | None
    repetition: str | None
    terminator: str


class Segment(NamedTuple):
    """One segment. ``number`` counts from 1 at the ISA of its interchange.

    ``before`` is the white space between the last terminator and this segment. It means nothing, and is kept so
    that a file can be written again as it was.
    """

    id: str
    elements: tuple[str, ...]
    number: int
    before: str = ""

    def element(self, position: int) -> str | None:
        """An element by its position from 1: text, which may be empty, or None if the segment ends before it."""
        return self.elements[position - 1] if 0 < position <= len(self.elements) else None

    def text(self, position: int) -> str:
        """An element without the spaces that pad it, where it makes no difference whether it is there."""
        return (self.element(position) or "").strip()


@dataclass(frozen=True, slots=True)
class TransactionSet:
    """ST to SE, both among the segments. ``number`` counts from 1 in the interchange."""

    number: int
    segments: tuple[Segment, ...]
    trailer: Segment | None

    @property
    def header(self) -> Segment:
        return self.segments[0]


@dataclass(frozen=True, slots=True)
class Group:
    """GS to GE. There is no header where transaction sets stand outside of any group."""

    header: Segment | None
    sets: tuple[TransactionSet, ...]
    trailer: Segment | None


@dataclass(frozen=True, slots=True)
class Interchange:
    """ISA to IEA. ``segments`` are all of them in order; groups and acknowledgments hold the same values."""

    number: int
    separators: Separators
    segments: tuple[Segment, ...]
    groups: tuple[Group, ...]
    acknowledgments: tuple[Segment, ...]
    trailer: Segment | None
    # What follows the last terminator, which is white space; and whether the last segment has one.
    rest: str
    terminated: bool

    @property
    def header(self) -> Segment:
        return self.segments[0]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole file. ``leading`` is what stands before the first ISA."""

    leading: str
    interchanges: tuple[Interchange, ...]
    findings: tuple[Finding, ...]
    encoding: str
