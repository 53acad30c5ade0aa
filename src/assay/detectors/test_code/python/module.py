"""The names of one Python file: what is imported under which name, what is bound to what, and what is defined."""

import ast
import re
from dataclasses import dataclass, field

from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.python.constants import constant
from assay.detectors.test_code.python.text import Value

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DEEPEST = 8
_LOOKS_INTO = frozenset({"__getattr__", "__getattribute__"})
_ASSERTS = re.compile(r"assert|raises|fail|skip|expect|warns|raise|todo|exit|importor", re.IGNORECASE)


@dataclass(slots=True)
class Module:
    """One file while it is read."""

    lines: list[str]
    aliases: dict[str, str] = field(default_factory=dict)
    bound: dict[str, ast.expr] = field(default_factory=dict)
    constants: dict[str, Value] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    inlined: set[int] = field(default_factory=set)
    """Functions whose assertions have been counted for a test that calls them."""
    spent: int = 0
    """How many assertions have been noted, so that following helpers again and again comes to an end."""
    skips_of: dict[int, tuple[Skip, ...]] = field(default_factory=dict)
    """What set-up functions and fixtures skip, once it is worked out."""
    effects: dict[int, object] = field(default_factory=dict)
    """What the file's own decorators do, once it is worked out."""
    class_constants: dict[int, dict[str, Value]] = field(default_factory=dict)
    setup_skips: dict[int, list[Skip]] = field(default_factory=dict)
    _methods: dict[int, dict[str, Function]] = field(default_factory=dict)
    _says: dict[int, bool] = field(default_factory=dict)

    def dotted(self, node: ast.AST | None, depth: int = 0) -> str | None:
        """The full name of what an expression stands for: ``m.skip`` is ``pytest.mark.skip``, by whatever way."""
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return f"{self._named(node.value.id, depth)}.{node.attr}"
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value, depth + 1)
            return f"{owner}.{node.attr}" if owner else None
        if isinstance(node, ast.Name):
            return self._named(node.id, depth)
        if isinstance(node, ast.Call):
            return self._called(node, depth)
        if isinstance(node, ast.Subscript):
            return self._looked_up(node, depth)
        return None

    def _named(self, name: str, depth: int) -> str:
        if name in self.aliases:
            return self.aliases[name]
        value = self.bound.get(name)
        if isinstance(value, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            found = self.dotted(value, depth + 1)
            if found and (not isinstance(value, ast.Call) or found != self.dotted(value.func, depth + 1)):
                return found
        return name

    def _called(self, node: ast.Call, depth: int) -> str | None:
        """Names that are put together at run time: getattr, ``__getattr__``, ``__import__``, partial."""
        function = self.dotted(node.func, depth + 1) or ""
        if not node.args:
            return None
        if function in ("getattr", "builtins.getattr") and len(node.args) > 1:
            return self._member(self.dotted(node.args[0], depth + 1), node.args[1])
        if function.rsplit(".", 1)[-1] in _LOOKS_INTO:
            return self._member(function.rsplit(".", 1)[0], node.args[-1])
        if function in ("__import__", "importlib.import_module", "import_module"):
            name = constant(node.args[0], self.constants)
            return name if isinstance(name, str) else None
        if function in ("functools.partial", "partial"):
            return self.dotted(node.args[0], depth + 1)
        return None

    def _member(self, owner: str | None, node: ast.expr) -> str | None:
        """A member of something; a question mark where its name is not written down."""
        name = constant(node, self.constants)
        return f"{owner}.{name if isinstance(name, str) else '?'}" if owner else None

    def _looked_up(self, node: ast.Subscript, depth: int) -> str | None:
        """``vars(pytest)["skip"]``, ``pytest.__dict__["skip"]`` and ``sys.modules["pytest"]``."""
        key = constant(node.slice, self.constants)
        if not isinstance(key, str):
            return None
        whole = node.value
        if isinstance(whole, ast.Attribute) and whole.attr == "__dict__":
            return f"{self.dotted(whole.value, depth + 1)}.{key}"
        if isinstance(whole, ast.Call) and self.dotted(whole.func, depth + 1) == "vars" and whole.args:
            return f"{self.dotted(whole.args[0], depth + 1)}.{key}"
        return key if self.dotted(whole, depth + 1) == "sys.modules" else None

    def imports(self, node: ast.stmt) -> None:
        """Remember the names that an import brings in."""
        if isinstance(node, ast.Import):
            for name in node.names:
                self.aliases[name.asname or name.name.split(".")[0]] = (
                    name.name if name.asname else name.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                self.aliases[name.asname or name.name] = f"{node.module or ''}.{name.name}".lstrip(".")

    def says_something(self, function: ast.AST) -> bool:
        """Whether a function may assert, fail or skip: a look at its words, so that others are not walked."""
        known = self._says.get(id(function))
        if known is None:
            first, last = getattr(function, "lineno", 1), getattr(function, "end_lineno", 1)
            known = any(_ASSERTS.search(line) for line in self.lines[first - 1 : last])
            self._says[id(function)] = known
        return known

    def method(self, owner: ast.ClassDef | None, name: str, depth: int = 0) -> Function | None:
        """A method of a class or of its bases in this file."""
        if owner is None or depth > _DEEPEST:
            return None
        own = self._methods.get(id(owner))
        if own is None:
            functions = [each for each in owner.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
            own = self._methods[id(owner)] = {each.name: each for each in functions}
        found = own.get(name)
        for base in owner.bases if found is None else ():
            found = found or self.method(self.class_of(base), name, depth + 1)
        return found

    def class_of(self, node: ast.expr) -> ast.ClassDef | None:
        if isinstance(node, ast.Name):
            return self.classes.get(node.id)
        return self.classes.get(node.attr) if isinstance(node, ast.Attribute) else None
