"""Put the segments of an interchange into functional groups and transaction sets.

Every segment finds a place, and every wrong envelope is a finding: a header or trailer that is missing, a segment
that stands outside of any set, and what ``envelope_checks`` compares.

Binary segments say how many bytes of data follow, in which any character may be: ``BIN*length*data`` and
``BDS*filter*length*data`` end with the terminator behind that many bytes. Without that terminator, the segment is
read like any other, and a finding says so.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from assay.formats.x12.model import (
    Findings,
    FunctionalGroup,
    Interchange,
    Separators,
    TransactionSet,
    X12Mistake,
    X12Segment,
    quote_text,
    quoted_name,
)

DATA_AT: Final = {"BIN": 2, "BDS": 3}
"""The position of the data among the elements."""


class Binary(NamedTuple):
    """The data of a binary segment, by its place in the text."""

    start: int
    end: int


class Measured:
    """A text of which it is known where so many bytes end. That is worked out once, when it is first needed."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._encoding = encoding

    def behind(self, start: int, length: int) -> int | None:
        """Where so many bytes from a place on end; None if there are fewer, or a character is cut in two."""
        if self._offsets is None:
            return start + length if start + length <= len(self.text) else None
        wanted = self._offsets[start] + length
        end = bisect_left(self._offsets, wanted)
        return end if end < len(self._offsets) and self._offsets[end] == wanted else None

    @cached_property
    def _offsets(self) -> "array[int] | None":
        """The number of bytes before each character; None if each has one."""
        if self._encoding == "latin-1" or self.text.isascii():
            return None
        sizes = (len(character.encode(self._encoding, "surrogatepass")) for character in self.text)
        return array("Q", accumulate(sizes, initial=0))


def binary_at(measured: Measured, at: int, separators: Separators) -> Binary | None:
    """The data of the binary segment that begins here; None for any other, and for one whose length is wrong."""
    text = measured.text
    head = _head(separators.element, separators.terminator).match(text, at)
    if head is None:
        return None
    end = measured.behind(head.end(), int(head[1] or head[2]))
    fits = end is not None and text.startswith(separators.terminator, end)
    return Binary(head.end(), end) if end is not None and fits else None


def split_around(body: str, terminator: str, data: Sequence[Binary]) -> list[str]:
    """The text between terminators, of which those in the data are none."""
    chunks: list[str] = []
    kept = here = 0
    for one in data:
        *whole, last = body[here : one.start].split(terminator)
        if whole:
            chunks += [body[kept:here] + whole[0], *whole[1:]]
            kept = one.start - len(last)
        here = one.end
    first, *rest = body[here:].split(terminator)
    return [*chunks, body[kept:here] + first, *rest]


def binary_parts(text: str, mark: str, encoding: str) -> list[str] | None:
    """The name and the elements of a binary segment, with its data whole; None if its length is wrong."""
    parts = text.split(mark, DATA_AT[text[:3]])
    length, data = parts[-2], parts[-1]
    right = length.isdecimal() and len(length) < 10 and len(data.encode(encoding, "surrogatepass")) == int(length)
    return parts if right and len(parts) > DATA_AT[text[:3]] else None


def is_binary(text: str, mark: str) -> bool:
    """Whether a segment is one that has data in it."""
    return text[:3] in DATA_AT and text[3:4] == mark


@lru_cache(maxsize=64)
def _head(element: str, terminator: str) -> re.Pattern[str]:
    mark, other = re.escape(element), rf"[^{re.escape(element)}{re.escape(terminator)}]{{0,20}}"
    return re.compile(rf"BIN{mark}([0-9]{{1,9}}){mark}|BDS{mark}{other}{mark}([0-9]{{1,9}}){mark}")


_SEGMENT_ID = re.compile(r"[A-Z][A-Z0-9]{1,2}")
# More digits than any count has; a longer text is none.
_COUNT = re.compile(r"[0-9]{1,10}")


def assemble(
    number: int,
    separators: Separators,
    segments: list[X12Segment],
    rest: str,
    terminated: bool,
    findings: Findings,
) -> Interchange:
    """The interchange that begins with the first of these segments."""
    assembly = _Assembly(number, findings)
    for segment in segments[1:]:
        assembly.take(segment)
    assembly.end()
    groups, acknowledgments = tuple(assembly.groups), tuple(assembly.acknowledgments)
    trailer = assembly.trailer
    interchange = Interchange(
        number, separators, tuple(segments), groups, acknowledgments, trailer, rest, terminated
    )
    check_interchange(interchange, findings)
    return interchange


