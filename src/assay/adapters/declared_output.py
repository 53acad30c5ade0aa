"""What a task declares about its output, in the [metadata.output] table of task.toml.

A task with steps has such a table for each step that declares something: [metadata.output.<step>].
"""

import json
import posixpath
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.adapters.safe_read import read_file
from assay.core.errors import InputError
from assay.dialects.evaluation.output import Declared, Format, format_of, schema_complaint
from assay.dialects.harbor.task_config import FILE_NAME, TaskConfig, first_complaint
from assay.engine.task import LOGS, Environment
from assay.evidence.files import Content, Refused

TEXT_LIMIT = 16 * 1024 * 1024


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str | None = Field(default=None, pattern="^/")
    format: Format | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    sections: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeclaredOutput:
    """The table, read. Nothing in it is required. ``field`` is its name in task.toml, for complaints."""

    field: str
    path: str | None
    format: Format | None
    schema_file: str | None
    sections: tuple[str, ...]

    def of(self, output: str, environment: Environment, root: str) -> Declared | None:
        """What the output at this path must be; where nothing is declared, its name decides.

        Of the working folder nothing can be asked.
        """
        asks = self.format is not None or self.schema_file is not None or bool(self.sections)
        if output != environment.workdir:
            self._check_place(environment, root)
            schema = None if self.schema_file is None else _schema(f"{root}/{self.schema_file}")
            loose = self.path is None and not asks and "." not in posixpath.basename(output)
            return Declared(self.format or format_of(output), schema, self.sections, may_be_folder=loose)
        if asks:
            raise InputError(
                f"{root}/{FILE_NAME}: {self.field} asks for a format, a schema or sections, and the output is the "
                "working folder; name a file with path"
            )
        return None

    def _check_place(self, environment: Environment, root: str) -> None:
        """A path at which nothing of the agent's is ever found would cost every run its reward."""
        places = [*environment.places, *LOGS]
        path = posixpath.normpath(self.path or places[0])
        if not any(path == place or path.startswith(f"{place}/") for place in places):
            raise InputError(
                f"{root}/{FILE_NAME}: {self.field}.path: nothing that an agent leaves at {self.path} is kept; "
                f"what is kept lies below {', '.join(places)}"
            )


def declared_output(config: TaskConfig, root: str, step: str | None) -> DeclaredOutput:
    """What is declared about the output of a step; None is the only one of a task without steps.

    Raises ``InputError``.
    """
    where = f"{root}/{FILE_NAME}"
    field, table = "metadata.output", config.metadata.get("output", {})
    if not isinstance(table, dict):
        raise InputError(f"{where}: {field} is not a table")
    if step is not None:
        _check_steps(table, [one.name for one in config.steps or ()], where)
        field, table = f"{field}.{step}", table.get(step, {})
    try:
        found = _Table.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{where}: {first_complaint(error, f'{field}.')}") from error
    return DeclaredOutput(field, found.path, found.format, found.schema_file, tuple(found.sections))


def _check_steps(table: dict[str, Any], steps: list[str], where: str) -> None:
    """Every entry is a table that has the name of a step."""
    for name, entry in table.items():
        field = f"{where}: metadata.output.{name}"
        if not isinstance(entry, dict):
            raise InputError(
                f"{field}: a task with steps declares the output of each step in a table of its own: write "
                f"[metadata.output.{steps[0]}]"
            )
        if name not in steps:
            raise InputError(f"{field}: there is no step {name}; there are {', '.join(steps)}")


def read_task_text(path: str) -> str:
    """The text of one of a task's files. Raises ``InputError``."""
    file = read_file(path, TEXT_LIMIT)
    if not isinstance(file, Content):
        why = f"{path} can't be read: it is {file.why.value}{file.detail}" if isinstance(file, Refused) else None
        raise InputError(why or f"there is no file {path}")
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
