"""How long, and how deep, a value is checked against a schema before that is given up.

The depth is looked at here because it is too late when Python itself finds it too deep: libraries of the validator
that are not written in Python then end the whole program.
"""

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

# Seconds that only ever go up.
Clock: TypeAlias = Callable[[], float]

# The largest honest output takes about a minute.
LIMIT_SEC = 300.0
# Python counts more than these, so half of its limit leaves room.
FRAMES = sys.getrecursionlimit() // 2


class SlowSchemaError(Exception):
    """Checking a value takes longer than the limit."""


class SchemaDepthError(Exception):
    """Checking a value opens more calls than it may: the value is too deep, or the schema is endless."""


def check_depth() -> None:
    """Raises ``SchemaDepthError`` where too many calls are open."""
    try:
        sys._getframe(FRAMES)
    except ValueError:  # There is no such frame: the stack is not that deep.
        return
    raise SchemaDepthError("that goes too deep")


def limited(keyword: Callable[..., Any], clock: Clock, limit_sec: float) -> Callable[..., Any]:
    """A keyword that looks at the clock and at the depth first."""
    end = clock() + limit_sec

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if clock() > end:
            raise SlowSchemaError(f"that takes longer than {limit_sec:g} s")
        check_depth()
        return keyword(validator, value, instance, schema)

    return check