class _Assembly:
    """The open parts while segments are taken one after the other."""

    def __init__(self, interchange: int, findings: Findings) -> None:
        self.groups: list[FunctionalGroup] = []
        self.acknowledgments: list[X12Segment] = []
        self.trailer: X12Segment | None = None
        self._interchange = interchange
        self._findings = findings
        self._group_header: X12Segment | None = None
        self._sets: list[TransactionSet] = []
        self._segments: list[X12Segment] = []
        self._sets_seen = 0
        # Names that were checked: most segments repeat one.
        self._good_names: set[str] = set()
        self._control: dict[str, Callable[[X12Segment], None]] = {
            "GS": self._open_group,
            "ST": self._open_set,
            "SE": self._close_set,
            "GE": self._close_group,
            "IEA": self._close_interchange,
        }

    def take(self, segment: X12Segment) -> None:
        if self.trailer is not None:
            message = f"{quoted_name(segment.id)} comes after the end of the interchange"
            self._say(X12Mistake.JUNK, message, segment)
        elif segment.id in self._control:
            self._control[segment.id](segment)
        elif self._segments:
            self._segments.append(segment)
            if segment.id not in self._good_names:
                self._check_id(segment)
        elif segment.id == "TA1" and self._group_header is None:
            self.acknowledgments.append(segment)
        elif not segment.id and not segment.elements:
            self._check_id(segment)
        else:
            message = f"{quoted_name(segment.id)} is outside any transaction set"
            self._say(X12Mistake.STRAY_SEGMENT, message, segment)

    def end(self) -> None:
        """Parts that are open at the end have no trailer."""
        if self.trailer is None:
            self._end_group(None)
            self._say(X12Mistake.MISSING_TRAILER, "the interchange has no IEA")

    def _open_group(self, segment: X12Segment) -> None:
        self._end_group(None)
        self._group_header = segment

    def _open_set(self, segment: X12Segment) -> None:
        self._end_set(None)
        if self._group_header is None and not self._sets:
            message = "the transaction set stands outside of any group: there is no GS"
            self._say(X12Mistake.MISSING_HEADER, message, segment)
        self._segments = [segment]
        self._sets_seen += 1

    def _close_set(self, segment: X12Segment) -> None:
        if self._segments:
            self._segments.append(segment)
            self._end_set(segment)
        else:
            self._say(X12Mistake.MISSING_HEADER, "SE closes a transaction set that no ST has opened", segment)

    def _close_group(self, segment: X12Segment) -> None:
        if self._group_header is None:
            self._say(X12Mistake.MISSING_HEADER, "GE closes a group that no GS has opened", segment)
        self._end_group(segment)

    def _close_interchange(self, segment: X12Segment) -> None:
        self._end_group(None)
        self.trailer = segment

    def _end_set(self, trailer: X12Segment | None) -> None:
        if not self._segments:
            return
        closed = TransactionSet(self._sets_seen, tuple(self._segments), trailer)
        self._sets.append(closed)
        self._segments = []
        check_set(closed, self._group_header, self._interchange, self._findings)

    def _end_group(self, trailer: X12Segment | None) -> None:
        self._end_set(None)
        if self._group_header is None and not self._sets:
            return
        closed = FunctionalGroup(self._group_header, tuple(self._sets), trailer)
        self.groups.append(closed)
        self._group_header, self._sets = None, []
        check_group(closed, self._interchange, self._findings)

    def _check_id(self, segment: X12Segment) -> None:
        if _SEGMENT_ID.fullmatch(segment.id):
            self._good_names.add(segment.id)
        elif segment.id or segment.elements:
            self._say(X12Mistake.SEGMENT_ID, f"{quoted_name(segment.id)} is not a segment name", segment)
        else:
            self._say(X12Mistake.EMPTY_SEGMENT, "there is nothing between two terminators", segment)

    def _say(self, kind: X12Mistake, message: str, segment: X12Segment | None = None) -> None:
        inside = bool(self._segments) and segment is not None
        in_set = self._sets_seen if inside else None
        number = segment.number if segment else None
        if inside and number is not None:
            number -= self._segments[0].number - 1
        self._findings.add(kind, message, self._interchange, in_set, number)


