"""What is wrong with a file, as evidence."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

# A broken file could otherwise have as many findings as it has bytes.
_KEPT_OF_A_KIND = 20


class Kind(StrEnum):
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
class Finding:
    """One thing that is wrong, and where. The message quotes envelopes and codes, never a field's value.

    ``interchange`` and ``set`` count from 1; ``segment`` counts from 1 at the ST of that set, or at the ISA of the
    interchange where there is no set. None where the finding is about the whole.
    """

    kind: Kind
    message: str
    interchange: int | None = None
    set: int | None = None
    segment: int | None = None


class Findings:
    """Collects findings, of each kind the first few and how many more there were."""

    def __init__(self) -> None:
        self._kept: list[Finding] = []
        self._seen: Counter[Kind] = Counter()

    def add(
        self, kind: Kind, message: str, interchange: int | None, set: int | None = None, segment: int | None = None
    ) -> None:
        self._seen[kind] += 1
        if self._seen[kind] <= _KEPT_OF_A_KIND:
            self._kept.append(Finding(kind, message, interchange, set, segment))

    def all(self) -> tuple[Finding, ...]:
        return (*self._kept, *(_more(kind, seen) for kind, seen in self._seen.items() if seen > _KEPT_OF_A_KIND))


def quoted(text: str, longest: int = 20) -> str:
    """A control number, a count or a code in a message: short, on one line, and with its end visible."""
    return repr(text if len(text) <= longest else text[:longest] + "…")


def quoted_name(name: str) -> str:
    """A segment's name. Where separators are wrong it may be a field's value, so that little of it is shown."""
    return quoted(name, 3)


def _more(kind: Kind, seen: int) -> Finding:
    return Finding(kind, f"and {seen - _KEPT_OF_A_KIND} more like the {_KEPT_OF_A_KIND} above")
