"""Files of runs, such as trajectories, read in parts; and lists of runs as files."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

from assay.api.answers import ApiAnswer
from assay.api.record_stream import NDJSON
from assay.api.routing import ApiCall, Routes
from assay.core.errors import InputError
from assay.engine.explorer.blobs import PART_BYTES
from assay.engine.explorer.run_export import csv_file, json_file
from assay.engine.explorer.run_query import COLUMNS, FILTERS, SHAPES, RunQuery, parse_run_query
from assay.engine.service.errors import NotFoundError
from assay.formats.strict_model import StrictModel

routes = Routes()
CSV: Final = "text/csv"
BYTES: Final = "application/octet-stream"
MOST_BYTES: Final = 8 * PART_BYTES
EXPORTED: Final = {"sort": SHAPES["sort"], "columns": SHAPES["columns"], **FILTERS}


class KeptFileResource(StrictModel):
    """A file of a run. ``digest`` is the SHA-256 of its content."""

    name: str
    size: int
    digest: str


@routes.get("/runs/export.csv", bytes, query=EXPORTED, media=CSV)
def export_runs_csv(call: ApiCall) -> Any:
    """All runs that are asked for, as a table. A text that a table would take for a formula has a ' in front."""
    asked = _run_query(call)
    columns = asked.columns or ("id", *COLUMNS)
    return ApiAnswer(200, b"", media_type=CSV, chunks=csv_file(_every(call, asked), columns))


@routes.get("/runs/export.jsonl", bytes, query=EXPORTED, media=NDJSON)
def export_runs_jsonl(call: ApiCall) -> Any:
    """All runs that are asked for, a line of JSON for each."""
    asked = _run_query(call)
    chosen = ("id", *asked.columns) if asked.columns else None
    runs = _every(call, asked)
    shown = runs if chosen is None else ({name: run[name] for name in chosen} for run in runs)
    return ApiAnswer(200, b"", media_type=NDJSON, chunks=json_file(shown))


@routes.get("/runs/{id}/files", list[KeptFileResource])
def list_run_files(call: ApiCall) -> Any:
    """The files of a run: its trajectory, diff, final response, log and the output of its verifier."""
    found = call.service.imports.files(call.organisation, call.id)
    return [{"name": one.name, "size": one.blob.size, "digest": one.blob.digest} for one in found]


@routes.get(
    "/runs/{id}/files/{name:path}",
    bytes,
    query={
        "start": "the first byte to read (default: 0)",
        "length": f"how many bytes to read, at most {MOST_BYTES} (default: {MOST_BYTES})",
    },
    media=BYTES,
    noted=True,
)
def read_run_file(call: ApiCall) -> Any:
    """A part of a file. The header Assay-File-Size says how large the whole file is."""
    found = call.service.imports.files(call.organisation, call.id)
    file = next((one for one in found if one.name == call.path["name"]), None)
    if file is None:
        raise NotFoundError("there is no such file")
    start, length = _number(call, "start", 0), min(_number(call, "length", MOST_BYTES), MOST_BYTES)
    content = b"".join(call.service.blobs.read(file.blob.digest, start, length))
    headers = {"ETag": f'"{file.blob.digest[:32]}-{start}-{length}"', "Assay-File-Size": str(file.blob.size)}
    return ApiAnswer(200, content, headers, BYTES)


def _run_query(call: ApiCall) -> RunQuery:
    asked = parse_run_query(call.pairs)
    if asked.page.cursor is not None or any(name == "limit" for name, _ in call.pairs):
        raise InputError("an export has all runs, so it takes no limit and no cursor")
    return asked


def _every(call: ApiCall, asked: RunQuery) -> Iterator[dict[str, Any]]:
    """The first one is looked for at once, so that what can't be asked is answered as such."""
    rows = call.service.imports.every(call.organisation, asked)
    first = list(islice(rows, 1))
    return (run.shown() for run in chain(first, rows))


def _number(call: ApiCall, name: str, default: int) -> int:
    written = call.filter(name)
    if written is None:
        return default
    if not (written.isascii() and written.isdecimal() and len(written) < 16):
        raise InputError(f"{name} must be a whole number of bytes, got {written!r}")
    return int(written)
