"""Sample files, and small messages made for a test."""

from pathlib import Path

from assay.formats.x12.loops import PlacedSet, place_sets
from assay.formats.x12.model import Document, Interchange, X12Finding, X12Mistake, X12Segment
from assay.formats.x12.select import segment_text
from assay.formats.x12.tokenize import tokenize
from tests.builders import DATA, REPO

_FOLDERS = (REPO.parent / "shared" / "samples" / "x12", DATA / "x12" / "samples")
SAMPLES: dict[str, Path] = {
    path.name: path for folder in _FOLDERS if folder.is_dir() for path in sorted(folder.iterdir())
}

GROUPS = {"270": "HS", "271": "HB", "276": "HR", "277": "HN", "278": "HI", "835": "HP", "997": "FA", "999": "FA"}
VERSIONS = {
    "270": "005010X279A1",
    "271": "005010X279A1",
    "276": "005010X212",
    "277": "005010X212",
    "278": "005010X217",
    "835": "005010X221A1",
    "997": "005010",
    "999": "005010X231A1",
}


def isa(*, control: str = "000000001", version: str = "00501", repetition: str = "^", end: str = ":~") -> str:
    """A header with everything in its place. ``end`` is its component separator and its terminator."""
    return (
        f"ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *240101*1200*{repetition}*{version}"
        f"*{control}*0*T*{end}"
    )


def message(name: str, *segments: str, version: str | None = None) -> str:
    """One transaction set with right envelopes around these segments."""
    text = "".join(f"{segment}~" for segment in segments)
    guide = VERSIONS.get(name, "005010") if version is None else version
    return (
        f"{isa()}GS*{GROUPS.get(name, 'XX')}*A*B*20240101*1200*1*X*{guide}~ST*{name}*0001~{text}"
        f"SE*{len(segments) + 2}*0001~GE*1*1~IEA*1*000000001~"
    )


def only_set(text: bytes | str) -> PlacedSet:
    (found,) = place_sets(tokenize(text))
    return found


def sample(name: str) -> PlacedSet:
    return only_set(SAMPLES[name].read_bytes())


def segments(text: bytes | str) -> list[tuple[str, tuple[str, ...]]]:
    """All segments of the only interchange."""
    (interchange,) = tokenize(text).interchanges
    return [(segment.id, segment.elements) for segment in interchange.segments]


def kinds(document: Document) -> list[X12Mistake]:
    return [finding.kind for finding in document.findings]


def loops(found: PlacedSet) -> list[str]:
    """``loop:segment`` for every segment of a set."""
    return [f"{placed.loop.id}:{placed.segment.id}" for placed in found.segments]


def where(finding: X12Finding) -> tuple[X12Mistake, int | None, int | None, int | None]:
    return finding.kind, finding.interchange, finding.set, finding.segment


def written(segment: X12Segment) -> str:
    return "*".join((segment.id, *segment.elements))


def render(document: Document) -> str:
    """The document as it was read, but for line breaks inside segments, which mean nothing."""
    return document.leading + "".join(map(_render_interchange, document.interchanges))


def _render_interchange(interchange: Interchange) -> str:
    mark, terminator = interchange.separators.element, interchange.separators.terminator
    texts = [one.before + segment_text(one, mark) for one in interchange.segments]
    return terminator.join(texts) + (terminator if interchange.terminated else "") + interchange.rest
