"""What one place of a message holds.

A value that is made of parts (``Smith^John``) is text too. It is given in the standard delimiters ``|^~\\&``,
whatever its message uses, with its escape sequences, for without them it could be read in two ways. A value
without parts is given as it was meant.
"""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from assay.formats.hl7.encoding import STANDARD, Encoding
from assay.formats.hl7.escapes import unescape


class Presence(Enum):
    """Four things that are not the same: an explicit null deletes what a receiver knows, the others don't."""

    TEXT = "text"
    EMPTY = "empty"
    """The place is there, between its delimiters, and holds nothing."""
    NULL = "null"
    """Two quotes: what was known is to be deleted."""
    ABSENT = "absent"
    """The text ends before the place comes."""


class Value(NamedTuple):
    """``text`` is empty unless the presence is TEXT."""

    presence: Presence
    text: str = ""


# There is one value of each of these, and one name for what most values are: both are looked at very often.
TEXT = Presence.TEXT
EMPTY = Value(Presence.EMPTY)
NULL = Value(Presence.NULL)
ABSENT = Value(Presence.ABSENT)


def value_of(raw: str, encoding: Encoding) -> Value:
    """The value of a place that is written as ``raw``."""
    if raw.isalnum():
        # Most values are, and no letter or digit is a delimiter.
        return Value(TEXT, raw)
    if not raw:
        return EMPTY
    if raw == '""':
        return NULL
    for char in encoding.within_fields:
        if char in raw:
            return Value(TEXT, in_standard(raw, encoding))
    return Value(TEXT, unescape(raw, encoding))


def split(raw: str, delimiter: str | None) -> list[str]:
    """The parts of a text; a delimiter that a message does not have divides nothing."""
    return [raw] if delimiter is None else raw.split(delimiter)


def in_standard(raw: str, encoding: Encoding) -> str:
    """The same text, written in the standard delimiters."""
    table = _to_standard(encoding)
    return raw.translate(table) if table else raw


@lru_cache(maxsize=64)
def _to_standard(encoding: Encoding) -> dict[int, str]:
    """Delimiters become the standard ones, and plain characters that are delimiters there are escaped."""
    letters = {"field": "F", "component": "S", "repetition": "R", "escape": "E", "subcomponent": "T"}
    table: dict[int, str] = {ord(getattr(STANDARD, role)): f"\\{letter}\\" for role, letter in letters.items()}
    for role in letters:
        char: str | None = getattr(encoding, role)
        if char is not None:
            table[ord(char)] = getattr(STANDARD, role)
    return {code: text for code, text in table.items() if chr(code) != text}
