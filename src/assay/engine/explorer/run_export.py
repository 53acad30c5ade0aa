"""Lists of runs as files: a table, or a line of JSON for each."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

CHUNK: Final = 1 << 16
# A table that opens the file would take these for the beginning of a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_file(runs: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[bytes]:
    """A table of runs. A text that would be taken for a formula has a ' in front."""
    return _chunks(_line(columns), (_line([_cell(run[name]) for name in columns]) for run in runs))


def json_file(runs: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """A line of JSON for each run."""
    return _chunks(b"", (render_json(run) + b"\n" for run in runs))


def render_json(value: Any) -> bytes:
    """A value as JSON. NaN and infinity, which JSON can't hold, are null."""
    try:
        return to_json(value, by_alias=True, inf_nan_mode="null")
    except (PydanticSerializationError, UnicodeEncodeError, ValueError):
        # A text with half of a character can be written only as an escape.
        return json.dumps(_plain(value), allow_nan=False).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(by_alias=True))
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str) else json.loads(to_json(value, inf_nan_mode="null"))


def _chunks(head: bytes, lines: Iterator[bytes]) -> Iterator[bytes]:
    """Some lines at a time: a response for each would take longer than the lines."""
    waiting = bytearray(head)
    for line in lines:
        waiting += line
        if len(waiting) >= CHUNK:
            yield bytes(waiting)
            waiting.clear()
    yield bytes(waiting)


def _line(cells: Any) -> bytes:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue().encode(errors="replace")


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if hasattr(value, "isoformat") else value
