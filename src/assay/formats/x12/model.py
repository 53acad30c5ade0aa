"""An X12 file as values: interchanges of functional groups of transaction sets of segments.

Elements stay as they were written; ``elements.py`` takes repetitions and components apart when they are asked for.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from assay.core.errors import AssayError, InputError


class NotX12Error(AssayError):
    """The text has no ISA header, or too many segments. What is wrong with any other text becomes findings."""


class X12PathError(InputError):
    """A path that can't be read. ``problem`` says what would be right; ``position`` counts characters from 1."""

    def __init__(self, path: str, position: int, problem: str) -> None:
        super().__init__(f"the X12 path {path!r} is wrong at character {position}: {problem}")
        self.position = position


# A broken file could otherwise have as many findings as it has bytes.
_KEPT_OF_A_KIND = 20


class X12Mistake(StrEnum):
    """The ways in which a file can be wrong."""

    ENCODING = "encoding"
    JUNK = "junk"
    HEADER_TRUNCATED = "header_truncated"
    HEADER_WIDTH = "header_width"
    SEPARATORS = "separators"
    LINE_BREAK = "line_break"
    UNTERMINATED = "unterminated"
    EMPTY_SEGMENT = "empty_segment"
    SEGMENT_ID = "segment_id"
    STRAY_SEGMENT = "stray_segment"
    MISSING_HEADER = "missing_header"
    MISSING_TRAILER = "missing_trailer"
    CONTROL_NUMBER = "control_number"
    DUPLICATE_CONTROL_NUMBER = "duplicate_control_number"
    COUNT = "count"
    VERSION = "version"
    NO_LOOP_TABLE = "no_loop_table"
    UNPLACED_SEGMENT = "unplaced_segment"
    HIERARCHY = "hierarchy"


@dataclass(frozen=True, slots=True)
class X12Finding:
    """One thing that is wrong, and where. The message quotes envelopes and codes, never a field's value.

    ``interchange`` and ``set`` count from 1; ``segment`` counts from 1 at the ST of that set, or at the ISA of the
    interchange where there is no set. None where the finding is about the whole.
    """

    kind: X12Mistake
    message: str
    interchange: int | None = None
    set: int | None = None
    segment: int | None = None


class Findings:
    """Collects findings, of each kind the first few and how many more there were."""

    def __init__(self) -> None:
        self._kept: list[X12Finding] = []
        self._seen: Counter[X12Mistake] = Counter()

    def add(
        self,
        kind: X12Mistake,
        message: str,
        interchange: int | None,
        set: int | None = None,
        segment: int | None = None,
    ) -> None:
        self._seen[kind] += 1
        if self._seen[kind] <= _KEPT_OF_A_KIND:
            self._kept.append(X12Finding(kind, message, interchange, set, segment))

    def all(self) -> tuple[X12Finding, ...]:
        more = ((kind, seen - _KEPT_OF_A_KIND) for kind, seen in self._seen.items() if seen > _KEPT_OF_A_KIND)
        sentence = f"and {{}} more like the {_KEPT_OF_A_KIND} above"
        return (*self._kept, *(X12Finding(kind, sentence.format(count)) for kind, count in more))


def quote_text(text: str, longest: int = 20) -> str:
    """A control number, a count or a code in a message: short, on one line, and with its end visible."""
    return repr(text if len(text) <= longest else text[:longest] + "…")


def quoted_name(name: str) -> str:
    """A segment's name. Where separators are wrong it may be a field's value, so that little of it is shown."""
    return quote_text(name, 3)


@dataclass(frozen=True, slots=True)
class Separators:
    """The separators of an interchange. None where it declares none that can be used."""

    element: str
    component: str | None
    repetition: str | None
    terminator: str


class X12Segment(NamedTuple):
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
    segments: tuple[X12Segment, ...]
    trailer: X12Segment | None

    @property
    def header(self) -> X12Segment:
        return self.segments[0]


@dataclass(frozen=True, slots=True)
class FunctionalGroup:
    """GS to GE. There is no header where transaction sets stand outside of any group."""

    header: X12Segment | None
    sets: tuple[TransactionSet, ...]
    trailer: X12Segment | None


@dataclass(frozen=True, slots=True)
class Interchange:
    """ISA to IEA. ``segments`` are all of them in order; groups and acknowledgments hold the same values."""

    number: int
    separators: Separators
    segments: tuple[X12Segment, ...]
    groups: tuple[FunctionalGroup, ...]
    acknowledgments: tuple[X12Segment, ...]
    trailer: X12Segment | None
    # What follows the last terminator, which is white space; and whether the last segment has one.
    rest: str
    terminated: bool

    @property
    def header(self) -> X12Segment:
        return self.segments[0]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole file. ``leading`` is what stands before the first ISA."""

    leading: str
    interchanges: tuple[Interchange, ...]
    findings: tuple[X12Finding, ...]
    encoding: str
