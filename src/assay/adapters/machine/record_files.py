"""Read numbered files into models, and models into the text of such files."""

import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from assay.adapters.machine.numbered_files import file_name, read_all_numbered
from assay.core.errors import InputError
from assay.engine import schema_errors

Record = TypeVar("Record", bound=BaseModel)


def as_record(what: str, kind: type[Record], **fields: Any) -> tuple[Record, str]:
    """A record and its text. Raises ``InputError`` for fields that it can't hold."""
    try:
        record = kind.model_validate(fields)
        return record, f"{record.model_dump_json(indent=2)}\n"
    except ValidationError as error:
        raise InputError(f"the {what} isn't valid: {_why(error, kind)}") from error
    except ValueError as error:  # Half a character, which no file can hold.
        raise InputError(f"the {what} isn't valid: {' '.join(str(error).split())[:300]}") from error


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
        name = re.sub(r"\B(?=[A-Z])", " ", kind.__name__).lower()
        raise InputError(f"{path} isn't a valid {name}: {_why(error, kind)}") from error


def _why(error: ValidationError, kind: type[BaseModel]) -> str:
    first = schema_errors.first(error.errors(include_url=False))
    return schema_errors.about(".".join(map(str, first["loc"])), schema_errors.sentence(first, kind))
