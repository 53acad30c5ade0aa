"""What stands at a path: a value, an explicit null, or nothing. The three are different."""

import functools
from decimal import Decimal, InvalidOperation
from typing import NamedTuple, Union

from typing_extensions import TypeAliasType

# Named, so that whoever validates a rule can follow a type that contains itself.
Plain = TypeAliasType("Plain", Union[str, int, float, bool, "list[Plain]", "dict[str, Plain]", None])

SHORT = 64


class Found(NamedTuple):
    """One value at a path. ``value`` is None for an explicit null. ``place`` says where it was found."""

    value: Plain
    place: str = ""


def number(value: Plain) -> Decimal | None:
    """A value as a number: a number, or a text that is nothing but one. A boolean is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = repr(value) if isinstance(value, float) else str(value).strip()
    return _exact(text) if len(text) <= SHORT else _exact.__wrapped__(text)


@functools.lru_cache(maxsize=4096)
def _exact(text: str) -> Decimal | None:
    """Remembered, since what a rule expects is compared with many values; a long text is not kept."""
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return None
    return exact if exact.is_finite() else None


def same(left: Plain, right: Plain) -> bool:
    """Whether two values are equal: 1 and 1.0 are, 1 and true are not, nor are 1 and "1"."""
    if type(left) is str:
        # Most values are texts, and the questions below take their time.
        return type(right) is str and left == right
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right


def text(value: Plain) -> str | None:
    """A value as the text that comparisons of texts look at; None for what has no text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None
