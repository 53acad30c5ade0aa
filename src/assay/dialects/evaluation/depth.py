"""How deep a value of plain lists and objects is nested."""

from typing import Any


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
