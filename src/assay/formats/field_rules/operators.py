"""The operators of field rules. One about a single value takes the value, what is expected, and the tolerance."""

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, DecimalException
from typing import Final, TypeGuard

from assay.formats.field_rules.dates import Span, parse_date, parse_duration
from assay.formats.field_rules.values import Plain, compile_pattern, number, same, search_each, text

MATCHES: Final = "matches"
Tolerance = float | str | None
_WIDE: Final = Context(Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
AboutOne = Callable[[Plain, Plain, Tolerance], bool]
AboutAll = Callable[[Sequence[Plain], Plain], bool]


def _contains(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    """A text contains a part of it, a list an element, an object a key with its value."""
    if isinstance(value, list):
        return any(same(one, expected) for one in value)
    if isinstance(value, dict) and isinstance(expected, dict):
        return all(key in value and same(value[key], expected[key]) for key in expected)
    whole, part = text(value), text(expected)
    return whole is not None and part is not None and part in whole


def has_order(value: Plain) -> bool:
    """Whether something can be put in order: a number or a time."""
    return number(value) is not None or _date(value) is not None


def _compare_values(value: Plain, expected: Plain) -> int | None:
    """-1, 0 or 1; None for values that can't be put in order."""
    # Eight digits are a date in HL7 and X12, and a number elsewhere; of one length, both keep their order.
    exact, other = number(value), number(expected)
    if exact is not None and other is not None and not _are_moments(value, expected):
        return (exact > other) - (exact < other)
    left, right = _date(value), _date(expected)
    return None if left is None or right is None else left.order(right)


def _are_moments(value: Plain, expected: Plain) -> bool:
    """Whether two texts of digits are a day and a time, as in HL7: as numbers, every time would be later."""
    if not isinstance(value, str) or not isinstance(expected, str) or len(value) == len(expected):
        return False
    spans = [parse_date(one) for one in (value, expected) if len(one) >= 8 and one.isdigit()]
    return len(spans) == 2 and all(span is not None and 1800 <= span.start.year < 2200 for span in spans)


def _date(value: Plain) -> Span | None:
    return parse_date(value) if isinstance(value, str) else None


def _order_operator(holds: Callable[[int], bool]) -> AboutOne:
    def compare(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
        order = _compare_values(value, expected)
        return order is not None and holds(order)

    return compare


def _between(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    if not isinstance(expected, list):
        return False
    low, high = _compare_values(value, expected[0]), _compare_values(value, expected[1])
    return low is not None and high is not None and low >= 0 >= high


def _approx(value: Plain, expected: Plain, tolerance: Tolerance) -> bool:
    exact, limits = number(value), around(expected, tolerance)
    return exact is not None and limits is not None and limits[0] <= exact <= limits[1]


def around(expected: Plain, tolerance: Tolerance) -> tuple[Decimal, Decimal] | None:
    """The least and the most that a number may be; None if that can't be told."""
    middle = number(expected)
    bound = _tolerance_bound(tolerance) if tolerance is not None else (Decimal("1e-9"), True)
    if middle is None or bound is None:
        return None
    try:
        amount = bound[0] * abs(middle) if bound[1] else bound[0]
        return middle - amount, middle + amount
    except DecimalException:
        return None


def _tolerance_bound(tolerance: Tolerance) -> tuple[Decimal, bool] | None:
    """How much, and whether that is relative to the number."""
    percent = isinstance(tolerance, str) and tolerance.strip().endswith("%")
    amount = number(tolerance.strip().rstrip("%") if isinstance(tolerance, str) else tolerance)
    if amount is None or amount < 0:
        return None
    return (amount.scaleb(-2, _WIDE), True) if percent else (amount, False)


def _date_within(value: Plain, expected: Plain, tolerance: Tolerance) -> bool:
    left, right = _date(value), _date(expected)
    allowed = None if tolerance is None else parse_duration(tolerance)
    return left is not None and right is not None and allowed is not None and left.within(right, allowed)


def _starts(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    whole = text(value)
    return whole is not None and isinstance(expected, str) and whole.startswith(expected)


def _ends(value: Plain, expected: Plain, _tolerance: Tolerance) -> bool:
    whole = text(value)
    return whole is not None and isinstance(expected, str) and whole.endswith(expected)


def answers(operator: str, found: Sequence[Plain], expected: Plain, tolerance: Tolerance = None) -> Sequence[bool]:
    """The answers of an operator about a single value."""
    if operator == MATCHES:
        return search_each(compile_pattern(expected), map(text, found))
    compare = ABOUT_ONE[operator]
    return [compare(one, expected, tolerance) for one in found]


def _is_empty(value: Plain) -> bool:
    return value is None or value in ("", [], {})


def count_limits(expected: Plain) -> tuple[int, float] | None:
    """The least and the most that a count may be; None for what is neither a whole number nor ``{min, max}``."""
    if not isinstance(expected, dict):
        return (expected, expected) if _is_whole(expected) and expected >= 0 else None
    if not expected or expected.keys() - {"min", "max"}:
        return None
    low, high = expected.get("min", 0), expected.get("max", float("inf"))
    return (low, high) if _is_whole(low) and (_is_whole(high) or high == float("inf")) else None


def _is_whole(value: Plain) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _count(found: Sequence[Plain], expected: Plain) -> bool:
    limits = count_limits(expected)
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
    "greaterThan": _order_operator(lambda order: order > 0),
    "lessThan": _order_operator(lambda order: order < 0),
    "greaterOrEqual": _order_operator(lambda order: order >= 0),
    "lessOrEqual": _order_operator(lambda order: order <= 0),
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
