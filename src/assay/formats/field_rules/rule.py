"""A rule about a field, and whether it holds for what was found at its path.

``match`` says how many of several values must satisfy the operator: ``any``, ``all``, ``none``, ``only`` (there is
one value, and it does) or ``first``. The default is ``any``, and ``all`` for ``notEquals``, ``notIn`` and
``notContains``, which also hold if the path has no value. ``any``, ``only`` and ``first`` need a value. Operators
about presence and number look at all values at once.
"""

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from typing import ClassVar, Final

from assay.formats.field_rules.dates import Span, parse_date, parse_duration
from assay.formats.field_rules.operators import (
    ABOUT_ALL,
    ABOUT_ONE,
    Tolerance,
    answers,
    around,
    count_limits,
    has_order,
)
from assay.formats.field_rules.operators import MATCHES as PATTERN
from assay.formats.field_rules.values import Plain, compile_pattern, number, text

MATCHES: Final = ("any", "all", "none", "only", "first")
NEGATIVE: Final = ("notEquals", "notIn", "notContains")
# Larger ones could not be added up.
MAX_WEIGHT: Final = 1e100
OPERATORS: Final = (*ABOUT_ONE, *ABOUT_ALL)
Check = Callable[[str, Plain, Tolerance], None]
# A number of more digits is left in its scientific form.
_PLAIN_DIGITS: Final = 60
Result = dict[str, object]


@dataclass(frozen=True, slots=True)
class FieldRule:
    """``expected`` is compared with the value; ``tolerance`` is for ``approx`` and ``dateWithin``.

    With a ``type`` (text, number or date), both are read as that first: ``120`` is ``120.0``, and ``20250714`` is
    ``2025-07-14``. With ``ignore_case``, upper and lower case don't differ.
    """

    # Unknown fields are refused when a rule is built from a file.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    path: str
    expected: Plain = None
    operator: str = "equals"
    match: str | None = None
    tolerance: float | str | None = None
    weight: float = 1
    type: str | None = None
    ignore_case: bool = False

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise ValueError(f"operator must be one of {', '.join(OPERATORS)}, got {self.operator!r}")
        if self.match is not None and self.match not in MATCHES:
            raise ValueError(f"match must be one of {', '.join(MATCHES)}, got {self.match!r}")
        if self.type is not None and self.type not in TYPES:
            raise ValueError(f"type must be one of {', '.join(TYPES)}, got {self.type!r}")
        if isinstance(self.weight, bool) or not 0 <= self.weight <= MAX_WEIGHT:
            raise ValueError(f"weight must be a number from 0 to {MAX_WEIGHT:g}, got {self.weight!r}")
        compared = self._read_expected() if self.operator == PATTERN else self.expected
        check_expected(self.operator, compared, self.tolerance)

    def holds(self, found: Sequence[Plain]) -> bool:
        """Whether the values at the path satisfy the rule."""
        if self.operator in ABOUT_ALL:
            return ABOUT_ALL[self.operator](found, self.expected)
        expected = self.expected
        if self.type is not None or self.ignore_case:
            found, expected = [self._read(one) for one in found], self._read_expected()
        if len(found) == 1:
            holds = ABOUT_ONE[self.operator](found[0], expected, self.tolerance)
            return holds is not (self.match == "none")
        return self._enough(answers(self.operator, found, expected, self.tolerance))

    def _read(self, value: Plain) -> Plain:
        return read(value, self.type, self.ignore_case)

    def _read_expected(self) -> Plain:
        if self.operator == PATTERN and isinstance(self.expected, str):
            return f"(?i:{self.expected})" if self.ignore_case else self.expected
        return self._read(self.expected)

    def _enough(self, said: Sequence[bool]) -> bool:
        """Whether the operator holds for as many values as it should."""
        match = self.match or ("all" if self.operator in NEGATIVE else "any")
        if not said:
            # A missing value differs from every value, but it isn't a value that differs.
            return match == "none" or (self.operator in NEGATIVE and match == "all")
        if match == "first":
            return said[0]
        if match == "only":
            return False
        return all(said) if match == "all" else any(said) is not (match == "none")


def actual(found: Sequence[Plain]) -> Plain:
    """The found value to show: the value, the values, or None where there is nothing."""
    if not found:
        return None
    return found[0] if len(found) == 1 else list(found)


def check_expected(operator: str, expected: Plain, tolerance: Tolerance) -> None:
    """Refuse what an operator can't compare with. Raises ``ValueError`` that says what would be right."""
    check = _CHECKS.get(operator)
    if check is not None:
        check(operator, expected, tolerance)


def _list(operator: str, expected: Plain, _tolerance: Tolerance) -> None:
    if not isinstance(expected, list):
        raise ValueError(f"{operator} needs a list of values, got {expected!r}")


def _bounds(_operator: str, expected: Plain, _tolerance: Tolerance) -> None:
    if not isinstance(expected, list) or len(expected) != 2:
        raise ValueError(f"between needs a list of two values, the lower one first, got {expected!r}")
    if any(not has_order(one) for one in expected):
        raise ValueError(f"between needs two numbers or two dates, got {expected!r}")


