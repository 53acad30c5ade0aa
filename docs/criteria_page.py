"""The reference of criteria: one page for each value of ``assert``, and one for what they have in common."""

import inspect
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import TypeAdapter

from assay import criteria
from assay.dialects.criteria import playground_file, records
from assay.dialects.criteria.models import Criterion
from assay.engine.criteria.complete_run import check_class, kinds
from assay.engine.criteria.lint import RULES
from assay.formats.field_rules import rule as field_rule
from assay.formats.field_rules.rule import MATCHES, OPERATORS, FieldRule
from docs.faces import face, schema_links
from docs.markdown import first_sentence, from_docstring, table
from docs.operators_page import operators_page
from docs.paths_page import path_links, paths_pages
from docs.schema_words import default_words, type_words

_INTRODUCTION = """
A criterion has a ``label``, an ``assertion``, a ``weight`` (default 1) and optionally an ``axis``. The field
``assert`` of the assertion selects the check; its other fields belong to that check. An assertion that no check
understands fails its criterion, and the details say why. A file has a list of criteria, or ``criteria`` and
``data``: the values that ``{{name}}`` stands for in an assertion.

The score of a criterion is the weighted share of its rules that hold; it has passed when all hold. The score of a
run is the weighted mean of its criteria: ``pass`` from 0.9 on, ``partial`` above 0, ``fail`` otherwise. Each axis
has its own score; criteria without an axis are in ``__default__``. A source that can't be reached stops the
verification, and nothing is scored.
"""

_YAML = """
In YAML, only what is a number, ``true``, ``false`` or ``null`` in JSON is one: ``00123``, ``12:30``,
``2026-03-01`` and ``no`` are texts.
"""

_PLACES = {
    "playground": playground_file.PlaygroundFile,
    "fhir": playground_file.FhirPlace,
    "files": playground_file.FilesPlace,
    "judge": playground_file.JudgePlace,
}


def criteria_pages() -> dict[str, Iterator[str]]:
    """Every page, by its path below docs/reference."""
    checks = {f"criteria-{kind}.md": _check(kind) for kind in kinds()}
    shared = {"criteria-operators.md": operators_page(), **paths_pages()}
    return {"criteria.md": _common(), "criteria-in-python.md": _face(), **checks, **shared}


def _face() -> Iterator[str]:
    yield from face(criteria)
    yield from schema_links(criteria)


def _common() -> Iterator[str]:
    yield "# Criteria"
    yield from_docstring(_INTRODUCTION)
    rows = [(f"[`{kind}`](criteria-{kind}.md)", first_sentence(_doc(kind))) for kind in kinds()]
    yield table(("assert", "what it does"), rows)
    yield from_docstring(_YAML)
    yield "## Fields of a criterion"
    yield from _fields(Criterion)
    yield "## Field rules"
    yield from_docstring((field_rule.__doc__ or "").partition("\n\n")[2])
    yield from _fields(FieldRule)
    operators = f"[Operators](criteria-operators.md), with examples: {_quoted(OPERATORS)}."
    yield f"{operators} Values of match: {_quoted(MATCHES)}. {path_links()}"
    yield "## What lint finds"
    yield table(("rule", "meaning"), [(f"`{name}`", f"{why[0].upper()}{why[1:]}.") for name, why in RULES.items()])
    yield "## The playground file"
    yield from_docstring(playground_file.__doc__ or "")
    for name, model in _PLACES.items():
        yield f"### {name}"
        yield from_docstring(inspect.getdoc(model) or "")
        yield from _fields(model)
    yield "## Records"
    yield from_docstring(records.__doc__ or "")
    for line in (records.EventLine, records.ResponseLine, records.RowLine, records.TurnLine):
        yield f"### {TypeAdapter(line).json_schema()['properties']['record']['const']}"
        yield from_docstring(inspect.getdoc(line) or "")
        yield from _fields(line)


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _check(kind: str) -> Iterator[str]:
    yield f"# {kind}"
    yield from_docstring(_doc(kind))
    yield from_docstring(inspect.getdoc(check_class(kind)) or "")
    yield from _fields(check_class(kind))
    yield (
        "Rules and everything that all criteria share are [on one page](criteria.md),"
        " and so are [operators](criteria-operators.md)."
    )
    yield path_links()


def _doc(kind: str) -> str:
    return inspect.getdoc(sys.modules[check_class(kind).__module__]) or ""


def _fields(model: type[Any]) -> Iterator[str]:
    schema = TypeAdapter(model).json_schema()
    required = schema.get("required", ())
    rows = [
        (f"`{name}`", _words(part, schema), "required" if name in required else default_words(part))
        for name, part in schema["properties"].items()
    ]
    yield table(("field", "type", "default"), rows)


def _words(part: dict[str, Any], schema: dict[str, Any]) -> str:
    """A type in a few words: that of a rule by its name, and a value of any type as such."""
    models: dict[str, Any] = schema.get("$defs", {})
    if "anyOf" in part:
        return " or ".join(_words(one, schema) for one in part["anyOf"] if one.get("type") != "null")
    name = part.get("$ref", "").rpartition("/")[2]
    if name:
        inner = models[name].get("properties")
        return "any value" if inner is None else "rule" if "path" in inner else f"{{{', '.join(inner)}}}"
    if "const" in part:
        return f"`{part['const']}`"
    if "enum" in part:
        return type_words(part, models)
    if part.get("type") == "array":
        return _listed(part, schema)
    if part.get("type") == "object" and isinstance(part.get("additionalProperties"), dict):
        return f"table ({_words(part['additionalProperties'], schema)})"
    return type_words(part, models) if "type" in part else "any value"


def _listed(part: dict[str, Any], schema: dict[str, Any]) -> str:
    inner = part.get("prefixItems")
    if inner:
        return f"[{', '.join(_words(one, schema) for one in inner)}]"
    return f"list ({_words(part['items'], schema)})"
