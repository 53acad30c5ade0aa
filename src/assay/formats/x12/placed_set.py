"""A transaction set with its loops and with the envelopes around it: what a path is looked up in."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.formats.x12.findings import Finding, Findings, Kind, quoted
from assay.formats.x12.guide import Guide
from assay.formats.x12.guides.choice import follows, guide_for, version_of
from assay.formats.x12.loops import LoopAt, Placed, place
from assay.formats.x12.model import Document, Group, Interchange, TransactionSet


@dataclass(frozen=True, slots=True)
class PlacedSet:
    """One transaction set. Its segments are found by their name in ``by_id``."""

    interchange: Interchange
    group: Group
    set: TransactionSet
    version: str
    guide: Guide | None
    segments: tuple[Placed, ...]
    loops: tuple[LoopAt, ...]
    by_id: Mapping[str, tuple[Placed, ...]]
    findings: tuple[Finding, ...]


def place_sets(document: Document) -> tuple[PlacedSet, ...]:
    """All transaction sets of a document in order."""
    return tuple(
        _placed(interchange, group, one)
        for interchange in document.interchanges
        for group in interchange.groups
        for one in group.sets
    )


def lone_acknowledgments(document: Document) -> tuple[PlacedSet, ...]:
    """The TA1 of interchanges that hold no transaction set, each in the place of one."""
    return tuple(
        PlacedSet(
            interchange, Group(None, (), None), TransactionSet(0, (segment,), None), "", None, (), (), {}, ()
        )
        for interchange in document.interchanges
        if not any(group.sets for group in interchange.groups)
        for segment in interchange.acknowledgments
    )


def _placed(interchange: Interchange, group: Group, one: TransactionSet) -> PlacedSet:
    findings = Findings()
    version = version_of(one, group.header)
    guide = guide_for(one, version)
    if problem := _guide_problem(one, version, guide):
        kind = Kind.VERSION if guide else Kind.NO_LOOP_TABLE
        findings.add(kind, problem, interchange.number, one.number, 1)
    placement = place(one, guide, interchange.number, findings)
    return PlacedSet(
        interchange,
        group,
        one,
        version,
        guide,
        placement.segments,
        placement.loops,
        _by_id(placement.segments),
        findings.all(),
    )


def _guide_problem(one: TransactionSet, version: str, guide: Guide | None) -> str | None:
    if guide is None:
        return f"there is no loop table for {quoted(one.header.text(1))}"
    if not follows(version, guide):
        return f"the version is {quoted(version)}; the loops are read by {guide.version}"
    return None


def _by_id(segments: tuple[Placed, ...]) -> dict[str, tuple[Placed, ...]]:
    found: dict[str, list[Placed]] = {}
    for placed in segments:
        found.setdefault(placed.segment.id, []).append(placed)
    return {name: tuple(group) for name, group in found.items()}
