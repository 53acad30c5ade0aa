"""Loop tables: which segment begins a loop of a transaction set, inside which other, and what else it holds.

A table is text with a line a loop: its name, the loops that it may stand in, the segment that begins it with its
qualifier, then the other segments that it holds. Those behind ``|`` may also follow the loops inside it. ``SET``
is the transaction set itself. ``EQ/III`` means that either segment begins the loop.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.formats.x12.model import X12Segment

SET = "SET"

_BEGIN = re.compile(r"([A-Z][A-Z0-9]{1,2})(?:\[([0-9]{2})=([^\]]+)\])?")


@dataclass(frozen=True, slots=True)
class Begin:
    """The segment that begins a loop. Without codes, it does so whatever its elements are."""

    segment: str
    position: int
    codes: frozenset[str]

    def matches(self, segment: X12Segment) -> bool:
        return segment.id == self.segment and (not self.codes or segment.element(self.position) in self.codes)


@dataclass(frozen=True, slots=True)
class Loop:
    """One line of a table."""

    id: str
    parents: tuple[str, ...]
    begins: tuple[Begin, ...]
    segments: frozenset[str]
    closing: frozenset[str]
    # Whether an HL begins it, so that the file itself says what it stands in.
    is_level: bool


@dataclass(frozen=True, slots=True)
class Guide:
    """The loops of one transaction set as its implementation guide has them."""

    name: str
    version: str
    loops: Mapping[str, Loop]
    # The loops inside a loop by the segment that begins them, those with codes first.
    children: Mapping[tuple[str, str], tuple[tuple[Begin, Loop], ...]]
    # The loops that an HL begins, by its code.
    levels: Mapping[str, Loop]

    @property
    def segment_ids(self) -> frozenset[str]:
        """The names of all segments that a set can have."""
        begins = frozenset(begin.segment for loop in self.loops.values() for begin in loop.begins)
        return begins.union(*(loop.segments for loop in self.loops.values()))

    def child(self, parent: str, segment: X12Segment) -> Loop | None:
        """The loop inside another that a segment begins."""
        for begin, loop in self.children.get((parent, segment.id), ()):
            if begin.matches(segment):
                return loop
        return None


def read_guide(name: str, version: str, table: str) -> Guide:
    """A guide from its table."""
    loops = [_read_line(line) for line in table.strip().splitlines()]
    children: dict[tuple[str, str], list[tuple[Begin, Loop]]] = {}
    for loop in loops:
        for parent in loop.parents:
            for begin in loop.begins:
                children.setdefault((parent, begin.segment), []).append((begin, loop))
    # An entry without codes takes every segment, so it comes last.
    ordered = {key: tuple(sorted(found, key=lambda one: not one[0].codes)) for key, found in children.items()}
    levels = {code: loop for loop in loops if loop.is_level for code in loop.begins[0].codes}
    return Guide(name, version, {loop.id: loop for loop in loops}, ordered, levels)


def _read_line(line: str) -> Loop:
    name, parents, begins, *segments = line.split()
    held, _, closing = " ".join(segments).partition("|")
    begun = tuple(_read_begin(begin) for begin in begins.split("/"))
    return Loop(
        name,
        () if parents == "-" else tuple(parents.split(",")),
        begun,
        frozenset((held + " " + closing).split()),
        frozenset(closing.split()),
        any(one.segment == "HL" for one in begun),
    )


def _read_begin(text: str) -> Begin:
    found = _BEGIN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} in a loop table must be a segment with a qualifier, such as NM1[01=IL]")
    segment, position, codes = found.groups()
    return Begin(segment, int(position or 0), frozenset(codes.split(",") if codes else ()))
