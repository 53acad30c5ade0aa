"""How much is read of what an agent left behind.

One rule for all sources: a record that goes beyond is not read, evidence says so, and it never helps. Nothing in
it is found, and where something must not be there, or only so often, the criterion fails.
"""

import sys
from collections.abc import Iterator
from typing import Any, Final

MEBI: Final = 1024 * 1024
_SHORT_TEXT: Final = 100
MOST_RECORDS: Final = 100_000
"""Records of one kind, such as events of a type."""
MESSAGE_BYTES: Final = 8 * MEBI
MESSAGES_BYTES: Final = 32 * MEBI
"""One message, and all messages of a kind."""
MOST_SEGMENTS: Final = 250_000
"""Segments of one message or file of HL7 v2 or X12, and of all messages of a kind that are read."""
SPEECH_CHARACTERS: Final = 1_000_000
"""All turns of a call: more than anybody says in a day."""
MOST_VALUES: Final = 1_000_000
"""Values in all records of a portal's resource, each character of a text beyond the hundredth counting as well."""
RESOURCE_VALUES: Final = 200_000
"""Values in one FHIR resource, whatever the length of its texts: attachments may be long."""
DEEPEST: Final = 90
MOST_DIGITS: Final = 1_000


def size_of(value: object, most: int = MOST_VALUES, *, short: int = _SHORT_TEXT) -> int:
    """How many values there are in plain data; counting ends beyond ``most``. Depth costs no recursion.

    Each character of a text counts as well, beyond the first ``short`` ones.
    """
    count, here = 0, [value]
    while here and count <= most:
        one = here.pop()
        count += 1 + max(0, len(one) - short) if isinstance(one, str) else 1
        here += _members(one)
    return count


def strange_resource(resource: object) -> str | None:
    """Why a FHIR resource is not looked at, if it isn't."""
    if size_of(resource, RESOURCE_VALUES, short=sys.maxsize) > RESOURCE_VALUES:
        return f"it has more than {RESOURCE_VALUES} values"
    return unusual(resource)


def unusual(value: object) -> str | None:
    """Why plain data is not looked at: it is nested too deeply, or has a number that is too long."""
    here = [value]
    for _ in range(DEEPEST):
        if any(_too_long(one) for one in here):
            return f"it has a number of more than {MOST_DIGITS} digits"
        here = [inner for one in here for inner in _members(one)]
        if not here:
            return None
    return f"it is nested more than {DEEPEST} deep"


def printable(text: str) -> str:
    """Text that every writer takes: halves of characters, as broken names have them, are written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _too_long(value: object) -> bool:
    """By its bits, because Python refuses to write very long numbers."""
    return isinstance(value, int) and value.bit_length() > MOST_DIGITS * 10 // 3


def _members(value: object) -> "Iterator[object] | tuple[object, ...]":
    if isinstance(value, dict):
        return iter(value.values())
    return iter(value) if isinstance(value, list) else ()


def json_text(value: Any) -> Any:
    """The same value with text that JSON can hold: a file name may be any bytes."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {json_text(key): json_text(item) for key, item in value.items()}
    return [json_text(item) for item in value] if isinstance(value, list | tuple) else value
