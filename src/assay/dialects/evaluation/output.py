"""Is an agent's output what it was declared to be? Parsed by its format, and held against a schema.

What is parsed here is hostile: no parser follows a reference, expands an entity or builds more than plain values,
and every parser's failure is a sentence, never an exception.

A UTF-8 byte order mark in front is ignored in every format. RFC 8259 leaves that to whoever reads JSON, and to
call such an output unparseable would take its whole reward away for three bytes that no parser needs.
"""

import collections
import contextlib
import csv
import io
import json
import threading
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from assay.dialects.evaluation.markdown import headings
from assay.dialects.evaluation.schema import bounded, schema_complaint, violations
from assay.dialects.evaluation.xml_text import check_xml, encoding_of
from assay.dialects.evaluation.yaml_values import load_yaml

__all__ = ["Declared", "Format", "Inspection", "format_of", "inspect_output", "schema_complaint"]


class Format(Enum):
    """The formats that an output may be declared to have."""

    JSON = "json"
    CSV = "csv"
    TOML = "toml"
    YAML = "yaml"
    XML = "xml"
    MARKDOWN = "markdown"
    TEXT = "text"


_EXTENSIONS = {
    "json": Format.JSON,
    "csv": Format.CSV,
    "toml": Format.TOML,
    "yaml": Format.YAML,
    "yml": Format.YAML,
    "xml": Format.XML,
    "md": Format.MARKDOWN,
    "markdown": Format.MARKDOWN,
}


BYTE_ORDER_MARK = "\ufeff"
CSV_FIELD_LIMIT = 1024 * 1024
KEY_PARTS = 10_000

# Formats whose parsers are written in Python take seconds for a megabyte.
SIZE_LIMITS = {Format.YAML: 1024 * 1024, Format.TOML: 1024 * 1024}
_csv_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Declared:
    """What a task says about its output beyond the path.

    ``may_be_folder`` is for a path that nobody declared and whose name suggests no format: an instruction may name
    the folder of a repository. There is nothing to parse in a folder.
    """

    format: Format
    schema: dict[str, Any] | None = None
    sections: tuple[str, ...] = ()
    may_be_folder: bool = False


@dataclass(frozen=True, slots=True)
class Inspection:
    """Whether an output parses, whether it has the declared shape, and what is wrong."""

    parseable: bool
    schema_valid: bool
    errors: tuple[str, ...] = ()


def format_of(path: str) -> Format:
    """The format that a file's name suggests; text where it suggests none."""
    return _EXTENSIONS.get(path.rpartition("/")[2].rpartition(".")[2].lower(), Format.TEXT)


def inspect_output(data: bytes, declared: Declared) -> Inspection:
    """Parse the output and hold it against its schema. Never raises for what the output holds."""
    limit = SIZE_LIMITS.get(declared.format)
    if limit is not None and len(data) > limit:
        return _unparseable(
            declared, f"it has {len(data)} bytes, and no more than {limit} are read in this format"
        )
    encoding = encoding_of(data) if declared.format is Format.XML else "utf-8"
    try:
        text = data.decode(encoding).removeprefix(BYTE_ORDER_MARK)
        value = _value(text, declared)
    except UnicodeDecodeError as error:
        name = "UTF-8" if encoding == "utf-8" else encoding
        return _unparseable(declared, f"it is not {name} ({error.reason} at byte {error.start})")
    except (ValueError, csv.Error, RecursionError) as error:
        return _unparseable(declared, str(error) or type(error).__name__)
    there = headings(text) if declared.sections else set()
    missing = [name for name in declared.sections if name not in there]
    if missing:
        return Inspection(True, False, (f"the output has no section {', '.join(missing)}",))
    return _against_schema(value, declared.schema)


def _value(text: str, declared: Declared) -> Any:
    """What a schema is held against. Where there is none, the rows of a table are looked at and not kept."""
    if declared.format is Format.CSV and declared.schema is None:
        return _check_csv(text)
    return _PARSERS[declared.format](text)


def _unparseable(declared: Declared, why: str) -> Inspection:
    return Inspection(False, False, (f"the output is not {declared.format.value}: {why}",))


def _against_schema(value: Any, schema: dict[str, Any] | None) -> Inspection:
    found = [] if schema is None else violations(value, schema)
    return Inspection(True, not found, tuple(found))


def _json(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


@contextlib.contextmanager
def _field_limit() -> Iterator[None]:
    """The limit belongs to the whole process, so it is borrowed, one reader at a time, and given back."""
    with _csv_lock:
        before = csv.field_size_limit(CSV_FIELD_LIMIT)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _check_csv(text: str) -> None:
    with _field_limit():
        collections.deque(_rows(text), maxlen=0)


def _csv(text: str) -> list[dict[str, str]]:
    """Rows by column name."""
    with _field_limit():
        rows = _rows(text)
        header = next(rows)
        twice = next((name for name, count in collections.Counter(header).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"two columns have the name {bounded(twice)!r}, and its schema tells them by name")
        return [dict(zip(header, row, strict=True)) for row in rows]


def _rows(text: str) -> Iterator[list[str]]:
    """The header and all rows that are not empty. A row with more or fewer cells than the header is not CSV."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(rows, [])
    if not header:
        raise ValueError("it has no header")
    yield header
    for number, row in enumerate(rows, start=2):
        if row and len(row) != len(header):
            raise ValueError(f"row {number} has {len(row)} cells, the header has {len(header)}")
        if row:
            yield row


def _toml(text: str) -> dict[str, Any]:
    """The standard parser takes time with the square of a key's parts; no honest key has hundreds of them."""
    if any(line.partition("=")[0].count(".") > KEY_PARTS for line in text.splitlines()):
        raise ValueError(f"a key has more than {KEY_PARTS} parts")
    return tomllib.loads(text)


def _text(text: str) -> str:
    return text


_PARSERS: dict[Format, Callable[[str], Any]] = {
    Format.JSON: _json,
    Format.CSV: _csv,
    Format.TOML: _toml,
    Format.YAML: load_yaml,
    Format.XML: check_xml,
    Format.MARKDOWN: _text,
    Format.TEXT: _text,
}
