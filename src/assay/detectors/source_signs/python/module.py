"""A Python module with its names resolved: what ``_exit`` is after ``from os import _exit``."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from assay.detectors.source_signs.sign import Sign, sign

_DEEPEST = 12


@dataclass(frozen=True)
class PythonModule:
    """A parsed module. ``parse_python`` makes one."""

    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node, code in strings that are executed included."""
        found = _all_nodes(self.tree)
        for node in tuple(found):
            inner = _executed(node)
            found += ast.walk(inner) if inner is not None else ()
        return found

    @cached_property
    def aliases(self) -> dict[str, str]:
        """The meaning of names, by imports and by plain assignments of dotted names."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found |= {name.asname: name.name for name in node.names if name.asname}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
        self._add_assigned(found)
        return found

    def dotted(self, node: ast.AST | None) -> str:
        """The full dotted name that an expression stands for; "" for anything else."""
        return _dotted(node, self.aliases, _DEEPEST)

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        yield from (node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))

    def sign(self, rule: str, node: ast.AST) -> Sign:
        """A sign at a node, with the node's first line of source."""
        line = getattr(node, "lineno", 1)
        lines = self._lines
        return sign(rule, line, lines[line - 1].strip() if 0 < line <= len(lines) else "")

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def _add_assigned(self, found: dict[str, str]) -> None:
        for node in self.nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                value = _dotted(node.value, found, _DEEPEST)
                if "." in value and node.targets[0].id not in found:
                    found[node.targets[0].id] = value


@lru_cache(maxsize=8)
def parse_python(text: str) -> PythonModule | None:
    """A module, or None where this Python can't parse it."""
    tree = _parsed(text)
    return PythonModule(text, tree) if tree is not None else None


def constant_text(node: ast.AST | None, depth: int = _DEEPEST) -> str | None:
    """The text that an expression always gives: a literal, or literals put together."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and depth:
        left, right = constant_text(node.left, depth - 1), constant_text(node.right, depth - 1)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.JoinedStr):
        parts = [constant_text(part) for part in node.values]
        return "".join(part for part in parts if part is not None) if None not in parts else None
    return _joined(node)


def _all_nodes(tree: ast.AST) -> list[ast.AST]:
    """The nodes of ``ast.walk`` in its order, in half the time, without those that only say "load" or "store"."""
    found = [tree]
    for node in found:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST) and name != "ctx":
                found.append(value)
    return found


def _dotted(node: ast.AST | None, aliases: dict[str, str], depth: int) -> str:
    if depth == 0 or node is None:
        return ""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    owner, name = _owner_and_name(node)
    if owner is not None:
        front = _dotted(owner, aliases, depth - 1)
        return f"{front}.{name}" if front and name else ""
    if isinstance(node, ast.Call):
        called = _dotted(node.func, aliases, depth - 1)
        if called in ("__import__", "importlib.import_module", "builtins.__import__") and node.args:
            return constant_text(node.args[0]) or ""
    if isinstance(node, ast.Subscript) and _dotted(node.value, aliases, depth - 1) == "sys.modules":
        return constant_text(node.slice) or ""
    return ""


def _owner_and_name(node: ast.AST) -> tuple[ast.AST | None, str]:
    """``a.b``, ``getattr(a, "b")``, ``a.__dict__["b"]`` and ``vars(a)["b"]`` are all ``b`` of ``a``."""
    match node:
        case ast.Attribute(value=owner, attr=name):
            return owner, name
        case (
            ast.Call(func=ast.Name(id="getattr"), args=[owner, key, *_])
            | ast.Subscript(value=ast.Attribute(value=owner, attr="__dict__"), slice=key)
            | ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[owner, *_]), slice=key)
        ):
            return owner, constant_text(key) or ""
    return None, ""


def _joined(node: ast.AST | None) -> str | None:
    """``"".join(["a", "b"])``, and ``"ba"[::-1]``."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=glue, attr="join"), args=[ast.List(elts=items) | ast.Tuple(elts=items), *_]
        ):
            between, parts = constant_text(glue, 1), [constant_text(item, 1) for item in items]
            return None if between is None or None in parts else between.join(part or "" for part in parts)
        case ast.Subscript(value=value, slice=ast.Slice(step=ast.UnaryOp())):
            text = constant_text(value, 1)
            return text[::-1] if text is not None else None
    return None


def _executed(node: ast.AST) -> ast.Module | None:
    """The code in ``exec("…")``. Its lines are those of the call."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("exec", "eval")
        and node.args
    ):
        return None
    text = constant_text(node.args[0])
    tree = _parsed(text) if text and len(text) < 20_000 else None
    for part in ast.walk(tree) if tree is not None else ():
        if hasattr(part, "lineno"):
            part.lineno = node.lineno
    return tree


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
