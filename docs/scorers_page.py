"""The reference of ``assay.scorers``, and the page of every type of scorer, written from the checks themselves."""

import inspect
import sys
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from assay import scorers
from assay.engine.coding.score import check_class, required_by_default
from docs.faces import face, names, schema_links
from docs.markdown import first_sentence, from_docstring, table
from docs.schema_words import default_words, type_words
from docs.source import definition

# Types of fields in the models that nobody creates directly.
_PARTS = (("ChangedFile", "assay.dialects.scorers.report"),)

_TYPES = """
A scorer in a scenario has a ``type`` from this page, a ``name`` (by default its type), and ``required``: whether
its failure fails the run (by default as its type says). All other fields belong to the type. Unknown fields and
values out of range are refused when the scenario is loaded.

Paths are relative to the workspace, with ``/``. Patterns are shell-style globs as in Python's ``fnmatch``, not
gitignore patterns: ``*`` doesn't stop at ``/``, so ``src/*`` also matches ``src/deep/file.py``, and case matters.
Each scorer answers PASS, FAIL or N/A with a score from 0 to 1, or ERROR if the scorer itself broke.
"""


def scorers_face() -> Iterator[str]:
    """Every public name of ``assay.scorers``, its fields, and the schemas."""
    yield from face(scorers)
    yield "## Parts of the models"
    yield from names((definition(module, name) for name, module in _PARTS), level=3)
    yield from schema_links(scorers)


def scorer_types() -> Iterator[str]:
    """Every type with its docstring and its fields."""
    yield "# Types of scorers"
    yield from_docstring(_TYPES)
    rows = [
        (f"[`{kind}`](#{kind})", _default(kind), first_sentence(_doc(kind))) for kind in scorers.scorer_types()
    ]
    yield table(("type", "by default", "what it checks"), rows)
    for kind in scorers.scorer_types():
        yield f"## {kind}"
        yield from_docstring(_doc(kind))
        yield from _fields(kind)


def _doc(kind: str) -> str:
    return inspect.getdoc(sys.modules[check_class(kind).__module__]) or ""


def _default(kind: str) -> str:
    return "required" if required_by_default(kind) else "advisory"


def _fields(kind: str) -> Iterator[str]:
    cls = check_class(kind)
    schema = TypeAdapter(cls).json_schema()
    rows = list(_rows("", schema, schema))
    if not rows:
        yield "It has no fields."
        return
    yield from_docstring(inspect.getdoc(cls) or "")
    yield table(("field", "type", "default"), rows)


def _rows(prefix: str, part: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The fields of a table, and those of tables in it."""
    models = schema.get("$defs", {})
    for name, field in part.get("properties", {}).items():
        default = "required" if name in part.get("required", ()) else default_words(field)
        yield f"`{prefix}{name}`", type_words(field, models), default
        for inner in (one["$ref"] for one in field.get("anyOf", ()) if "$ref" in one):
            yield from _rows(f"{prefix}{name}.", models[inner.rpartition("/")[2]], schema)
