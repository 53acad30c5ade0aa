"""Numbered files as the models that they hold."""

from typing import TypeVar

from pydantic import BaseModel

from assay.adapters.numbered_files import file_name, numbers_in, read_numbered
from assay.core.errors import InputError

Record = TypeVar("Record", bound=BaseModel)


def read_records(parent: str, folder: str, kind: type[Record]) -> list[Record]:
    """All records of a kind, the oldest first. Raises ``InputError`` for one that can't be read."""
    found: list[Record] = []
    for number in numbers_in(parent, folder):
        try:
            found.append(kind.model_validate_json(read_numbered(parent, folder, number)))
        except ValueError as error:
            name = kind.__name__.lower()
            raise InputError(f"{parent}/{folder}/{file_name(number)} is no {name}: {error}") from error
    return found
