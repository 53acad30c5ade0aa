"""How long, and how deep, a value is held against a schema before that is given up.

The depth is looked at here because it is too late when Python itself finds it too deep: libraries of the validator
that are not written in Python then end the whole program.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

# The largest honest output takes about a minute.
LIMIT_SEC = 300.0
TOO_DEEP = "that goes too deep"
# Python counts more than these, so half of its limit leaves room.
FRAMES = sys.getrecursionlimit() // 2


class SchemaLimitError(Exception):
    """A value can't be held against its schema within the limits."""


def check_depth() -> None:
    """Raises ``SchemaLimitError`` where too many calls are open."""
    try:
        sys._getframe(FRAMES)
    except ValueError:  # There is no such frame: the stack is not that deep.
        return
    raise SchemaLimitError(TOO_DEEP)


def limited(keyword: Callable[..., Any], limit_sec: float) -> Callable[..., Any]:
    """A keyword that looks at the clock and at the depth first."""
    end = time.monotonic() + limit_sec

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        if time.monotonic() > end:
            raise SchemaLimitError(f"that takes longer than {limit_sec:g} s")
        check_depth()
        return keyword(validator, value, instance, schema)

    return check
