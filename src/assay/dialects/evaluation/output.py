"""Is an agent's output what it was declared to be? Parsed by its format, and held against a schema.

What is parsed here is hostile: XML with a document type is refused, because entities are defined there; YAML
loads plain values only; every parser's failure is a sentence, never an exception.

A UTF-8 byte order mark in front is ignored in every format. RFC 8259 leaves that to whoever reads JSON, and to
call such an output unparseable would take its whole reward away for three bytes that no parser needs.
"""

import collections
import contextlib
import csv
import io
import itertools
import json
import threading
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any
from xml.parsers import expat


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
VIOLATIONS_SHOWN = 20
KEY_PARTS = 10_000

# Formats whose parsers are written in Python take seconds for a megabyte.
SIZE_LIMITS = {Format.YAML: 1024 * 1024, Format.TOML: 1024 * 1024}
_csv_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Declared:
    """What a task says about its output beyond the path."""

    format: Format
    schema: dict[str, Any] | None = None
    sections: tuple[str, ...] = ()


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
    try:
        text = data.decode().removeprefix(BYTE_ORDER_MARK)
        value = _value(text, declared)
    except UnicodeDecodeError as error:
        return _unparseable(declared, f"it is not UTF-8 ({error.reason} at byte {error.start})")
    except (ValueError, csv.Error, RecursionError) as error:
        return _unparseable(declared, str(error) or type(error).__name__)
    missing = [name for name in declared.sections if name not in _sections(text)]
    if missing:
        return Inspection(True, False, (f"the output has no section {', '.join(missing)}",))
    return _against_schema(value, declared.schema)


def schema_complaint(schema: dict[str, Any]) -> str | None:
    """What is wrong with a JSON Schema; None where nothing is."""
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 - as below

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"{error.json_path}: {error.message[:200]}"
    return None


def _value(text: str, declared: Declared) -> Any:
    """What a schema is held against. Where there is none, the rows of a table are looked at and not kept."""
    if declared.format is Format.CSV and declared.schema is None:
        return _check_csv(text)
    return _PARSERS[declared.format](text)


def _unparseable(declared: Declared, why: str) -> Inspection:
    return Inspection(False, False, (f"the output is not {declared.format.value}: {why}",))


def _against_schema(value: Any, schema: dict[str, Any] | None) -> Inspection:
    if schema is None:
        return Inspection(True, True)
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to import, and few tasks have a schema

    try:
        errors = itertools.islice(Draft202012Validator(schema).iter_errors(value), VIOLATIONS_SHOWN)
        found = sorted(f"{bounded(error.json_path)}: {bounded(error.message)}" for error in errors)
    except Exception as error:  # noqa: BLE001 - whatever the library can't cope with does not have the shape
        return Inspection(True, False, (f"the output can't be held against its schema: {error!r}",))
    return Inspection(True, not found, tuple(found))


def bounded(text: str, limit: int = 300) -> str:
    """The beginning of a text that may be endless."""
    return text if len(text) <= limit else f"{text[:limit]}…"


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


def _yaml(text: str) -> Any:
    import yaml  # noqa: PLC0415 - slow to import, and few outputs are YAML

    try:
        return yaml.load(text, Loader=_plain_loader())  # noqa: S506 - derived from SafeLoader
    except Exception as error:
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from error


def _plain_loader() -> Any:
    """A loader of plain values without aliases: a few lines of aliases can stand for gigabytes."""
    import yaml  # noqa: PLC0415

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not accepted in an output")
            return super().compose_node(parent, index)

    return Loader


def _xml(text: str) -> str:
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _no_doctype
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from error
    return text


def _no_doctype(*_: object) -> None:
    raise ValueError("a document type is not accepted in an output")


def _sections(text: str) -> set[str]:
    """The headings of a Markdown text, outside of code."""
    found: set[str] = set()
    fence: str | None = None
    for raw in text.splitlines():
        line = raw.strip()
        mark = next((mark for mark in ("```", "~~~") if line.startswith(mark)), None)
        if mark is not None and fence in (None, mark):
            fence = mark if fence is None else None
        elif fence is None and line.startswith("#") and raw[: len(raw) - len(raw.lstrip(" "))].count(" ") <= 3:
            level = len(line) - len(line.lstrip("#"))
            title = line[level:]
            if level <= 6 and title[:1] in (" ", "\t", ""):
                found.add(title.strip().rstrip("#").strip())
    return found


def _text(text: str) -> str:
    return text


_PARSERS: dict[Format, Callable[[str], Any]] = {
    Format.JSON: _json,
    Format.CSV: _csv,
    Format.TOML: _toml,
    Format.YAML: _yaml,
    Format.XML: _xml,
    Format.MARKDOWN: _text,
    Format.TEXT: _text,
}
