"""Logs of inspect: a .eval file, which is a zip archive of JSON, or the same as one JSON object.

A log has the samples of an evaluation, each with its messages and scores. Every part is bounded, and one that
can't be read is a remark.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.evidence.coding_run import StatedUsage, add_usage
from assay.formats.counting import counted
from assay.formats.trajectories.values import decoded, json_of, object_in, objects_in, parse_json, usage_of

MAX_SAMPLES = 20_000
MAX_MEMBER = 64 * 2**20
MAX_ALL = 512 * 2**20
_HEADERS = ("header.json", "_journal/start.json")
_UNREADABLE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error)


@dataclass(frozen=True, slots=True)
class InspectLog:
    """A log: its header, and its samples in the order in which they are named, each read when it is its turn."""

    header: dict[str, Any]
    samples: Iterator[dict[str, Any]]
    n_samples: int
    remarks: list[str] = field(default_factory=list)


def is_archive(data: bytes) -> bool:
    """Whether bytes begin like a zip archive."""
    return data.startswith(b"PK\x03\x04")


def read_log(data: bytes) -> InspectLog | None:
    """The log in a file's bytes; None if it holds none."""
    if not is_archive(data):
        value = parse_json(decoded(data)) if b'"eval"' in data[:4096] else None
        if not (isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value):
            return None
        samples = list(objects_in(value.get("samples")))
        return InspectLog(value, iter(samples), len(samples))
    remarks: list[str] = []
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _UNREADABLE:
        return None
    names = archive.namelist()
    headers = (_member(archive, name, remarks) for name in _HEADERS if name in names)
    header = next((one for one in headers if one is not None and isinstance(one.get("eval"), dict)), None)
    wanted = sorted({name for name in names if name.startswith("samples/") and name.endswith(".json")})
    read = _samples(archive, wanted, remarks)
    return None if header is None else InspectLog(header, read, len(wanted), remarks)


def _samples(archive: zipfile.ZipFile, wanted: list[str], remarks: list[str]) -> Iterator[dict[str, Any]]:
    if len(wanted) > MAX_SAMPLES:
        remarks.append(f"only the first {MAX_SAMPLES} of {counted(len(wanted), 'sample')} are read")
    left = MAX_ALL
    for name in wanted[:MAX_SAMPLES]:
        left -= min(archive.getinfo(name).file_size, MAX_MEMBER)
        if left < 0:
            remarks.append(f"the samples from {name} on aren't read: together they exceed {MAX_ALL} bytes")
            return
        found = _member(archive, name, remarks)
        if found is not None:
            yield found


def _member(archive: zipfile.ZipFile, name: str, remarks: list[str]) -> dict[str, Any] | None:
    try:
        with archive.open(name) as file:
            data = file.read(MAX_MEMBER + 1)
    except _UNREADABLE as error:
        remarks.append(f"{json_of(name)} can't be read: {json_of(str(error))[:200]}")
        return None
    found = parse_json(decoded(data)) if len(data) <= MAX_MEMBER else None
    if not isinstance(found, dict):
        remarks.append(f"{json_of(name)} must be a JSON object of at most {MAX_MEMBER} bytes, and isn't")
        return None
    return found


def sample_messages(sample: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a sample. Long texts stand in its attachments."""
    texts = object_in(sample, "attachments")
    return [{**one, "content": _attached(one.get("content"), texts)} for one in objects_in(sample.get("messages"))]


def _attached(content: object, texts: dict[str, Any]) -> object:
    if isinstance(content, str):
        found = texts.get(content.removeprefix("attachment://")) if content.startswith("attachment://") else None
        return found if isinstance(found, str) else content
    if not isinstance(content, list):
        return content
    return [{**part, "text": _attached(part.get("text"), texts)} for part in objects_in(content)]


def sample_usage(sample: dict[str, Any]) -> StatedUsage:
    """The usage of a sample, over all models."""
    total = StatedUsage()
    for used in objects_in(list(object_in(sample, "model_usage").values())):
        cached = {"cached_tokens": used.get("input_tokens_cache_read"), "cost_usd": used.get("total_cost")}
        total = add_usage(total, usage_of({**used, **cached}))
    return total


def sample_name(sample: dict[str, Any]) -> str:
    """The id of a sample, which may be a number."""
    found = sample.get("id")
    return found if isinstance(found, str) else json.dumps(found) if isinstance(found, int) else "?"
