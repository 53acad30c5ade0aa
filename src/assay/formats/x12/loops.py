"""Put the segments of a transaction set into the loops of its guide, in one pass.

An HL says itself what it stands in (HL02); every other segment belongs to the loop that is open, or to the nearest
one around it that can take it. Loops that an HL began are never left upwards: only another HL does that. A segment
that fits nowhere stays in the open loop and is a finding.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.formats.x12.guides import SET, Guide, Loop, follows, guide_for, version_of
from assay.formats.x12.model import (
    Document,
    Findings,
    FunctionalGroup,
    Interchange,
    TransactionSet,
    X12Finding,
    X12Mistake,
    X12Segment,
    quote_text,
    quoted_name,
)


@dataclass(frozen=True, slots=True, eq=False)
class LoopAt:
    """One occurrence of a loop. ``path`` has the names from the outermost to its own."""

    id: str
    path: tuple[str, ...]
    parent: "LoopAt | None"
    # Loops are numbered in the order in which they begin.
    order: int


class LoopSegment(NamedTuple):
    """A segment and the loop that it belongs to."""

    segment: X12Segment
    loop: LoopAt


@dataclass(eq=False)
class _Walk:
    """The open loops while segments are placed one after the other. Without a guide, there is only the set."""

    _guide: Guide | None
    _interchange: int
    _set: TransactionSet
    _findings: Findings

    def __post_init__(self) -> None:
        self._root = LoopAt(SET, (SET,), None, 0)
        self._open = self._root
        self._by_level: dict[str, LoopAt] = {}
        self._latest = {SET: self._root}
        self.loops = [self._root]

    def loop_of(self, segment: X12Segment) -> LoopAt:
        if self._guide is None or segment.id in ("ST", "SE"):
            return self._root
        if segment.id == "HL" and self._guide.levels:
            return self._level(self._guide, segment)
        at = self._fitting(self._guide, segment)
        if at is None:
            message = f"{quoted_name(segment.id)} has no place in loop {self._open.id}"
            self._say(X12Mistake.UNPLACED_SEGMENT, message, segment)
        return at or self._open

    def _fitting(self, guide: Guide, segment: X12Segment) -> LoopAt | None:
        at: LoopAt | None = self._open
        while at is not None:
            loop = guide.loops[at.id]
            if segment.id in (loop.segments if at is self._open else loop.closing):
                self._open = at
                return at
            inner = guide.child(at.id, segment)
            if inner is not None:
                return self._begin(inner, at)
            at = None if loop.is_level else at.parent
        return None

    def _level(self, guide: Guide, segment: X12Segment) -> LoopAt:
        loop = guide.levels.get(segment.text(3))
        if loop is None:
            message = f"HL03 is {quote_text(segment.text(3))}; a {guide.name} has {', '.join(guide.levels)}"
            self._say(X12Mistake.HIERARCHY, message, segment)
            return self._open
        at = self._begin(loop, self._above(loop, segment))
        own = segment.text(1)
        if not own or own in self._by_level:
            message = f"HL01 is {quote_text(own)}; it must be a number that no other HL has"
            self._say(X12Mistake.HIERARCHY, message, segment)
        self._by_level[own] = at
        return at

    def _above(self, loop: Loop, segment: X12Segment) -> LoopAt:
        """The loop of a level: the one HL02 names, or failing that the last one it can stand in."""
        above = segment.text(2)
        named = self._by_level.get(above) if above else self._root
        if named is not None and named.id in loop.parents:
            return named
        found = f"which is a {named.id}" if named is not None else "which does not exist"
        message = f"HL02 is {quote_text(above)}, {found}; {loop.id} belongs in {' or '.join(loop.parents)}"
        self._say(X12Mistake.HIERARCHY, message, segment)
        open_parents = [self._latest[parent] for parent in loop.parents if parent in self._latest]
        return max(open_parents, key=lambda at: at.order, default=self._root)

    def _begin(self, loop: Loop, parent: LoopAt) -> LoopAt:
        at = LoopAt(loop.id, (*parent.path, loop.id), parent, len(self.loops))
        self.loops.append(at)
        self._latest[loop.id] = at
        self._open = at
        return at

    def _say(self, kind: X12Mistake, message: str, segment: X12Segment) -> None:
        number = segment.number - self._set.header.number + 1
        self._findings.add(kind, message, self._interchange, self._set.number, number)


@dataclass(frozen=True, slots=True)
class PlacedSet:
    """One transaction set. Its segments are found by their name in ``by_id``."""

    interchange: Interchange
    group: FunctionalGroup
    set: TransactionSet
    version: str = ""
    guide: Guide | None = None
    segments: tuple[LoopSegment, ...] = ()
    loops: tuple[LoopAt, ...] = ()
    by_id: Mapping[str, tuple[LoopSegment, ...]] = field(default_factory=dict)
    findings: tuple[X12Finding, ...] = ()


def place_sets(document: Document) -> tuple[PlacedSet, ...]:
    """All transaction sets of a document in order."""
    return tuple(
        _place_set(interchange, group, one)
        for interchange in document.interchanges
        for group in interchange.groups
        for one in group.sets
    )


def lone_acknowledgments(document: Document) -> tuple[PlacedSet, ...]:
    """The TA1 of interchanges that hold no transaction set, each in the place of one."""
    return tuple(
        PlacedSet(interchange, FunctionalGroup(None, (), None), TransactionSet(0, (segment,), None))
        for interchange in document.interchanges
        if not any(group.sets for group in interchange.groups)
        for segment in interchange.acknowledgments
    )


def _place_set(interchange: Interchange, group: FunctionalGroup, one: TransactionSet) -> PlacedSet:
    findings = Findings()
    version = version_of(one, group.header)
    guide = guide_for(one, version)
    if problem := _guide_problem(one, version, guide):
        kind = X12Mistake.VERSION if guide else X12Mistake.NO_LOOP_TABLE
        findings.add(kind, problem, interchange.number, one.number, 1)
    walk = _Walk(guide, interchange.number, one, findings)
    placed = tuple(LoopSegment(segment, walk.loop_of(segment)) for segment in one.segments)
    loops, by_id = tuple(walk.loops), _by_id(placed)
    return PlacedSet(interchange, group, one, version, guide, placed, loops, by_id, findings.all())


def _guide_problem(one: TransactionSet, version: str, guide: Guide | None) -> str | None:
    if guide is None:
        return f"there is no loop table for {quote_text(one.header.text(1))}"
    if not follows(version, guide):
        return f"the version is {quote_text(version)}; the loops are read by {guide.version}"
    return None


def _by_id(segments: tuple[LoopSegment, ...]) -> dict[str, tuple[LoopSegment, ...]]:
    found: dict[str, list[LoopSegment]] = {}
    for placed in segments:
        found.setdefault(placed.segment.id, []).append(placed)
    return {name: tuple(group) for name, group in found.items()}
