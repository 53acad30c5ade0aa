"""A store's limits: the same on every database, and checked before anything gets there.

PostgreSQL has no NUL in a text, neither has UTF-8 a lone half of a pair, and what an index is over must be short.
Payloads and the texts inside of JSON may have anything.
"""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from assay.core.errors import InputError

NAME_BYTES: Final = 200
KEY_BYTES: Final = 1000
PAYLOAD_BYTES: Final = 64 * 1024 * 1024
LAST_TURN: Final = 2**31 - 1


def is_text(value: str) -> bool:
    """Whether a text could be in a store at all."""
    if "\0" in value:
        return False
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def checked_text(value: str, what: str) -> str:
    """A text as it is. Raises ``InputError``."""
    if "\0" in value:
        raise InputError(f"{what} must not contain a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{what} must be Unicode text, but has half of a character at position {error.start}"
        ) from error
    return value


def checked_name(value: str, what: str, limit: int = NAME_BYTES) -> str:
    """A text that something is found by."""
    if not 0 < len(checked_text(value, what).encode()) <= limit:
        raise InputError(f"{what} must be a text of 1 to {limit} bytes, got {len(value.encode())}")
    return value


def checked_payload(value: bytes, what: str) -> bytes:
    if len(value) > PAYLOAD_BYTES:
        raise InputError(f"{what} must have at most {PAYLOAD_BYTES} bytes, got {len(value)}")
    return value


def checked_data(value: Mapping[str, object], what: str) -> dict[str, object]:
    """An object that JSON can hold."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} can't be written as JSON: {error}") from error
    except RecursionError as error:
        raise InputError(f"{what} is nested too deeply") from error
    return dict(value)


def checked_turn(number: int) -> int:
    if not 1 <= number <= LAST_TURN:
        raise InputError(f"the number of a turn must be from 1 to {LAST_TURN}, got {number}")
    return number


def checked_time(value: datetime, what: str) -> datetime:
    if value.utcoffset() is None:
        raise InputError(f"{what} must have a time zone, such as Z or +01:00")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InputError(f"{what} is out of range") from error


def without_nul(text: str) -> str:
    """PostgreSQL has no NUL in a text, and neither has UTF-8 half of a character; evidence has both as JSON."""
    if is_text(text):
        return text
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode("utf-8", "replace").decode()


def without_nan(value: Any) -> Any:
    """The same value with null in place of every NaN and infinity, which JSON can't hold."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
