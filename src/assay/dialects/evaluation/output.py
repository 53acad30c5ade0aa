"""Check whether an agent's output is what its task declares. Parsed by its format, and checked against a schema.

The output may be hostile: no parser follows a reference, expands an entity or builds more than plain values, and a
failed parser gives a sentence, never an exception.

A UTF-8 byte order mark in front is ignored in every format. RFC 8259 leaves that to the reader, and calling
such an output unparseable would take its whole reward away for three bytes that no parser needs.
"""

import csv
import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from assay.dialects.evaluation.csv_rows import check_csv, rows_by_name
from assay.dialects.evaluation.markdown import headings
from assay.dialects.evaluation.schema import schema_complaint, violations
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
    "txt": Format.TEXT,
}


BYTE_ORDER_MARK = "\ufeff"
KEY_PARTS = 10_000

# Formats whose parsers are written in Python take seconds for a megabyte.
SIZE_LIMITS = {Format.YAML: 1024 * 1024, Format.TOML: 1024 * 1024}


@dataclass(frozen=True, slots=True)
class Declared:
    """What a task says about its output, apart from the path.

    Without a format nothing is parsed, as with a picture or a program. A schema or sections make it a text.
    ``may_be_folder`` is for a path that nobody declared and that doesn't look like a file: an instruction may name
    the folder of a repository. There is nothing to parse in a folder.
    """

    format: Format | None
    schema: dict[str, Any] | None = None
    sections: tuple[str, ...] = ()
    may_be_folder: bool = False

    @property
    def asks_nothing(self) -> bool:
        """Whether any bytes are fine."""
        return self.format is None and self.schema is None and not self.sections


@dataclass(frozen=True, slots=True)
class Inspection:
    """Whether an output parses, whether it has the declared shape, and what is wrong."""

    parseable: bool
    schema_valid: bool
    errors: tuple[str, ...] = ()


def format_of(path: str) -> Format | None:
    """The format that a file's name suggests; None if it suggests none of them."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _EXTENSIONS.get(ending.lower()) if dot else None


def inspect_output(data: bytes, declared: Declared) -> Inspection:
    """Parse the output and check it against its schema. Never raises for what the output holds.

    Raises ``MeasurementError`` where the schema can't be used.
    """
    if declared.asks_nothing:
        return Inspection(True, True)
    format_ = declared.format or Format.TEXT
    try:
        text = _decoded(data, format_)
        # Where there is no schema, the rows of a table are looked at and not kept.
        parse = check_csv if format_ is Format.CSV and declared.schema is None else _PARSERS[format_]
        value = parse(text)
    except (ValueError, csv.Error, RecursionError) as error:
        said = str(error) or type(error).__name__
        return Inspection(False, False, (f"the output is not {format_.value}: {said}",))
    missing = _missing_sections(text, declared.sections)
    if missing:
        return Inspection(True, False, (f"the output has no section {', '.join(missing)}",))
    found = [] if declared.schema is None else violations(value, declared.schema)
    return Inspection(True, not found, tuple(found))


def _missing_sections(text: str, sections: Sequence[str]) -> list[str]:
    there = headings(text) if sections else set()
    return [name for name in sections if name not in there]


def _decoded(data: bytes, format_: Format) -> str:
    """The text. Raises ``ValueError`` where there is too much of it, or it isn't one."""
    limit = SIZE_LIMITS.get(format_, len(data))
    if len(data) > limit:
        raise ValueError(f"it has {len(data)} bytes, and at most {limit} are read in this format")
    encoding = encoding_of(data) if format_ is Format.XML else "utf-8"
    try:
        return data.decode(encoding).removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        name = "UTF-8" if encoding == "utf-8" else encoding
        raise ValueError(f"it is not {name} ({error.reason} at byte {error.start})") from error


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_constant=_no_constant, parse_int=_integer)


def _integer(digits: str) -> float:
    """JSON has no limit for numbers. Python reads whole numbers of thousands of digits only as floats."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} isn't JSON")


def _toml(text: str) -> dict[str, Any]:
    """The standard parser takes time with the square of a key's parts; no honest key has hundreds of them."""
    if any(line.partition("=")[0].count(".") > KEY_PARTS for line in text.splitlines()):
        raise ValueError(f"a key has more than {KEY_PARTS} parts")
    return tomllib.loads(text)


def _text(text: str) -> str:
    return text


_PARSERS: dict[Format, Callable[[str], Any]] = {
    Format.JSON: _json,
    Format.CSV: rows_by_name,
    Format.TOML: _toml,
    Format.YAML: load_yaml,
    Format.XML: check_xml,
    Format.MARKDOWN: _text,
    Format.TEXT: _text,
}