def _require_order(operator: str, expected: Plain, _tolerance: Tolerance) -> None:
    if not has_order(expected):
        raise ValueError(f"{operator} needs a number or a date, got {expected!r}")


def _pattern(_operator: str, expected: Plain, _tolerance: Tolerance) -> None:
    compile_pattern(expected)


def _text(operator: str, expected: Plain, _tolerance: Tolerance) -> None:
    if not isinstance(expected, str):
        raise ValueError(f"{operator} needs a text, got {expected!r}")


def _count(_operator: str, expected: Plain, _tolerance: Tolerance) -> None:
    if count_limits(expected) is None:
        raise ValueError(f"count needs a whole number of at least 0, or {{min, max}}, got {expected!r}")


def _approx(_operator: str, expected: Plain, tolerance: Tolerance) -> None:
    if number(expected) is None:
        raise ValueError(f"approx needs a number, got {expected!r}")
    if around(expected, tolerance) is None:
        wanted = "a number of at least 0, or a percentage such as '5%'"
        raise ValueError(f"the tolerance of approx must be {wanted}, got {tolerance!r}")


def _date(_operator: str, expected: Plain, tolerance: Tolerance) -> None:
    if not isinstance(expected, str) or parse_date(expected) is None:
        raise ValueError(f"dateWithin needs a date, got {expected!r}")
    if tolerance is None or parse_duration(tolerance) is None:
        raise ValueError(f"dateWithin needs a tolerance such as '2 days', got {tolerance!r}")


_CHECKS: Final[Mapping[str, Check]] = {
    **dict.fromkeys(("in", "notIn"), _list),
    **dict.fromkeys(("greaterThan", "lessThan", "greaterOrEqual", "lessOrEqual"), _require_order),
    **dict.fromkeys(("startsWith", "endsWith"), _text),
    "between": _bounds,
    PATTERN: _pattern,
    "count": _count,
    "approx": _approx,
    "dateWithin": _date,
}


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


def _read_date(value: Plain) -> Plain:
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


def _read_text(value: Plain) -> Plain:
    whole = text(value)
    return value if whole is None else whole


TYPES: Final[Mapping[str, Callable[[Plain], Plain]]] = {"text": _read_text, "number": _number, "date": _read_date}


@dataclass(frozen=True, slots=True)
class Cardinality:
    """From ``min`` to ``max``; without a ``max``, any number from ``min`` on."""

    # Unknown fields are refused when it is built from a file.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    min: int = 1
    max: int | None = None

    def __post_init__(self) -> None:
        if self.min < 0 or (self.max is not None and self.max < self.min):
            raise ValueError(
                f"a cardinality needs a min of at least 0 and a max of at least min, got {self.min} to {self.max}"
            )

    def allows(self, count: int) -> bool:
        """Whether so many are right."""
        return self.min <= count and (self.max is None or count <= self.max)

    def complaint(self, count: int, what: str) -> str:
        """The complaint if they are not."""
        if self.max == self.min:
            return f"{count} of {what}, expected {self.min}"
        wanted = f"{self.min} or more" if self.max is None else f"{self.min} to {self.max}"
        return f"{count} of {what}, expected {wanted}"


def wrong_number(
    cardinality: Cardinality | None, meant: Sized, among: Sized, unread: Sized, what: str, *, needed: bool
) -> str | None:
    """The complaint where not as many are meant as should be: at least one if that is needed.

    If some could not be read, there may be too many.
    """
    if cardinality is not None and cardinality.max is not None and unread:
        return f"{len(unread)} of the {what} can't be read, so it is unknown how many match"
    if cardinality is not None and not cardinality.allows(len(meant)):
        return cardinality.complaint(len(meant), f"the {what} that match")
    if not len(meant) and (needed or cardinality is None):
        return f"none of {len(among)} {what} matches" if len(among) or len(unread) else f"there are no {what}"
    return None


def results(rules: Sequence[FieldRule], find: Callable[[FieldRule], Sequence[Plain]]) -> list[Result]:
    """One row for each rule, spelled as the document's evidence."""
    return [_row(rule, find) for rule in rules]


def _row(rule: FieldRule, find: Callable[[FieldRule], Sequence[Plain]]) -> Result:
    found = find(rule)
    row = _result(rule, actual(found), rule.holds(found))
    return row if found else {**row, "absent": True}


def _result(rule: FieldRule, found: Plain, passed: bool) -> Result:
    row: Result = {"path": rule.path, "expected": rule.expected, "actual": found, "passed": passed}
    if rule.operator != "equals":
        row["operator"] = rule.operator
    if rule.type is not None:
        row["type"] = rule.type
    if rule.ignore_case:
        row["ignore_case"] = True
    return row


def failed_row(rule: FieldRule, **more: object) -> Result:
    """The row of a rule that does not hold, whatever it says, because there is nothing to look at."""
    return {**_result(rule, None, False), **more}


def absent_rows(rules: Sequence[FieldRule]) -> list[Result]:
    """The rows where there is nothing to look at."""
    return [failed_row(rule, absent=True) for rule in rules]
