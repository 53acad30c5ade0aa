"""The reference of task.toml, from the models that read it. Error messages of refused settings are shown."""

from collections.abc import Iterator
from typing import Any

from assay.dialects.evaluation.output import Format
from assay.dialects.harbor.task_config import TaskConfig, load_task_config
from assay.dialects.harbor.task_support import why_unsupported
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
    instruction.md        the instruction for the agent
    environment/          a Dockerfile and the files that it copies
    tests/test.sh         the verifier, with the files that it needs
    solution/solve.sh     the solution that the oracle runs; optional
    steps/<name>/         in a task with steps: instruction.md, tests, solution, and files in workdir

Assay refuses unsupported settings before anything runs, with an error that names the file and the field. A field
that isn't on this page has no effect, as in harbor; `assay run` and `assay tasks check` mention it, with the field
that may have been meant. "No effect" means that harbor has the field and Assay accepts it, but ignores it. If a
value has the wrong type and harbor converts it, such as `timeout_sec = true` to 1, Assay does the same, and `assay
tasks check` reports it.
"""

_OUTPUT = """
The path of the agent's output, and what it must be. Without this table, the output is the first path below
/workspace that the instruction mentions, in the format of its extension. If there is no such path, the output
is the working folder, and nothing is checked; declaring a format, a schema or sections is then an error.

In a task with steps, each step may have its own table, `[metadata.output.<step>]`; without one, the output is
the path that the step's instruction mentions.

A UTF-8 byte order mark at the start of an output is ignored in every format. For a schema, a row of CSV is an
object with a key per column, so two columns with the same name can't be parsed; without a schema they can.
"""


def task_fields() -> Iterator[str]:
    """Every field with its type, its default and its meaning."""
    schema = TaskConfig.model_json_schema()
    yield f"# {FILE}"
    yield from_docstring(_INTRODUCTION)
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
    """The reason why a task with this line in its task.toml can't be run."""
    why = why_unsupported(load_task_config(line, FILE))
    if why is None:
        raise LookupError(f"docs/meanings.py says that this line must be refused, but it isn't: {line}")
    return why


def _output_rows() -> Iterator[tuple[str, str, str]]:
    formats = " or ".join(f"`{one.value}`" for one in Format)
    yield "`path`", "text", "The absolute path of the output."
    yield (
        "`format`",
        formats,
        "The format in which it is parsed. If it can't be parsed, there is no reward above 0.",
    )
    yield (
        "`schema`",
        "text",
        "A file beside task.toml with a JSON Schema (draft 2020-12) that the output must match.",
    )
    yield "`sections`", "list (text)", "Markdown headings that the output must have."
