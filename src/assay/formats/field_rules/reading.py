"""How a rule reads values before it compares them: as a number or a date, and perhaps without regard to case."""

from collections.abc import Callable, Mapping
from datetime import UTC
from decimal import Decimal
from typing import Final

from assay.formats.field_rules.dates import Span, parse_date
from assay.formats.field_rules.values import Plain, number, text

# A number of more digits is left in its scientific form.
_PLAIN_DIGITS: Final = 60


def read(value: Plain, kind: str | None, ignore_case: bool) -> Plain:
    """A value in the one form that its type has; what isn't of that type stays as it is."""
    if isinstance(value, list):
        return [read(one, kind, ignore_case) for one in value]
    if isinstance(value, dict):
        return {key: read(one, kind, ignore_case) for key, one in value.items()}
    if kind is not None:
        value = TYPES[kind](value)
    return value.casefold() if ignore_case and isinstance(value, str) else value


def _number(value: Plain) -> Plain:
    exact = number(value)
    return value if exact is None else _digits(exact)


def _digits(exact: Decimal) -> str:
    least = exact.normalize()
    return f"{least:f}" if abs(least.adjusted()) < _PLAIN_DIGITS else str(least)


def _date(value: Plain) -> Plain:
    span = parse_date(value) if isinstance(value, str) else None
    try:
        return value if span is None else _moment(span)
    except OverflowError:  # In UTC, it would be in the year 0 or 10000.
        return value


def _moment(span: Span) -> str:
    """As precise as it was written. Times are in UTC."""
    at = span.start if span.parts <= 3 else span.start.astimezone(UTC)
    day = (f"{at.year:04}", f"{at.month:02}", f"{at.day:02}")[: span.parts]
    if span.parts <= 3:
        return "-".join(day)
    clock = (f"{at.hour:02}", f"{at.minute:02}", f"{at.second:02}.{at.microsecond:06}")[: span.parts - 3]
    return f"{''.join(day)}{clock[0]}Z" if span.parts == 4 else f"{'-'.join(day)}T{':'.join(clock)}Z"


def _text(value: Plain) -> Plain:
    whole = text(value)
    return value if whole is None else whole


TYPES: Final[Mapping[str, Callable[[Plain], Plain]]] = {"text": _text, "number": _number, "date": _date}
