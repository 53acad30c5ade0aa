"""What a task declares about its output, in the [metadata.output] table of task.toml."""

import json
import os
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.adapters.safe_read import read_file
from assay.core.errors import InputError
from assay.dialects.evaluation.output import Declared, Format, format_of, schema_complaint
from assay.dialects.harbor.task_config import FILE_NAME, TaskConfig, first_complaint
from assay.evidence.files import Content

TEXT_LIMIT = 16 * 1024 * 1024


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str | None = Field(default=None, pattern="^/")
    format: Format | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    sections: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeclaredOutput:
    """The table, read. Nothing in it is required."""

    path: str | None
    format: Format | None
    schema_file: str | None
    sections: tuple[str, ...]

    def as_format(self, output: str, root: str) -> Declared:
        """What the output at this path must be; where nothing is declared, its name decides."""
        schema = None if self.schema_file is None else _schema(f"{root}/{self.schema_file}")
        return Declared(self.format or format_of(output), schema, self.sections)


def declared_output(config: TaskConfig, root: str) -> DeclaredOutput:
    """The [metadata.output] table of a task. Raises ``InputError``."""
    table = config.metadata.get("output")
    if table is None:
        return DeclaredOutput(None, None, None, ())
    where = f"{root}/{FILE_NAME}"
    if not isinstance(table, dict):
        raise InputError(f"{where}: metadata.output is not a table")
    if config.steps is not None:
        raise InputError(
            f"{where}: metadata.output is for tasks without steps; a step's instruction names its own"
        )
    try:
        found = _Table.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{where}: {first_complaint(error, 'metadata.output.')}") from error
    return DeclaredOutput(found.path, found.format, found.schema_file, tuple(found.sections))


def read_task_text(path: str) -> str:
    """The text of one of a task's files. Raises ``InputError``."""
    file = read_file(path, TEXT_LIMIT)
    if not isinstance(file, Content):
        raise InputError(f"{path} can't be read" if os.path.lexists(path) else f"there is no file {path}")
    try:
        return file.data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8") from error


def _schema(path: str) -> dict[str, Any]:
    try:
        schema = json.loads(read_task_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a JSON Schema: {error}") from error
    if not isinstance(schema, dict):
        raise InputError(f"{path} is not a JSON Schema: it is not an object")
    complaint = schema_complaint(schema)
    if complaint is not None:
        raise InputError(f"{path} is not a JSON Schema: {complaint}")
    return schema
