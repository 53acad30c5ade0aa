"""Numbered files as the models that they hold."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from assay.adapters.numbered_files import file_name, numbers_in, read_numbered
from assay.core.errors import InputError
from assay.engine import mistakes

Record = TypeVar("Record", bound=BaseModel)


def read_records(parent: str, folder: str, kind: type[Record]) -> list[Record]:
    """All records of a kind, the oldest first. Raises ``InputError`` for one that can't be read."""
    found: list[Record] = []
    for number in numbers_in(parent, folder):
        try:
            found.append(kind.model_validate_json(read_numbered(parent, folder, number)))
        except ValidationError as error:
            path = f"{parent}/{folder}/{file_name(number)}"
            raise InputError(f"{path} is no {kind.__name__.lower()}: {_why(error, kind)}") from error
    return found


def _why(error: ValidationError, kind: type[BaseModel]) -> str:
    first = mistakes.first(error.errors(include_url=False))
    field = ".".join(map(str, first["loc"]))
    return f"{field}: {mistakes.sentence(first, kind)}" if field else mistakes.sentence(first, kind)
