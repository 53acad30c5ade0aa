"""The names of one Python file: what is imported under which name, what is bound to what, and what is defined."""

import ast
from dataclasses import dataclass, field

from assay.detectors.test_code.languages.python.constants import UNKNOWN, constant

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DEEPEST = 8
_LOOKS_INTO = frozenset({"__getattr__", "__getattribute__"})


@dataclass(slots=True)
class Module:
    """One file while it is read."""

    aliases: dict[str, str] = field(default_factory=dict)
    bound: dict[str, ast.expr] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    effects: dict[int, object] = field(default_factory=dict)
    """What the file's own decorators do, once it is worked out."""
    _methods: dict[int, dict[str, Function]] = field(default_factory=dict)

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


def argument(node: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The argument of a call, by its keyword or by its place."""
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    return node.args[position] if position is not None and len(node.args) > position else None


def note_names(statements: list[ast.stmt], module: Module, *, certain: bool = True) -> None:
    """What the names of a file mean, wherever in it they are bound."""
    for node in statements:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module.imports(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            module.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
            for inner in node.body:
                if isinstance(inner, ast.ClassDef):
                    module.classes.setdefault(inner.name, inner)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            _bind(node, module, certain=certain)
        else:
            for block in ("body", "orelse", "finalbody"):
                note_names(getattr(node, block, []), module, certain=False)
            for handler in getattr(node, "handlers", []):
                note_names(handler.body, module, certain=False)


def _bind(node: ast.Assign | ast.AnnAssign, module: Module, *, certain: bool) -> None:
    """A constant is bound once, and in any case: neither in a branch nor in place of an import."""
    if node.value is None:
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name):
            again = target.id in module.bound or target.id in module.aliases or not certain
            module.bound[target.id] = node.value
            if not again and constant(node.value, module.constants) is not UNKNOWN:
                module.constants[target.id] = node.value
            else:
                module.constants.pop(target.id, None)
