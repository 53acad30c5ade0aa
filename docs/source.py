"""Find where the public names of a module are defined, and show the definitions as they stand in the source.

The source is shown instead of what Python makes of it: ``Rewards | None`` says more than the type that it stands
for, and it is the same text on every version of Python.
"""

import ast
import importlib
import inspect
import textwrap
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TypeAlias

Node: TypeAlias = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign

# Bases that say how a class is made and nothing about what it is.
_SILENT_BASES = frozenset({"msgspec.Struct", "BaseModel"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A public name and the node that defines it, perhaps under another name."""

    name: str
    node: Node
    module: str

    @property
    def doc(self) -> str:
        """The docstring; empty where there is none."""
        return (
            (ast.get_docstring(self.node) or "") if isinstance(self.node, ast.FunctionDef | ast.ClassDef) else ""
        )

    @property
    def text(self) -> str:
        """The definition without its body: a signature, the fields of a class, or the start of an assignment."""
        if isinstance(self.node, ast.FunctionDef):
            return _signature(self.node, self.module).replace(f"def {self.node.name}(", f"def {self.name}(", 1)
        if isinstance(self.node, ast.ClassDef):
            return "\n".join([_class_line(self.node), *_fields(self.node, self.module)])
        first, *more = _segment(self.node, self.module).splitlines()
        return f"{first}…)" if more else first

    @property
    def methods(self) -> list[tuple[str, str]]:
        """What each public method and property of a class is called and does, as far as it says so."""
        body = self.node.body if isinstance(self.node, ast.ClassDef) else []
        public = [node for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
        return [(_method(node, self.module), doc) for node in public if (doc := ast.get_docstring(node))]


def public_definitions(face: ModuleType) -> dict[str, Definition]:
    """The definition of every name in the ``__all__`` of a module that imports most of them."""
    imported = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in _tree(face.__name__).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    found: dict[str, Definition] = {}
    for name in face.__all__:
        module, original = imported.get(name, (face.__name__, name))
        found[name] = Definition(name, _definition(module, original), module)
    return found


def definition(module: str, name: str) -> Definition:
    """The definition of one name in the module that has it."""
    return Definition(name, _definition(module, name), module)


def _definition(module: str, name: str) -> Node:
    for node in _tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in _targets(node):
            return node
    raise LookupError(f"{module} does not define {name}")


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _signature(node: ast.FunctionDef, module: str) -> str:
    """The lines from ``def`` up to the body, without the colon."""
    lines = _text(module).splitlines()[node.lineno - 1 : node.body[0].lineno - 1]
    return textwrap.dedent("\n".join(lines)).rstrip().removesuffix(":")


def _method(node: ast.FunctionDef, module: str) -> str:
    """A method's signature, or a property with its type."""
    if any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list):
        return f"{node.name}: {ast.unparse(node.returns) if node.returns else 'object'}"
    return _signature(node, module).removeprefix("def ").replace("(self, ", "(", 1).replace("(self)", "()", 1)


def _class_line(node: ast.ClassDef) -> str:
    bases = [text for base in node.bases if (text := ast.unparse(base)) not in _SILENT_BASES]
    return f"class {node.name}({', '.join(bases)})" if bases else f"class {node.name}"


def _fields(node: ast.ClassDef, module: str) -> list[str]:
    kept = [part for part in node.body if isinstance(part, ast.Assign | ast.AnnAssign)]
    return [f"    {text}" for part in kept if not (text := _segment(part, module)).startswith("_")]


def _segment(node: ast.stmt, module: str) -> str:
    return ast.get_source_segment(_text(module), node) or ""


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_text(module))


@cache
def _text(module: str) -> str:
    return inspect.getsource(importlib.import_module(module))
