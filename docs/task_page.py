"""The reference of task.toml, from the models that read it. What is refused is tried, and its sentence shown."""

from collections.abc import Iterator
from typing import Any

from assay.core.errors import InputError
from assay.dialects.evaluation.output import Format
from assay.dialects.harbor.task_config import TaskConfig, load_task_config
from docs.markdown import from_docstring, table
from docs.meanings import MISSING, NO_EFFECT, REFUSED, TASK_FIELDS
from docs.schema_words import default_words, type_words

FILE = "task.toml"

# The tables of the file, in the order of the page, and the model behind each.
_TABLES = {
    "": "TaskConfig",
    "task": "PackageInfo",
    "environment": "EnvironmentConfig",
    "agent": "AgentConfig",
    "verifier": "VerifierConfig",
    "solution": "SolutionConfig",
    "steps": "StepConfig",
    "steps.agent": "AgentConfig",
    "steps.verifier": "StepVerifierConfig",
}

_INTRODUCTION = """
A task is a folder, in the form that harbor 0.13.1 reads:

    task.toml             the settings on this page
    instruction.md        what the agent is asked
    environment/          a Dockerfile and the files that it copies
    tests/test.sh         the verifier, and what it needs beside it
    solution/solve.sh     what the oracle runs; optional
    steps/<name>/         of a task with steps: instruction.md, tests, solution, and files in workdir

A field that is not on this page is refused, and so is what Assay does not do. Each refusal is one sentence that
names the file and the field, and it comes before anything is run. "No effect" means that harbor has the field,
that it is read, and that nothing follows from it here. A value of another type that harbor takes for a number or
for true or false, such as `timeout_sec = true` for 1, is taken so here, and `assay tasks check` names it.
"""

_OUTPUT = """
Where the agent's output is, and what it must be. Without the table, the output is the first path below /workspace
that the instruction names, in the format that its ending suggests; without such a path, the working folder itself
is the output, and nothing about it is checked. To ask for a format, a schema or sections then is refused.

A task with steps has such a table for each step that declares something, `[metadata.output.<step>]`; a step
without one has the path that its own instruction names.

A UTF-8 byte order mark in front of an output is ignored, whatever its format. To a schema, a row of CSV is an
object by column name, so with a schema two columns of one name are output that does not parse; without one they
are fine.
"""


def task_fields() -> Iterator[str]:
    """Every field with its type, its default and its meaning."""
    schema = TaskConfig.model_json_schema()
    yield f"# {FILE}"
    yield from_docstring(_INTRODUCTION)
    yield f"An unknown field, such as a mistyped one: `{_refusal('agent.timeout = 60')}`."
    for name, model in _TABLES.items():
        if name:
            yield f"## [[{name}]]" if name == "steps" else f"## [{name}]"
        yield table(("field", "type", "default", "supported", "meaning"), _rows(name, model, schema))
    yield "## [metadata.output]"
    yield from_docstring(_OUTPUT)
    yield table(("field", "type", "meaning"), _output_rows())


def _rows(name: str, model: str, schema: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    found = schema if model == schema["title"] else schema["$defs"][model]
    for field, part in found["properties"].items():
        default = "required" if field in found.get("required", ()) else default_words(part)
        full = f"{name}.{field}".lstrip(".")
        yield f"`{field}`", type_words(part, schema["$defs"]), default, _supported(full), _meaning(full)


def _supported(field: str) -> str:
    said = TASK_FIELDS.get(field, MISSING)
    if field in REFUSED and not said:
        return "refused"
    if said in NO_EFFECT:
        return "no effect"
    return "in part" if field in REFUSED else "yes"


def _meaning(field: str) -> str:
    refused = f"Refused: {_refusal(REFUSED[field]).rpartition(': ')[2]}." if field in REFUSED else ""
    return " ".join(filter(None, (TASK_FIELDS.get(field, MISSING), refused)))


def _refusal(line: str) -> str:
    """The sentence with which a line of task.toml is refused."""
    try:
        load_task_config(line, FILE)
    except InputError as error:
        return str(error).removeprefix(f"{FILE}: ")
    raise LookupError(f"docs/meanings.py says that this is refused, and it is not: {line}")


def _output_rows() -> Iterator[tuple[str, str, str]]:
    formats = " or ".join(f"`{one.value}`" for one in Format)
    yield "`path`", "text", "The absolute path of the output."
    yield "`format`", formats, "What it is parsed as. Output that does not parse forbids a reward above 0."
    yield (
        "`schema`",
        "text",
        "A file beside task.toml with a JSON Schema (draft 2020-12) that the output must fulfil.",
    )
    yield "`sections`", "list (text)", "Markdown headings that the output must have."
