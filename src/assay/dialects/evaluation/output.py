"""Is an agent's output what it was declared to be? Parsed by its format, and held against a schema.

What is parsed here is hostile: XML with a document type is refused, because entities are defined there; YAML
loads plain values only; every parser's failure is a sentence, never an exception.
"""

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable
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

CSV_FIELD_LIMIT = 1024 * 1024


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
    try:
        value = _PARSERS[declared.format](data.decode())
    except UnicodeDecodeError as error:
        return _unparseable(declared, f"it is not UTF-8 ({error.reason} at byte {error.start})")
    except (ValueError, csv.Error, RecursionError) as error:
        return _unparseable(declared, str(error) or type(error).__name__)
    missing = [name for name in declared.sections if name not in _sections(data.decode())]
    if missing:
        return Inspection(True, False, (f"the output has no section {', '.join(missing)}",))
    return _against_schema(value, declared.schema)


def _unparseable(declared: Declared, why: str) -> Inspection:
    return Inspection(False, False, (f"the output is not {declared.format.value}: {why}",))


def _against_schema(value: Any, schema: dict[str, Any] | None) -> Inspection:
    if schema is None:
        return Inspection(True, True)
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to import, and few tasks have a schema

    found = sorted(Draft202012Validator(schema).iter_errors(value), key=lambda error: error.json_path)
    return Inspection(True, not found, tuple(f"{error.json_path}: {error.message[:300]}" for error in found[:20]))


def _json(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _csv(text: str) -> list[dict[str, Any]]:
    """Rows by column name. A row with more or fewer cells than the header is not CSV."""
    csv.field_size_limit(CSV_FIELD_LIMIT)
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if not rows or not rows[0]:
        raise ValueError("it has no header")
    for number, row in enumerate(rows[1:], start=2):
        if row and len(row) != len(rows[0]):
            raise ValueError(f"row {number} has {len(row)} cells, the header has {len(rows[0])}")
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:] if row]


def _yaml(text: str) -> Any:
    import yaml  # noqa: PLC0415 - slow to import, and few outputs are YAML

    try:
        return yaml.load(text, Loader=_plain_loader())  # noqa: S506 - derived from SafeLoader
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


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
    plain = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return {match.strip() for match in re.findall(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$", plain, flags=re.MULTILINE)}


def _text(text: str) -> str:
    return text


_PARSERS: dict[Format, Callable[[str], Any]] = {
    Format.JSON: _json,
    Format.CSV: _csv,
    Format.TOML: tomllib.loads,
    Format.YAML: _yaml,
    Format.XML: _xml,
    Format.MARKDOWN: _text,
    Format.TEXT: _text,
}
