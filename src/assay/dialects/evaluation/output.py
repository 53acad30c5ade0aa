"""Check whether an agent's output is what its task declares. Parsed by its format, and checked against a schema.

The output may be hostile: no parser follows a reference, expands an entity or builds more than plain values, and a
failed parser gives a sentence, never an exception.

A UTF-8 byte order mark in front is ignored in every format. RFC 8259 leaves that to the reader, and calling
such an output unparseable would take its whole reward away for three bytes that no parser needs.

The rows of a CSV text, in whichever of the common spellings it is written.

The standard has commas. Where a comma is part of every number, spreadsheets write semicolons; other programs write
tabs, bars, or a space behind each comma. Output that can't be parsed loses its reward, so it is CSV if in one of
these spellings every row has as many cells as the header.

Read YAML from an untrusted source as plain values.

What other YAML readers accept is accepted here, because output that can't be parsed loses its reward: aliases and
merge keys, several documents in a file, tags of an application's own (`!Ref`). Refused are aliases that stand for
more than ``EXPANDED`` values, and tags that would build objects.
"""

import collections
import contextlib
import csv
import functools
import io
import json
import threading
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from assay.dialects.evaluation.schema import bounded, schema_complaint, violations
from assay.dialects.evaluation.xml_text import check_xml, encoding_of

__all__ = ["Declared", "Format", "Inspection", "format_of", "inspect_output", "schema_complaint"]
CSV_FIELD_LIMIT = 1024 * 1024
COMMAS = (",", False)
_OTHER_MARKS = (";", "\t", "|")
_lock = threading.Lock()

Found = TypeVar("Found")
EXPANDED = 100_000


def load_yaml(text: str) -> Any:
    """The document, or a list of them where there are several. Raises ``ValueError``."""
    import yaml  # noqa: PLC0415 - slow to import, and few outputs are YAML

    try:
        documents = list(yaml.load_all(text, Loader=_loader()))
    except Exception as error:
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from error
    while len(documents) > 1 and documents[-1] is None:
        documents.pop()  # A line of dashes at the end begins a document that nobody wrote.
    return documents[0] if len(documents) == 1 else documents or None


@functools.cache
def _loader() -> Any:
    """A SafeLoader that counts what aliases stand for: a few lines of them can stand for gigabytes."""
    import yaml  # noqa: PLC0415

    class Loader(yaml.SafeLoader):
        def __init__(self, stream: str) -> None:
            super().__init__(stream)
            self._values = 0
            self._expanded = 0
            self._sizes: dict[str, int] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                self._expand(self._anchor())
                return super().compose_node(parent, index)
            anchor, before = self._anchor(), self._values
            self._sizes.pop(anchor, None)
            self._values += 1
            node = super().compose_node(parent, index)
            self._sizes[anchor] = self._values - before
            return node

        def _anchor(self) -> Any:
            return self.peek_event().anchor  # type: ignore[no-untyped-call]

        def _expand(self, anchor: str) -> None:
            if anchor in self.anchors and anchor not in self._sizes:
                raise yaml.YAMLError(f"the alias {anchor[:100]} is used inside the value that it names")
            size = self._sizes.get(anchor, 0)
            self._values += size
            self._expanded += size
            if self._expanded > EXPANDED:
                raise yaml.YAMLError(f"its aliases stand for more than {EXPANDED} values")

    _make_plain(Loader)
    return Loader


def _make_plain(loader: Any) -> None:
    """Dates stay texts, as in JSON; so does a lone `=` or `<<`. A local tag says nothing of the value under it."""
    loader.yaml_implicit_resolvers = {
        first: [one for one in resolvers if not one[0].endswith((":timestamp", ":value"))]
        for first, resolvers in loader.yaml_implicit_resolvers.items()
    }
    loader.add_constructor("tag:yaml.org,2002:merge", loader.construct_yaml_str)
    loader.add_multi_constructor("!", _construct_untagged)


def _construct_untagged(loader: Any, _tag: str, node: Any) -> Any:
    if node.id == "mapping":
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if node.id == "sequence" else loader.construct_scalar(node)


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
    """A task's statements on its output, apart from the path.

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
        text = _decode_text(data, format_)
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
    if not sections:
        return []
    from assay.dialects.evaluation.markdown import headings  # noqa: PLC0415 - most tasks ask for no sections

    there = headings(text)
    return [name for name in sections if name not in there]


def _decode_text(data: bytes, format_: Format) -> str:
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


def check_csv(text: str) -> None:
    """Read all rows and keep none. Raises ``ValueError`` or ``csv.Error``."""
    _in_some_spelling(text, lambda rows: collections.deque(rows, maxlen=0))


def rows_by_name(text: str) -> list[dict[str, str]]:
    """Rows by column name. Raises ``ValueError`` or ``csv.Error``."""
    return _in_some_spelling(text, _by_name)


def _by_name(rows: Iterator[list[str]]) -> list[dict[str, str]]:
    header = next(rows)
    twice = next((name for name, count in collections.Counter(header).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"two columns are called {bounded(twice)!r}, but a schema tells columns apart by name")
    return [dict(zip(header, row, strict=True)) for row in rows]


def _in_some_spelling(text: str, read: Callable[[Iterator[list[str]]], Found]) -> Found:
    """Read the text in the first spelling that fits. If none does, the error is the one about commas."""
    complaints: dict[tuple[str, bool], Exception] = {}
    with _field_limit():
        for spelling in _spellings(text):
            try:
                return read(_rows(text, *spelling))
            except (ValueError, csv.Error) as error:
                complaints[spelling] = error
    raise complaints[COMMAS]


@contextlib.contextmanager
def _field_limit() -> Iterator[None]:
    """The limit belongs to the whole process, so it is borrowed, one reader at a time, and given back."""
    with _lock:
        before = csv.field_size_limit(CSV_FIELD_LIMIT)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _spellings(text: str) -> list[tuple[str, bool]]:
    """Each a mark, and whether spaces may follow it. Marks that part the header go before those that don't."""
    commas = [COMMAS, (",", True)]
    others = [(mark, False) for mark in _OTHER_MARKS if _columns(text, mark) > 1]
    return commas + others if _columns(text, ",") > 1 else others + commas


def _columns(text: str, mark: str) -> int:
    try:
        return len(next(_rows(text, mark)))
    except (ValueError, csv.Error):
        return 0


def _rows(text: str, mark: str, spaced: bool = False) -> Iterator[list[str]]:
    """The header and all rows that are not blank. A row with more or fewer cells than the header is not CSV."""
    lines = io.StringIO(text, newline="")
    rows = enumerate(csv.reader(lines, strict=True, delimiter=mark, skipinitialspace=spaced), start=1)
    header = next((row for _, row in rows if not _is_blank(row)), [])
    if not header or text.isspace():
        raise ValueError("it has no header")
    yield header
    for number, row in rows:
        if len(row) == len(header):
            yield row
        elif not _is_blank(row):
            raise ValueError(f"row {number} has {len(row)} cells, the header has {len(header)}")


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


_PARSERS: dict[Format, Callable[[str], Any]] = {
    Format.JSON: _json,
    Format.CSV: rows_by_name,
    Format.TOML: _toml,
    Format.YAML: load_yaml,
    Format.XML: check_xml,
    Format.MARKDOWN: _text,
    Format.TEXT: _text,
}
