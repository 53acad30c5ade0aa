"""What is at a path: values, an explicit null, or nothing. The three are different.

It is a sequence: None in it is an explicit null, and an empty one is nothing.
"""

import functools
import re
from decimal import Decimal, InvalidOperation
from typing import Union

from typing_extensions import TypeAliasType

# Named, so that validators can follow a type that contains itself.
Plain = TypeAliasType("Plain", Union[str, int, float, bool, "list[Plain]", "dict[str, Plain]", None])

SHORT = 64
# Python also takes 1_000 and the like for numbers, which nobody else does.
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")


def number(value: Plain) -> Decimal | None:
    """A value as a number: a number, or a text that is only a number. A boolean isn't one."""
    if isinstance(value, str):
        return _exact(value) if len(value) <= SHORT else _exact.__wrapped__(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _exact(repr(value))


@functools.lru_cache(maxsize=4096)
def _exact(text: str) -> Decimal | None:
    """Remembered, since what a rule expects is compared with many values; a long text is not kept."""
    try:
        return Decimal(text) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:
        # Its exponent is longer than any number needs.
        return None


def same(left: Plain, right: Plain) -> bool:
    """Whether two values are equal: 1 and 1.0 are, 1 and true are not, nor are 1 and "1"."""
    if type(left) is str:
        # Most values are texts, and the questions below take their time.
        return type(right) is str and left == right
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list | dict):
        return _same_parts(left, right)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right


def _same_parts(left: Plain, right: Plain) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return False


def text(value: Plain) -> str | None:
    """A value as the text that comparisons of texts look at; None for what has no text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None
