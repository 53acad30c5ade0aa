"""Parts of lists: which one is asked for, and what it has."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from assay.core.errors import InputError

DEFAULT_LIMIT: Final = 20
MOST: Final = 100
Item = TypeVar("Item")
Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class SliceRequest:
    """Which part of a list is asked for. A cursor is ``next`` or ``prev`` of an earlier part."""

    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Slice(Generic[Item]):
    """A part of a list of at most ``limit``, and the cursors to both sides of it."""

    rows: list[Item]
    limit: int
    next: str | None = None
    prev: str | None = None

    def each(self, show: Callable[[Item], Shown]) -> "Slice[Shown]":
        """The same part, with what is shown of each row."""
        return self.all([show(row) for row in self.rows])

    def all(self, shown: list[Shown]) -> "Slice[Shown]":
        return Slice(shown, self.limit, self.next, self.prev)


def slice_request(limit: str | None, cursor: str | None) -> SliceRequest:
    """As it is written in an address. Raises ``InputError``."""
    if limit is None:
        return SliceRequest(cursor=cursor)
    if not (limit.isascii() and limit.isdecimal() and len(limit) < 4 and 1 <= int(limit) <= MOST):
        raise InputError(f"limit must be a whole number from 1 to {MOST}")
    return SliceRequest(int(limit), cursor)
