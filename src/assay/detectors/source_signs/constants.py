"""Constants in code, for comparing what source knows with what tests ask and expect."""

import re
from collections.abc import Hashable

Constants = tuple[Hashable, ...]

_ONE = r"(?:-?\d[\d_]*(?:\.\d+)?|\"(?:[^\"\\\n]|\\.){0,300}\"|'(?:[^'\\\n]|\\.){0,300}'|`[^`\n]{0,300}`)"
_LITERAL = re.compile(rf"(?<![\w.]){_ONE}")
_NUMBER = re.compile(r"(\d[\d_]*(?:\.\d+)?)(?:[LlfFdDmMnU]|[iu](?:8|16|32|64|128|size)|f32|f64)?")


def in_line(line: str) -> frozenset[Hashable]:
    """The numbers and texts of a line of any language."""
    return frozenset(of_literal(found[0]) for found in _LITERAL.finditer(line[:2000]))


def of_literal(literal: str) -> Hashable:
    """The value of a number or a text as most languages write it."""
    if literal[:1] in "\"'`":
        return literal[1:-1]
    number = literal.replace("_", "")
    return float(number) if "." in number else int(number[:300])


def number_of(word: str) -> int | float | None:
    """The value of a word that is a number, with the type that it may name: ``10u64``; None for any other word."""
    found = _NUMBER.fullmatch(word)
    if found is None:
        return None
    value = of_literal(found[1])
    # A number that no message has room for is as good as one that it has.
    return value if isinstance(value, float) or (isinstance(value, int) and value.bit_length() < 63) else None


def is_rare(value: Hashable) -> bool:
    """Whether a constant is unlikely to be in two places by chance."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return abs(value) >= 10 or value != int(value) if abs(value) < 1e15 else value == value  # noqa: PLR0124
    return isinstance(value, str | bytes) and len(value) >= 3
