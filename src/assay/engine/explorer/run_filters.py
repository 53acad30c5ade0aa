"""Questions about a run, how they are put together, and ranges as an address writes them.

A range is ``0.5..1``, ``..1``, ``0.5..`` or one value, of numbers or of times.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeAlias, TypeVar

from assay.core.errors import InputError
from assay.evidence.run import Run

T = TypeVar("T", float, datetime)
_DAY = len("2026-01-01")


@dataclass(frozen=True, slots=True)
class Range(Generic[T]):
    """Both ends are included; None is open."""

    low: T | None = None
    high: T | None = None

    def written(self) -> str:
        low, high = (_text(end) for end in (self.low, self.high))
        return f"{low}..{high}" if low != high else low


@dataclass(frozen=True, slots=True)
class OneOf:
    """Runs whose field has one of these values. "" is no value."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """Runs whose flag is set or not."""

    field: str
    value: bool


@dataclass(frozen=True, slots=True)
class Within:
    """Runs whose number or time lies in a range."""

    field: str
    range: Range[Any]


@dataclass(frozen=True, slots=True)
class AxisWithin:
    """Runs with a score on this axis that lies in a range."""

    axis: str
    range: Range[float]


@dataclass(frozen=True, slots=True)
class HasMetadata:
    """Runs whose metadata has this value."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class NameBegins:
    """Runs whose name begins like this."""

    text: str


@dataclass(frozen=True, slots=True)
class Mentions:
    """Runs whose trajectory has all of these words."""

    text: str


@dataclass(frozen=True, slots=True)
class Not:
    """All other runs; those that have no value of the field are among them."""

    filter: "Filter"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Runs that fit one of these."""

    filters: "tuple[Filter, ...]"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Runs that fit all of these. ``text`` is how a person wrote it."""

    filters: "tuple[Filter, ...]"
    text: str = ""


Filter: TypeAlias = OneOf | Is | Within | AxisWithin | HasMetadata | NameBegins | Mentions | Not | AnyOf | AllOf


def takes(one: Filter, run: Run, mentions: Callable[[str, str], bool]) -> bool:
    """Whether a run fits. ``mentions`` tells whether the trace of a run has some words."""
    match one:
        case OneOf(name, values):
            return (getattr(run, name) or "") in values
        case Is(name, flag):
            return bool(getattr(run, name)) is flag
        case Within(name, span):
            return _within(getattr(run, name), span)
        case AxisWithin(axis, span):
            return _within(run.axes.get(axis), span)
        case HasMetadata(key, value):
            return key in run.metadata and str(run.metadata[key]) == value
        case NameBegins(text):
            return run.name.startswith(text)
        case Mentions(text):
            return mentions(run.id, text)
        case Not(other):
            return not takes(other, run, mentions)
        case AnyOf(some):
            return any(takes(other, run, mentions) for other in some)
        case AllOf(some):
            return all(takes(other, run, mentions) for other in some)


def _within(value: float | datetime | None, span: Range[Any]) -> bool:
    if value is None:
        return False
    return (span.low is None or value >= span.low) and (span.high is None or value <= span.high)


def number_range(name: str, written: str) -> Range[float]:
    """Raises ``InputError``."""
    return _range(name, written, _number, _number, "0.5..1, ..1 or 0.5..")


def time_range(name: str, written: str) -> Range[datetime]:
    """Without a zone, times are in UTC. A day without a time is the whole day. Raises ``InputError``."""
    return _range(name, written, _begin, _end, "2026-01-01..2026-01-31 or 2026-01-01T12:00:00Z..")


def _range(
    name: str, written: str, low_of: Callable[[str], T], high_of: Callable[[str], T], example: str
) -> Range[T]:
    low, dots, high = written.partition("..")
    try:
        found = Range(low_of(low) if low else None, high_of(high if dots else low) if high or not dots else None)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{name} must be a range such as {example}, got {written!r}") from error
    if found.low is None and found.high is None:
        raise InputError(f"{name} must be a range such as {example}, got {written!r}")
    return found


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _begin(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _end(text: str) -> datetime:
    moment = _begin(text)
    return moment + timedelta(days=1, microseconds=-1) if len(text) == _DAY else moment


def _text(end: float | datetime | None) -> str:
    if end is None:
        return ""
    return end.isoformat() if isinstance(end, datetime) else repr(end)
