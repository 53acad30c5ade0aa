"""The operators of field rules. One about a single value takes it, what is expected, and the tolerance."""

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, DecimalException
from typing import Final

from assay.formats.field_rules.dates import parse_date, parse_duration
from assay.formats.field_rules.patterns import compile_pattern, search_each
from assay.formats.field_rules.values import Plain, number, same, text

MATCHES: Final = "matches"
Tolerance = float | str | None
_WIDE: Final = Context(Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
AboutOne = Callable[[Plain, Plain, Tolerance], bool]
AboutAll = Callable[[Sequence[Plain], Plain], bool]


def check_expected(operator: str, expected: Plain, tolerance: Tolerance) -> None:
    """Refuse what an operator can't compare with. Raises ``ValueError`` that says what would be right."""
    if operator in ("in", "notIn") and not isinstance(expected, list):
        raise ValueError(f"{operator} needs a list of values")
    if operator == "between" and not (isinstance(expected, list) and len(expected) == 2):
        raise ValueError("between needs a list of two values, the lower one first")
    if operator in ("greaterThan", "lessThan", "greaterOrEqual", "lessOrEqual") and _order_key(expected) is None:
        raise ValueError(f"{operator} needs a number or a date, not {expected!r}")
    if operator == "between" and isinstance(expected, list) and any(_order_key(one) is None for one in expected):
        raise ValueError("between needs two numbers or two dates")
    if operator == MATCHES:
        compile_pattern(expected)
    if operator in ("startsWith", "endsWith") and not isinstance(expected, str):
        raise ValueError(f"{operator} needs a text")
    if operator == "count" and _limits(expected) is None:
        raise ValueError("count needs a whole number of at least 0, or {min, max}")
    if operator == "approx" and number(expected) is None:
        raise ValueError("approx needs a number")
    if operator == "approx" and _around(expected, tolerance) is None:
        raise ValueError("the tolerance of approx is a number of at least 0, or a percentage such as '5%'")
    if operator == "dateWithin":
        _check_date(expected, tolerance)


def _check_date(expected: Plain, tolerance: Tolerance) -> None:
    if not isinstance(expected, str) or parse_date(expected) is None:
        raise ValueError(f"dateWithin needs a date, not {expected!r}")
    if tolerance is None or parse_duration(tolerance) is None:
        raise ValueError("dateWithin needs a tolerance such as '2 days'")


def _contains(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    """A text contains a part of it, a list an element, an object a key with its value."""
    if isinstance(value, list):
        return any(same(one, expected) for one in value)
    if isinstance(value, dict) and isinstance(expected, dict):
        return all(key in value and same(value[key], expected[key]) for key in expected)
    whole, part = text(value), text(expected)
    return whole is not None and part is not None and part in whole


def _order_key(value: Plain) -> tuple[str, Decimal | float] | None:
    """Something that can be put in order: a number, or a moment."""
    exact = number(value)
    # Eight digits are a date in HL7 and X12, and a number elsewhere; of one length, both keep their order.
    if exact is not None:
        return "number", exact
    span = parse_date(value) if isinstance(value, str) else None
    return None if span is None else ("date", span.start.timestamp())


def _compared(value: Plain, expected: Plain) -> int | None:
    """-1, 0 or 1; None for what can't be put in order."""
    exact, other = number(value), number(expected)
    if exact is not None and other is not None and not _are_moments(value, expected):
        return (exact > other) - (exact < other)
    left, right = _order_key(value), _order_key(expected)
    if left is None or right is None or left[0] != right[0] or _are_moments(value, expected):
        left, right = _as_dates(value), _as_dates(expected)
    if left is None or right is None:
        return None
    return (left[1] > right[1]) - (left[1] < right[1])


def _are_moments(value: Plain, expected: Plain) -> bool:
    """Whether two texts of digits are a day and a time, as HL7 has them: as numbers, every time is later."""
    if not isinstance(value, str) or not isinstance(expected, str) or len(value) == len(expected):
        return False
    spans = [parse_date(one) for one in (value, expected) if len(one) >= 8 and one.isdigit()]
    return len(spans) == 2 and all(span is not None and 1800 <= span.start.year < 2200 for span in spans)


def _as_dates(value: Plain) -> tuple[str, float] | None:
    span = parse_date(value) if isinstance(value, str) else None
    return None if span is None else ("date", span.start.timestamp())


def _ordered(holds: Callable[[int], bool]) -> AboutOne:
    def compare(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
        order = _compared(value, expected)
        return order is not None and holds(order)

    return compare


def _between(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    if not isinstance(expected, list):
        return False
    low, high = _compared(value, expected[0]), _compared(value, expected[1])
    return low is not None and high is not None and low >= 0 >= high


def _approx(value: Plain, expected: Plain, tolerance: Tolerance) -> bool:
    exact, limits = number(value), _around(expected, tolerance)
    return exact is not None and limits is not None and limits[0] <= exact <= limits[1]


def _around(expected: Plain, tolerance: Tolerance) -> tuple[Decimal, Decimal] | None:
    """From what to what a number may be; None where that can't be said."""
    middle = number(expected)
    bound = _bound(tolerance) if tolerance is not None else (Decimal("1e-9"), True)
    if middle is None or bound is None:
        return None
    try:
        amount = bound[0] * abs(middle) if bound[1] else bound[0]
        return middle - amount, middle + amount
    except DecimalException:
        return None


def _bound(tolerance: Tolerance) -> tuple[Decimal, bool] | None:
    """How much, and whether that is relative."""
    percent = isinstance(tolerance, str) and tolerance.strip().endswith("%")
    amount = number(tolerance.strip().rstrip("%") if isinstance(tolerance, str) else tolerance)
    if amount is None or amount < 0:
        return None
    return (amount.scaleb(-2, _WIDE), True) if percent else (amount, False)


def _date_within(value: Plain, expected: Plain, tolerance: Tolerance) -> bool:
    left = parse_date(value) if isinstance(value, str) else None
    right = parse_date(expected) if isinstance(expected, str) else None
    allowed = None if tolerance is None else parse_duration(tolerance)
    return left is not None and right is not None and allowed is not None and left.distance(right) <= allowed


def _starts(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    whole = text(value)
    return whole is not None and isinstance(expected, str) and whole.startswith(expected)


def _ends(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    whole = text(value)
    return whole is not None and isinstance(expected, str) and whole.endswith(expected)


def answers(operator: str, found: Sequence[Plain], expected: Plain, tolerance: Tolerance = None) -> Sequence[bool]:
    """What an operator about a single value says of each."""
    if operator == MATCHES:
        return search_each(compile_pattern(expected), map(text, found))
    compare = ABOUT_ONE[operator]
    return [compare(one, expected, tolerance) for one in found]


def _is_empty(value: Plain) -> bool:
    return value is None or value in ("", [], {})


def _limits(expected: Plain) -> tuple[int, float] | None:
    """The least and the most that a count may be."""
    if isinstance(expected, int) and not isinstance(expected, bool) and expected >= 0:
        return expected, expected
    if not isinstance(expected, dict) or not expected or expected.keys() - {"min", "max"}:
        return None
    low, high = expected.get("min", 0), expected.get("max", float("inf"))
    if isinstance(low, bool) or isinstance(high, bool) or not isinstance(low, int):
        return None
    return (low, high) if isinstance(high, int) or high == float("inf") else None


def _count(found: Sequence[Plain], expected: Plain) -> bool:
    limits = _limits(expected)
    return limits is not None and limits[0] <= len(found) <= limits[1]


ABOUT_ONE: Final[dict[str, AboutOne]] = {
    "equals": lambda value, expected, _: same(value, expected),
    "notEquals": lambda value, expected, _: not same(value, expected),
    "in": lambda value, expected, _: isinstance(expected, list) and any(same(value, one) for one in expected),
    "notIn": lambda value, expected, _: (
        isinstance(expected, list) and not any(same(value, one) for one in expected)
    ),
    "contains": _contains,
    "notContains": lambda value, expected, tolerance: not _contains(value, expected, tolerance),
    MATCHES: lambda value, expected, _: answers(MATCHES, [value], expected)[0],
    "greaterThan": _ordered(lambda order: order > 0),
    "lessThan": _ordered(lambda order: order < 0),
    "greaterOrEqual": _ordered(lambda order: order >= 0),
    "lessOrEqual": _ordered(lambda order: order <= 0),
    "between": _between,
    "startsWith": _starts,
    "endsWith": _ends,
    "dateWithin": _date_within,
    "approx": _approx,
}

ABOUT_ALL: Final[dict[str, AboutAll]] = {
    "exists": lambda found, _: bool(found),
    "notExists": lambda found, _: not found,
    "empty": lambda found, _: all(map(_is_empty, found)),
    "notEmpty": lambda found, _: not all(map(_is_empty, found)),
    "count": _count,
}
