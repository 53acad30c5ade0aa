"""Which part of a list is asked for."""

from dataclasses import dataclass
from typing import Final

from assay.core.errors import InputError

DEFAULT_LIMIT: Final = 20
MOST: Final = 100


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which part of a list is asked for. A cursor is ``next`` or ``prev`` of an earlier page."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


def page_request(limit: str | None, cursor: str | None) -> PageRequest:
    """As it is written in an address. Raises ``InputError``."""
    if limit is None:
        return PageRequest(cursor=cursor)
    if not (limit.isascii() and limit.isdecimal() and len(limit) < 4 and 1 <= int(limit) <= MOST):
        raise InputError(f"limit must be a whole number from 1 to {MOST}")
    return PageRequest(int(limit), cursor)
