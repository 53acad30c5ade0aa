"""Loop tables of the known transaction sets, and the one that a set is read by.

A table says which segment begins a loop, inside which other, and what else it holds.

A table is text with a line a loop: its name, the loops that it may stand in, the segment that begins it with its
qualifier, then the other segments that it holds. Those behind ``|`` may also follow the loops inside it. ``SET``
is the transaction set itself. ``EQ/III`` means that either segment begins the loop.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

from assay.formats.x12.model import TransactionSet, X12Segment

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


def _read_guides(text: str) -> Iterator[Guide]:
    """The guides of a file. A table may begin with the lines of another one, which its first line names."""
    tables: dict[str, str] = {}
    for part in text.split("\n[")[1:]:
        first, _, body = part.partition("\n")
        name, _, rest = first.partition("]")
        lines = [line for line in body.splitlines() if line and not line.startswith("#")]
        version, _, above = rest.strip().partition(" ")
        tables[name] = "\n".join(lines)
        if version:
            yield read_guide(name, version, f"{tables.get(above, '')}\n{tables[name]}")


_BY_NAME = {
    guide.name: guide for guide in _read_guides((files(__package__) / "guides.txt").read_text(encoding="utf-8"))
}
GUIDES = tuple(_BY_NAME.values())
_CLAIMS = {"SV1": _BY_NAME["837P"], "SV2": _BY_NAME["837I"], "SV3": _BY_NAME["837D"]}


def version_of(transaction_set: TransactionSet, group: X12Segment | None) -> str:
    """The guide that a set says it follows: ST03, or GS08 where that is missing."""
    return transaction_set.header.text(3) or (group.text(8) if group else "")


def guide_for(transaction_set: TransactionSet, version: str) -> Guide | None:
    """The table for a set, or None if there is none."""
    name = transaction_set.header.text(1)
    first = transaction_set.segments[1] if len(transaction_set.segments) > 1 else None
    begins = first if first is not None and first.id == "BHT" else None
    if name == "277":
        return _BY_NAME["277CA"] if _acknowledges(version, begins) else _BY_NAME["277"]
    if name == "278":
        responds = begins is not None and begins.text(2) == "11"
        return _BY_NAME["278 response" if responds else "278 request"]
    if name == "837":
        return _claim(transaction_set, version)
    return _BY_NAME.get(name)


def _claim(transaction_set: TransactionSet, version: str) -> Guide:
    """By the version, or by the segment that its services have."""
    for guide in _CLAIMS.values():
        if version.startswith(guide.version[:10]):
            return guide
    services = (_CLAIMS[one.id] for one in transaction_set.segments if one.id in _CLAIMS)
    return next(services, _BY_NAME["837P"])


def follows(version: str, guide: Guide) -> bool:
    """Whether a version is that of a guide, with or without its errata."""
    return not version or version.startswith(guide.version[:10])


def _acknowledges(version: str, begins: X12Segment | None) -> bool:
    """A 277 acknowledges claims by its version, or by its structure code where it names no guide."""
    if "X2" in version:
        return version.startswith("005010X214")
    return begins is not None and begins.text(1) == "0085"
