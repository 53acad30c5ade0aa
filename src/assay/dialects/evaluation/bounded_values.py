"""How deep a value of plain lists and objects is nested, and texts that are cut to a length for errors.

The depth is looked at here because it is too late when Python itself finds it too deep: libraries of the validator
that are not written in Python then end the whole program.
"""

import json
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

TEXT_LIMIT = 2000


def is_deeper(value: Any, levels: int) -> bool:
    """True if it is nested deeper than so many levels. Level by level, so that no depth is too much."""
    level = [value]
    for _ in range(levels):
        level = [below for one in level for below in _below(one)]
        if not level:
            return False
    return True


def _below(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def bounded(text: str, limit: int = TEXT_LIMIT) -> str:
    """The beginning of a text, in characters that can be written to a file."""
    cut = text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
    return cut.encode(errors="backslashreplace").decode()


def describe_value(value: object) -> str:
    """A value of JSON, for an error. A list may be too deep to be written as JSON again."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return bounded(json.dumps(value), 100)


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
