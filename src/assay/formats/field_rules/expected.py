"""What an operator can compare with. Anything else is refused when a rule is made."""

from collections.abc import Callable, Mapping
from typing import Final

from assay.formats.field_rules.dates import parse_date, parse_duration
from assay.formats.field_rules.operators import MATCHES, Tolerance, around, count_limits, has_order
from assay.formats.field_rules.patterns import compile_pattern
from assay.formats.field_rules.values import Plain, number

Check = Callable[[str, Plain, Tolerance], None]


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


def _ordered(operator: str, expected: Plain, _tolerance: Tolerance) -> None:
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
    **dict.fromkeys(("greaterThan", "lessThan", "greaterOrEqual", "lessOrEqual"), _ordered),
    **dict.fromkeys(("startsWith", "endsWith"), _text),
    "between": _bounds,
    MATCHES: _pattern,
    "count": _count,
    "approx": _approx,
    "dateWithin": _date,
}
