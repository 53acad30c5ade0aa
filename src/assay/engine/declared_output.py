"""What a task declares about its output, in the [metadata.output] table of task.toml.

A task with steps has such a table for each step that declares something: [metadata.output.<step>].
"""

import json
import posixpath
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.core.errors import InputError
from assay.dialects.evaluation.output import Declared, Format, format_of, schema_complaint
from assay.dialects.harbor.task_config import FILE_NAME, TaskConfig, first_complaint
from assay.engine.task import LOGS, Environment
from assay.engine.task_ports import TaskFolder


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str | None = Field(default=None, pattern="^/")
    format: Format | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    sections: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeclaredOutput:
    """The parsed table. All of its keys are optional. ``field`` is its name in task.toml, for errors."""

    field: str
    path: str | None
    format: Format | None
    schema_file: str | None
    sections: tuple[str, ...]

    def of(self, output: str, environment: Environment, folder: TaskFolder) -> Declared | None:
        """What the output at this path must be. Without a declared format, the file's name decides.

        None if the output is the working folder, about which nothing can be declared.
        """
        asks = self.format is not None or self.schema_file is not None or bool(self.sections)
        if output != environment.workdir:
            self._check_place(environment, folder.root)
            schema = None if self.schema_file is None else _schema(folder, self.schema_file)
            loose = self.path is None and not asks and "." not in posixpath.basename(output)
            return Declared(self.format or format_of(output), schema, self.sections, may_be_folder=loose)
        if asks:
            raise InputError(
                f"{folder.root}/{FILE_NAME}: {self.field}.path must name a file, because a format, a schema or "
                f"sections are declared for it, got the working folder {output}"
            )
        return None

    def _check_place(self, environment: Environment, root: str) -> None:
        """Refuse a path at which no agent's files are kept: every run would lose its reward."""
        places = [*environment.places, *LOGS]
        path = posixpath.normpath(self.path or places[0])
        if not any(path == place or path.startswith(f"{place}/") for place in places):
            raise InputError(
                f"{root}/{FILE_NAME}: {self.field}.path must lie below {', '.join(places)}, where an agent's "
                f"files are kept, got {self.path}"
            )


def declared_output(config: TaskConfig, root: str, step: str | None) -> DeclaredOutput:
    """The declared output of a step. ``step`` is None for a task without steps.

    Raises ``InputError``.
    """
    where = f"{root}/{FILE_NAME}"
    field, table = "metadata.output", config.metadata.get("output", {})
    if not isinstance(table, dict):
        raise InputError(f"{where}: {field} must be a table, got {type(table).__name__}")
    if step is not None:
        _check_steps(table, [one.name for one in config.steps or ()], where)
        field, table = f"{field}.{step}", table.get(step, {})
    try:
        found = _Table.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{where}: {first_complaint(error, f'{field}.')}") from error
    return DeclaredOutput(field, found.path, found.format, found.schema_file, tuple(found.sections))


def _check_steps(table: dict[str, Any], steps: list[str], where: str) -> None:
    """Refuse an entry that isn't a table with the name of a step."""
    for name, entry in table.items():
        field = f"{where}: metadata.output.{name}"
        if not isinstance(entry, dict):
            raise InputError(
                f"{field}: a task with steps must declare the output of each step in its own table, such as "
                f"[metadata.output.{steps[0]}]"
            )
        if name not in steps:
            raise InputError(f"{field}: the task has no step {name}; its steps are {', '.join(steps)}")


def _schema(folder: TaskFolder, name: str) -> dict[str, Any]:
    path = f"{folder.root}/{name}"
    try:
        schema = json.loads(folder.text(name))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} must be a JSON Schema, but it isn't JSON: {error}") from error
    if not isinstance(schema, dict):
        raise InputError(f"{path} must be a JSON Schema, which is an object, got {type(schema).__name__}")
    complaint = schema_complaint(schema)
    if complaint is not None:
        raise InputError(f"{path} must be a valid JSON Schema: {complaint}")
    return schema
