"""Files of runs, such as trajectories, read in parts; and lists of runs as files."""

import csv
import io
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

from assay.adapters.store.service.run_values import run_of_row
from assay.api.answers import Answer, rendered, shown
from assay.api.record_stream import NDJSON
from assay.api.routing import Call, Routes
from assay.core.errors import InputError
from assay.dialects.criteria.models import StrictModel
from assay.engine.service.blobs import PART_BYTES
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Scope
from assay.engine.service.run_query import COLUMNS, FILTERS, SHAPES, RunQuery, parse_run_query

routes = Routes()
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)
CSV: Final = "text/csv"
BYTES: Final = "application/octet-stream"
MOST_BYTES: Final = 8 * PART_BYTES
EXPORTED: Final = {"sort": SHAPES["sort"], "columns": SHAPES["columns"], **FILTERS}
# A table that opens the file would take these for the beginning of a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class KeptFileResource(StrictModel):
    """A file of a run. ``digest`` is the SHA-256 of its content."""

    name: str
    size: int
    digest: str


@routes.add("GET", "/runs/export.csv", *READ, answer=bytes, media=CSV, query=EXPORTED)
def export_runs_csv(call: Call) -> Answer:
    """All runs that are asked for, as a table. A text that a table would take for a formula has a ' in front."""
    asked = _asked(call)
    columns = asked.columns or ("id", *COLUMNS)
    lines = (_line([_cell(run[name]) for name in columns]) for run in _every(call, asked))
    return Answer(200, b"", media_type=CSV, chunks=_chunks(_line(columns), lines))


@routes.add("GET", "/runs/export.jsonl", *READ, answer=bytes, media=NDJSON, query=EXPORTED)
def export_runs_jsonl(call: Call) -> Answer:
    """All runs that are asked for, a line of JSON for each."""
    asked = _asked(call)
    chosen = ("id", *asked.columns) if asked.columns else None
    lines = (
        rendered(run if chosen is None else {name: run[name] for name in chosen}) + b"\n"
        for run in _every(call, asked)
    )
    return Answer(200, b"", media_type=NDJSON, chunks=_chunks(b"", lines))


@routes.add("GET", "/runs/{id}/files", *READ, answer=list[KeptFileResource], also=(404,))
def list_run_files(call: Call) -> Answer:
    """The files of a run: its trajectory, diff, final response, log and the output of its verifier."""
    found = call.service.imports.files(call.organisation, call.path["id"])
    return shown([{"name": one.name, "size": one.blob.size, "digest": one.blob.digest} for one in found])


@routes.add(
    "GET",
    "/runs/{id}/files/{name:path}",
    *READ,
    answer=bytes,
    media=BYTES,
    also=(404,),
    query={
        "start": "the first byte to read (default: 0)",
        "length": f"how many bytes to read, at most {MOST_BYTES} (default: {MOST_BYTES})",
    },
)
def read_run_file(call: Call) -> Answer:
    """A part of a file. The header Assay-File-Size says how large the whole file is."""
    found = call.service.imports.files(call.organisation, call.path["id"])
    file = next((one for one in found if one.name == call.path["name"]), None)
    if file is None:
        raise NotFoundError("there is no such file")
    start, length = _number(call, "start", 0), min(_number(call, "length", MOST_BYTES), MOST_BYTES)
    content = b"".join(call.service.blobs.read(file.blob.digest, start, length))
    headers = {"ETag": f'"{file.blob.digest[:32]}-{start}-{length}"', "Assay-File-Size": str(file.blob.size)}
    return Answer(200, content, headers, BYTES)


def _asked(call: Call) -> RunQuery:
    asked = parse_run_query(call.pairs)
    if asked.page.cursor is not None or any(name == "limit" for name, _ in call.pairs):
        raise InputError("an export has all runs, so it takes no limit and no cursor")
    return asked


def _every(call: Call, asked: RunQuery) -> Iterator[dict[str, Any]]:
    """The first one is looked for at once, so that what can't be asked is answered as such."""
    rows = call.service.imports.every(call.organisation, asked)
    first = list(islice(rows, 1))
    return (run_of_row(row).shown() for row in chain(first, rows))


def _chunks(head: bytes, lines: Iterator[bytes]) -> Iterator[bytes]:
    """Some lines at a time: a response for each would take longer than the lines."""
    waiting = bytearray(head)
    for line in lines:
        waiting += line
        if len(waiting) >= 1 << 16:
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


def _number(call: Call, name: str, default: int) -> int:
    written = call.filter(name)
    if written is None:
        return default
    if not (written.isascii() and written.isdecimal() and len(written) < 16):
        raise InputError(f"{name} must be a whole number of bytes, got {written!r}")
    return int(written)
