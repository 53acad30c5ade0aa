"""Dates and times as FHIR, HL7 v2 and X12 write them, as spans: a date without a time is the whole day."""

import functools
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

_ISO = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII,
)
_COMPACT = re.compile(
    r"(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:\.(\d+))?)?)?)?)?)?(Z|[+-]\d{4})?", re.ASCII
)
SHORT = 64
_MINUTES = 5
UNITS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
    "w": 604800,
    "week": 604800,
}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+?)s?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Span:
    """From ``start`` up to but without ``end``. Times without a zone are taken as UTC.

    ``parts`` is how much was written: 1 for a year, 2 for a month, 3 for a day, and so on to 6 for seconds.
    """

    start: datetime
    end: datetime
    parts: int

    def within(self, expected: "Span", tolerance: timedelta) -> bool:
        """Whether all of it lies in what is expected, or up to the tolerance before or behind that."""
        if not self.is_as_precise_as(expected):
            return False
        early = max(expected.start - self.start, timedelta(0))
        late = max(self.end - expected.end, timedelta(0))
        return early <= tolerance and late <= tolerance

    def order(self, expected: "Span") -> int | None:
        """-1 before, 0 in and 1 after what is expected: 10 o'clock is in its day. None for a vaguer date."""
        if not self.is_as_precise_as(expected):
            return None
        if expected.start <= self.start < expected.end:
            return 0
        return 1 if self.start >= expected.end else -1

    def is_as_precise_as(self, expected: "Span") -> bool:
        """A year says nothing about a day. Many systems leave seconds out, so a time may do so, too."""
        return self.parts >= min(expected.parts, _MINUTES)


def parse_date(written: str) -> Span | None:
    """A date or time in ISO 8601 or in the compact form of HL7 and X12; None for anything else."""
    text = written.strip()
    return _span(text) if len(text) <= SHORT else _span.__wrapped__(text)


@functools.lru_cache(maxsize=4096)
def _span(text: str) -> Span | None:
    """Remembered, since what a rule expects is compared with many values; a long text is not kept."""
    match = _ISO.fullmatch(text) or _COMPACT.fullmatch(text)
    if match is None:
        return None
    *parts, fraction, zone = match.groups()
    given = [int(part) for part in parts if part is not None]
    try:
        start = datetime(*(given + [1] * (3 - len(given)))[:6], tzinfo=_zone(zone))  # type: ignore[misc,arg-type]
        if fraction:
            start += timedelta(microseconds=int(fraction[:6].ljust(6, "0")))
        return Span(start, start + _length(start, len(given), fraction), len(given))
    except (ValueError, OverflowError):
        return None


def parse_duration(written: str | float) -> timedelta | None:
    """A length of time: seconds, or a number with a unit such as ``2 days``; None for anything else."""
    if isinstance(written, str):
        match = _DURATION.fullmatch(written)
        seconds = float(match[1]) * UNITS.get(match[2].lower(), -1) if match else -1
    else:
        seconds = -1 if isinstance(written, bool) else written
    try:
        return timedelta(seconds=seconds) if seconds >= 0 else None
    except OverflowError:
        return None


def _zone(written: str | None) -> timezone:
    if written in (None, "Z"):
        return UTC
    digits = str(written)[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if str(written).startswith("-") else offset)


def _length(start: datetime, parts: int, fraction: str | None) -> timedelta:
    """How long what was written lasts: a year, a month, a day, …"""
    if parts == 1:
        return start.replace(year=start.year + 1) - start
    if parts == 2:
        return (start.replace(day=28) + timedelta(days=4)).replace(day=1) - start
    if fraction:
        return timedelta(microseconds=1)
    return (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))[parts - 3]
