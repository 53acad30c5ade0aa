"""A criterion's demands on one file, and its findings."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar, Final, Protocol, cast

from assay.evidence.bounds import printable
from assay.formats.field_rules.rule import FieldRule, Result, absent_rows, results
from assay.formats.field_rules.values import Plain
from assay.formats.file_content.text import FileFormatError, Finder, Passage, Wanted

DIGITS: Final = {"sha256": 64, "sha1": 40, "md5": 32}
SHOWN: Final = 500
MEBI: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes, from ``min`` to ``max``; each may be left out."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        if self.min < 0 or (self.max is not None and self.max < self.min):
            raise ValueError(
                f"a size needs a min of at least 0 and a max of at least min, got {self.min} to {self.max}"
            )

    def allows(self, size: int) -> bool:
        """Whether so many bytes are right."""
        return self.min <= size and (self.max is None or size <= self.max)


@dataclass(frozen=True, slots=True)
class Demands:
    """Everything that is held against a file. ``checksums`` are digests in hex by algorithm."""

    size: Size | None
    checksums: Mapping[str, str]
    texts: Sequence[str]
    fields: Sequence[FieldRule]

    def __post_init__(self) -> None:
        for name, digest in self.checksums.items():
            if not re.fullmatch(f"[0-9a-fA-F]{{{DIGITS.get(name, 0)}}}", digest) or name not in DIGITS:
                raise ValueError(
                    f"a checksum must be sha256, sha1 or md5 with its hexadecimal digits, got {name}: {digest!r}"
                )
        if not all(self.texts):
            raise ValueError("a text in contains must not be empty")

    @property
    def needs_content(self) -> bool:
        """Whether the file has to be read."""
        return bool(self.checksums or self.texts or self.fields)

    @property
    def rules(self) -> list[FieldRule]:
        """One for each row, in the order of ``rows``; those about the whole file count like a field."""
        sizes = [] if self.size is None else [FieldRule("size", {"min": self.size.min, "max": self.size.max})]
        sums = [FieldRule(f"checksum.{name}", digest.lower()) for name, digest in self.checksums.items()]
        return [*sizes, *sums, *(FieldRule("contains", text) for text in self.texts), *self.fields]

    def wanted(self, file_format: str) -> Wanted:
        """The aims on the way through a file."""
        keep = FORMATS[file_format].max_bytes if self.fields else 0
        return Wanted(tuple(self.checksums), tuple(self.texts), keep)


def rows(
    demands: Demands, size: int, passage: Passage | None, file_format: str
) -> tuple[list[Result], str | None]:
    """A row for each rule, and why the content could not be looked at, if so."""
    if passage is None:
        return [_size_row(rule, demands, size) for rule in demands.rules], None
    whole = [_whole_row(rule, demands, size, passage) for rule in demands.rules[: -len(demands.fields) or None]]
    fields, why = _field_rows(demands.fields, passage, file_format)
    return [*whole, *fields], why


def unread_rows(demands: Demands, size: int) -> list[Result]:
    """The rows of a file whose content can't be had: nothing holds but perhaps its size."""
    return [_size_row(rule, demands, size) for rule in demands.rules]


def _size_row(rule: FieldRule, demands: Demands, size: int) -> Result:
    if demands.size is not None and rule.path == "size" and isinstance(rule.expected, dict):
        return _row(rule, size, demands.size.allows(size))
    return {**_row(rule, None, False), "absent": True}


def _whole_row(rule: FieldRule, demands: Demands, size: int, passage: Passage) -> Result:
    if rule.path == "size":
        return _size_row(rule, demands, size)
    if rule.path == "contains":
        present = passage.present[str(rule.expected)]
        return _row(rule, rule.expected if present else None, present)
    digest = passage.checksums[rule.path.removeprefix("checksum.")]
    return _row(rule, digest, digest == rule.expected)


def _field_rows(
    fields: Sequence[FieldRule], passage: Passage, file_format: str
) -> tuple[list[Result], str | None]:
    if not fields:
        return [], None
    try:
        if passage.content is None:
            # A part of it would not do: what must not be there could stand in the rest.
            limit = FORMATS[file_format].max_bytes
            raise FileFormatError(
                f"the file has {passage.size} bytes; fields can be checked in files of up to {limit}"
            )
        find = FORMATS[file_format].reader.open_content(passage.content)
        return [_shorten_row(row) for row in results(fields, lambda rule: find(rule.path))], None
    except FileFormatError as error:
        return absent_rows(fields), str(error)


def _row(rule: FieldRule, actual: Plain, passed: bool) -> Result:
    return {"path": rule.path, "expected": rule.expected, "actual": actual, "passed": passed}


def _shorten_row(row: Result) -> Result:
    """Evidence shows the beginning of a long value, and the first of many."""
    actual = row["actual"]
    if isinstance(actual, list):
        return {**row, "actual": [_short(one) for one in actual[:50]]}
    return {**row, "actual": _short(actual)}


def _short(value: object) -> object:
    if isinstance(value, str):
        return printable(value if len(value) <= SHOWN else f"{value[:SHOWN]}…")
    if isinstance(value, dict | list) and len(str(value)) > SHOWN:
        return printable(f"{str(value)[:SHOWN]}…")
    return value


class Reader(Protocol):
    """A module that reads files of one format."""

    def check_path(self, path: str) -> object:
        """Refuse an invalid path. Raises ``ValueError`` or ``InputError``."""
        ...

    def open_content(self, data: bytes) -> Finder:
        """How to find values in it. Raises ``FileFormatError``."""
        ...


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The module that reads a format, imported at its first file, and how large a file may be to be read."""

    module: str
    max_bytes: int = 64 * MEBI

    @property
    def reader(self) -> Reader:
        return cast("Reader", import_module(f"assay.formats.file_content.{self.module}"))


# Messages become many times as large when they are read.
FORMATS: Final[Mapping[str, FileFormat]] = {
    "text": FileFormat("text"),
    "json": FileFormat("json_text"),
    "csv": FileFormat("csv_text"),
    "xml": FileFormat("xml_text", 16 * MEBI),
    "hl7": FileFormat("hl7_text", 16 * MEBI),
    "x12": FileFormat("x12_text", 16 * MEBI),
}
_SETS: Final = ("270", "271", "276", "277", "278", "835", "837", "997", "999")
_ENDINGS: Final = {
    **dict.fromkeys(("json",), "json"),
    **dict.fromkeys(("csv", "tsv"), "csv"),
    **dict.fromkeys(("hl7", "er7"), "hl7"),
    **dict.fromkeys(("x12", "edi", *_SETS), "x12"),
}


def guess_format(name: str) -> str:
    """The format that the ending of a name stands for; text where it stands for none."""
    return _ENDINGS.get(name.rpartition(".")[2].lower(), "text") if "." in name else "text"
