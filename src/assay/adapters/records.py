"""Read numbered files into models."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from assay.adapters.numbered_files import file_name, read_all_numbered
from assay.core.errors import InputError
from assay.engine import mistakes

Record = TypeVar("Record", bound=BaseModel)


def read_records(parent: str, folder: str, kind: type[Record], *, newer: bool = False) -> list[Record]:
    """All records of a kind, the oldest first. Raises ``InputError`` for one that can't be read.

    ``newer`` also accepts records of a newer Assay, and ignores the fields that this version doesn't know.
    """
    found = read_all_numbered(parent, folder)
    return [
        parse_record(data, kind, f"{parent}/{folder}/{file_name(number)}", newer=newer)
        for number, data in found.items()
    ]


def parse_record(data: bytes, kind: type[Record], path: str, *, newer: bool = False) -> Record:
    """One record, from the bytes of the file at ``path``."""
    try:
        return kind.model_validate_json(data, extra="ignore" if newer else None)
    except ValidationError as error:
        raise InputError(f"{path} isn't a valid {kind.__name__.lower()}: {_why(error, kind)}") from error


def _why(error: ValidationError, kind: type[BaseModel]) -> str:
    first = mistakes.first(error.errors(include_url=False))
    return mistakes.about(".".join(map(str, first["loc"])), mistakes.sentence(first, kind))
