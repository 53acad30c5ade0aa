"""How many steps, and how deep, a value is checked against a schema before that is given up.

The depth is looked at here because it is too late when Python itself finds it too deep: libraries of the validator
that are not written in Python then end the whole program.
"""

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

# The next number, from 0.
Count: TypeAlias = Callable[[], int]

# The largest honest output takes a fifth of them, which is about a minute.
MOST_STEPS = 25_000_000
# Python counts more than these, so half of its limit leaves room.
FRAMES = sys.getrecursionlimit() // 2


class SlowSchemaError(Exception):
    """Checking a value takes more steps than the limit."""


class SchemaDepthError(Exception):
    """Checking a value opens more calls than it may: the value is too deep, or the schema is endless."""


def check_depth() -> None:
    """Raises ``SchemaDepthError`` where too many calls are open."""
    try:
        sys._getframe(FRAMES)
    except ValueError:  # There is no such frame: the stack is not that deep.
        return
    raise SchemaDepthError("that goes too deep")


def limited(keyword: Callable[..., Any], count: Count, most: int) -> Callable[..., Any]:
    """A keyword that counts a step, and looks at the depth, first."""

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if count() >= most:
            raise SlowSchemaError(f"that takes more than {most} steps")
        check_depth()
        return keyword(validator, value, instance, schema)

    return check
