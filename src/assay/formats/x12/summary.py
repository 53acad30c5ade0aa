"""The facts about a file: which transaction sets it has, and what is wrong with it."""

from dataclasses import dataclass

from assay.formats.x12.findings import Finding
from assay.formats.x12.model import Document, Interchange, Segment
from assay.formats.x12.placed_set import PlacedSet


@dataclass(frozen=True, slots=True)
class SetFacts:
    """One transaction set. Numbers and counts are as they were written, and None where they are missing."""

    interchange: int
    number: int
    id: str
    version: str
    guide: str | None
    control_number: str | None
    group_control_number: str | None
    interchange_control_number: str | None
    segments: int
    declared_segments: str | None
    loops: int


@dataclass(frozen=True, slots=True)
class InterchangeFacts:
    """One interchange. Counts of what is there, beside those that its trailer declares."""

    number: int
    sender: str
    receiver: str
    version: str
    control_number: str | None
    groups: int
    declared_groups: str | None
    sets: int
    acknowledgments: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A file's facts, and every finding: of the envelopes first, then of the sets' loops."""

    interchanges: tuple[InterchangeFacts, ...]
    sets: tuple[SetFacts, ...]
    findings: tuple[Finding, ...]


def summarize(document: Document, placed_sets: tuple[PlacedSet, ...]) -> Summary:
    """What there is to say about a document whose sets were placed by ``place_sets``."""
    loops = tuple(finding for placed in placed_sets for finding in placed.findings)
    return Summary(
        tuple(_interchange(interchange) for interchange in document.interchanges),
        tuple(_set(placed) for placed in placed_sets),
        document.findings + loops,
    )


def _interchange(interchange: Interchange) -> InterchangeFacts:
    header = interchange.header
    return InterchangeFacts(
        interchange.number,
        header.text(6),
        header.text(8),
        header.text(12),
        header.element(13),
        sum(group.header is not None for group in interchange.groups),
        _element(interchange.trailer, 1),
        sum(len(group.sets) for group in interchange.groups),
        len(interchange.acknowledgments),
    )


def _set(placed: PlacedSet) -> SetFacts:
    one = placed.set
    return SetFacts(
        placed.interchange.number,
        one.number,
        one.header.text(1),
        placed.version,
        placed.guide.name if placed.guide else None,
        one.header.element(2),
        _element(placed.group.header, 6),
        placed.interchange.header.element(13),
        len(one.segments),
        _element(one.trailer, 1),
        len(placed.loops) - 1,
    )


def _element(segment: Segment | None, position: int) -> str | None:
    return segment.element(position) if segment is not None else None
