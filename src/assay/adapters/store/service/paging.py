"""Pages of a list, the newest first. A cursor says where a page begins, and in which direction it goes."""

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Select
from sqlalchemy.engine import Row

from assay.adapters.store.store import Store
from assay.core.errors import InputError
from assay.engine.service.pages import PageRequest

__all__ = ["PageRequest", "Rows", "page"]
_OLDER, _NEWER = "o", "n"


@dataclass(frozen=True, slots=True)
class Rows:
    """A part of a list, and the cursors to both sides of it."""

    rows: "list[Row[*tuple[Any, ...]]]"
    next: str | None
    prev: str | None


def page(
    store: Store, query: "Select[*tuple[Any, ...]]", by: "Column[str] | Column[int]", asked: PageRequest
) -> Rows:
    """The page that is asked for. ``by`` is unique and grows with time."""
    direction, place = _decoded(asked.cursor)
    key: Any = place
    if place is not None and by.type.python_type is int:
        key = _number(place)
    newer = direction == _NEWER
    if key is not None:
        query = query.where(by > key if newer else by < key)
    found = list(store.rows(query.order_by(by.asc() if newer else by.desc()).limit(asked.limit + 1)))
    more, found = len(found) > asked.limit, found[: asked.limit]
    if newer:
        found.reverse()
    if not found:
        return Rows([], None, None)
    first, last = (getattr(found[at], by.name) for at in (0, -1))
    has_next, has_prev = (True, more) if newer else (more, place is not None)
    return Rows(found, _encoded(_OLDER, last) if has_next else None, _encoded(_NEWER, first) if has_prev else None)


def _encoded(direction: str, place: object) -> str:
    return base64.urlsafe_b64encode(f"{direction}{place}".encode()).decode().rstrip("=")


def _decoded(cursor: str | None) -> tuple[str, str | None]:
    if cursor is None:
        return _OLDER, None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError) as error:
        raise _unusable() from error
    if text[:1] not in (_OLDER, _NEWER) or not text[1:].replace("_", "").isalnum():
        raise _unusable()
    return text[0], text[1:]


def _number(place: str) -> int:
    if not place.isdecimal() or len(place) > 18:
        raise _unusable()
    return int(place)


def _unusable() -> InputError:
    return InputError("cursor must be next or prev of an earlier page")
