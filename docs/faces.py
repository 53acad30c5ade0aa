"""The page of a Python interface: every public name with its definition and its docstring."""

import inspect
import json
from collections.abc import Iterable, Iterator
from types import ModuleType

from docs.markdown import fence, first_sentence, from_docstring, table
from docs.meanings import MISSING, VALUES
from docs.source import Definition, public_definitions

SCHEMAS = "schemas"


def face(module: ModuleType) -> Iterator[str]:
    """The page: its purpose, a table of its names, and each of them."""
    yield f"# {module.__name__}"
    yield from_docstring(module.__doc__ or "")
    ordered = sorted(public_definitions(module).values(), key=lambda one: one.name.lower())
    rows = [
        (f"[`{one.name}`](#{one.name.lower()})", _kind(getattr(module, one.name)), first_sentence(_doc(one)))
        for one in ordered
    ]
    yield table(("name", "kind", "what it is"), rows)
    yield from names(ordered)


def schema_links(module: ModuleType) -> Iterator[str]:
    """Links to the schemas of an interface."""
    yield "## JSON Schemas"
    yield "Schemas of the models that are read or written as files, for programs in other languages:"
    yield "\n".join(f"- [{name}]({SCHEMAS}/{name}.json)" for name in module.json_schemas())


def schema_files(*modules: ModuleType) -> dict[str, str]:
    """The text of each schema of these interfaces, by its path below docs/reference."""
    schemas = {name: schema for module in modules for name, schema in module.json_schemas().items()}
    return {f"{SCHEMAS}/{name}.json": json.dumps(schema, indent=2) + "\n" for name, schema in schemas.items()}


def names(definitions: Iterable[Definition], level: int = 2) -> Iterator[str]:
    """Each definition under its own heading."""
    for one in definitions:
        yield f"{'#' * level} {one.name}"
        # Not tagged as "python": that would be an example, and examples are run.
        yield fence(one.text, "py")
        yield from_docstring(_doc(one))
        if one.methods:
            yield "\n".join(f"- `{name}`: {first_sentence(doc)}" for name, doc in one.methods)


def _kind(found: object) -> str:
    if isinstance(found, type):
        return "error" if issubclass(found, Exception) else "class"
    return "function" if inspect.isfunction(found) else "value"


def _doc(definition: Definition) -> str:
    return definition.doc or VALUES.get(definition.name, MISSING)
