"""What a field of a check may declare beside its type, for schemas and forms: ``field(metadata=limits(1, 60))``.

It is shown and not enforced: a check looks at its fields itself, and says what is wrong in its own words.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

_SCHEMA: Final = "json_schema_extra"

MULTILINE: Final[Mapping[str, Any]] = {_SCHEMA: {"format": "multiline"}}
"""A text that may have several lines."""


def limits(least: float | None = None, most: float | None = None) -> Mapping[str, Any]:
    """The smallest and the largest number that a field takes."""
    given = {"minimum": least, "maximum": most}
    return {_SCHEMA: {name: one for name, one in given.items() if one is not None}}


def one_of(choices: Iterable[str]) -> Mapping[str, Any]:
    """The texts that a field takes."""
    return {_SCHEMA: {"enum": list(choices)}}