def check_set(closed: TransactionSet, group: X12Segment | None, interchange: int, findings: Findings) -> None:
    """ST02 against SE02, SE01 against the segments from ST to SE, and ST03 against GS08."""

    def say(kind: X12Mistake, message: str, segment: int) -> None:
        findings.add(kind, message, interchange, closed.number, segment)

    header, trailer, length = closed.header, closed.trailer, len(closed.segments)
    if trailer is None:
        say(X12Mistake.MISSING_TRAILER, f"the transaction set {quote_text(header.text(2))} has no SE", length)
    else:
        # ST02 is text, in which a leading zero counts.
        if header.text(2) != trailer.text(2):
            say(X12Mistake.CONTROL_NUMBER, _differ("ST02", header.text(2), "SE02", trailer.text(2)), length)
        if problem := _count_problem("SE01", trailer.text(1), length, "segments from ST to SE"):
            say(X12Mistake.COUNT, problem, length)
    version = group.text(8) if group else ""
    if header.text(3) and version and header.text(3) != version:
        say(X12Mistake.VERSION, _differ("ST03", header.text(3), "GS08", version), 1)


def check_group(closed: FunctionalGroup, interchange: int, findings: Findings) -> None:
    """GS06 against GE02, GE01 against the sets, and the sets' control numbers against each other."""

    def say(kind: X12Mistake, message: str, segment: X12Segment | None) -> None:
        findings.add(kind, message, interchange, segment=segment.number if segment else None)

    header, trailer = closed.header, closed.trailer
    _check_unique([one.header for one in closed.sets], "ST02", 2, interchange, findings)
    if trailer is None:
        if header is not None:
            say(X12Mistake.MISSING_TRAILER, f"the group {quote_text(header.text(6))} has no GE", header)
        return
    if header is not None and not _same_number(header.text(6), trailer.text(2)):
        say(X12Mistake.CONTROL_NUMBER, _differ("GS06", header.text(6), "GE02", trailer.text(2)), trailer)
    if problem := _count_problem("GE01", trailer.text(1), len(closed.sets), "transaction sets"):
        say(X12Mistake.COUNT, problem, trailer)


def check_interchange(interchange: Interchange, findings: Findings) -> None:
    """ISA13 against IEA02, IEA01 against the groups, and the groups' control numbers against each other."""

    def say(kind: X12Mistake, message: str, segment: X12Segment) -> None:
        findings.add(kind, message, interchange.number, segment=segment.number)

    headers = [group.header for group in interchange.groups if group.header is not None]
    _check_unique(headers, "GS06", 6, interchange.number, findings)
    header, trailer = interchange.header, interchange.trailer
    if trailer is None:
        return
    if not _same_number(header.text(13), trailer.text(2)):
        say(X12Mistake.CONTROL_NUMBER, _differ("ISA13", header.text(13), "IEA02", trailer.text(2)), trailer)
    if problem := _count_problem("IEA01", trailer.text(1), len(headers), "functional groups"):
        say(X12Mistake.COUNT, problem, trailer)


def _check_unique(
    headers: list[X12Segment], name: str, position: int, interchange: int, findings: Findings
) -> None:
    seen: set[str] = set()
    for header in headers:
        control = header.text(position)
        if control in seen:
            message = f"{name} {quote_text(control)} is the control number of an earlier one too"
            findings.add(X12Mistake.DUPLICATE_CONTROL_NUMBER, message, interchange, segment=header.number)
        seen.add(control)


def _count_problem(name: str, declared: str, actual: int, what: str) -> str | None:
    if not _COUNT.fullmatch(declared):
        return f"{name} is {quote_text(declared)}; it must be the number of {what}, which is {actual}"
    if int(declared) != actual:
        return f"{name} is {int(declared)}, but the number of {what} is {actual}"
    return None


def _same_number(one: str, other: str) -> bool:
    """Control numbers of groups and interchanges are numbers: leading zeros don't count."""
    if _COUNT.fullmatch(one) and _COUNT.fullmatch(other):
        return int(one) == int(other)
    return one == other


def _differ(name: str, value: str, other_name: str, other: str) -> str:
    return f"{name} is {quote_text(value)}, but {other_name} is {quote_text(other)}"
