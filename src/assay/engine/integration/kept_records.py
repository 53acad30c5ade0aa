"""The records of a playground, one by one: to be looked at, and removed."""

import base64
from collections.abc import Mapping
from typing import Any, Final

from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.playgrounds import Playgrounds
from assay.engine.service.storage import Row, RowReader, require

# By the kind: the table, the columns by which a record is found there, and the column that orders the list.
_PLACES: Final[Mapping[str, tuple[str, tuple[str, ...], str]]] = {
    "events": ("events", ("id",), "id"),
    "rows": ("state_rows", ("resource", "key"), "record"),
    "turns": ("turns", ("number",), "number"),
    "responses": ("x12_responses", ("id",), "id"),
}
_PLACE_WORDS: Final = ("playground", "record", "sender_id", "received_at", "id")


class KeptRecords:
    """Records of playgrounds. What is removed is gone, with what it was before it was replaced."""

    def __init__(self, playgrounds: Playgrounds) -> None:
        self._playgrounds = playgrounds
        self._storage = playgrounds.storage

    def slice(self, organisation: str, playground: str, kind: str, asked: SliceRequest) -> Slice[dict[str, Any]]:
        """A part of a list, without the content of records. Raises ``NotFoundError``."""
        self._playgrounds.row(self._storage, organisation, playground)
        rows = self._storage.slice(f"listed_{kind}", asked, by=_PLACES[kind][2], playground=playground)
        return rows.each(lambda row: _shown(row, row))

    def get(self, organisation: str, playground: str, kind: str, record: str) -> dict[str, Any]:
        """One record with its content. Raises ``NotFoundError``."""
        listed, where = self._find(self._storage, organisation, playground, kind, record)
        return _shown(listed, require(self._storage.find(_PLACES[kind][0], **where), "record"))

    def remove(self, organisation: str, playground: str, kind: str, record: str) -> None:
        """Raises ``NotFoundError``."""
        with self._storage.transaction() as rows:
            _, where = self._find(rows, organisation, playground, kind, record)
            rows.remove(_PLACES[kind][0], **where)
            rows.remove("sent_records", playground=playground, kind=kind, record=record)
            if kind == "rows":
                rows.remove("replaced_rows", **where)

    def _find(
        self, rows: RowReader, organisation: str, playground: str, kind: str, record: str
    ) -> tuple[Row, dict[str, Any]]:
        """A record as it is listed, and how it is found in its table."""
        self._playgrounds.row(rows, organisation, playground)
        listed = require(rows.find(f"listed_{kind}", playground=playground, record=record), "record")
        return listed, {"playground": playground, **{name: listed[name] for name in _PLACES[kind][1]}}


def _shown(listed: Row, row: Row) -> dict[str, Any]:
    content = {name: value for name, value in row.items() if name not in _PLACE_WORDS}
    payload = content.pop("payload", None)
    if payload is not None:
        content |= _payload(payload)
    about = {name: listed[name] for name in ("sender_id", "at", "received_at")}
    return {"id": listed["record"], **about, "record": content}


def _payload(payload: bytes) -> dict[str, str]:
    try:
        return {"payload": payload.decode()}
    except UnicodeDecodeError:
        return {"payload_base64": base64.b64encode(payload).decode()}
