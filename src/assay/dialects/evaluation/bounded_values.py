"""How deep a value of plain lists and objects is nested, and texts that are cut to a length for errors."""

import json
from typing import Any

TEXT_LIMIT = 2000


def is_deeper(value: Any, levels: int) -> bool:
    """Whether it is nested deeper than so many levels. Level by level, so that no depth is too much."""
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


def named(value: object) -> str:
    """A value of JSON, for an error. A list may be too deep to be written as JSON again."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return bounded(json.dumps(value), 100)
