"""Every sentence with which Assay refuses or gives up, read from the code, so that they can be read in one go.

A value that is filled in is shown by its name in braces. If a function of the same module makes a part of a
sentence, each of its possible texts is listed.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import install_hint
from docs.markdown import fence

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "assay"
DEPTH = 3

# What these say is for programs: they are caught inside Assay and never shown.
_INTERNAL = frozenset({"EOFError", "StopIteration", "KeyError", "TimeoutError", "NotImplementedError"})


@dataclass(frozen=True, slots=True, order=True)
class Sentence:
    """One text of an error, and the module and line at which it is raised."""

    module: str
    line: int
    text: str


def error_sentences(package: Path = PACKAGE) -> list[Sentence]:
    """All of them, in the order of the modules."""
    found = []
    for path in sorted(package.rglob("*.py")):
        module = str(path.relative_to(package))
        found += [Sentence(module, line, text) for line, text in sentences_of(path.read_text(encoding="utf-8"))]
    return found


def error_page() -> Iterator[str]:
    """The page: a heading for each module that can refuse something, and its sentences."""
    yield "# What errors say"
    yield (
        "Every sentence with which Assay refuses something or gives up, by the file that says it. A command prints"
        " one of them after `assay: ` on standard error and ends with exit code 2; in Python it is the text of"
        " the exception. Values in braces are filled in."
    )
    by_module: dict[str, list[str]] = {}
    for sentence in error_sentences():
        texts = by_module.setdefault(sentence.module, [])
        if sentence.text not in texts:
            texts.append(sentence.text)
    for module, texts in by_module.items():
        yield f"## {module}"
        yield fence("\n".join(texts), "text")


def sentences_of(source: str) -> Iterator[tuple[int, str]]:
    """The line and the text of everything that is raised with a text."""
    tree = ast.parse(source)
    every = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    functions = {node.name: node for node in every}
    for function in [tree, *every]:
        reader = _Reader(function, functions)
        for node in _own(function):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _is_error(node.exc):
                yield from ((node.lineno, text) for text in reader.texts_of_call(node.exc))


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module or a function that don't belong to a function inside it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from _own(child)


def _is_error(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    return name.endswith("Error") and name not in _INTERNAL


class _Reader:
    """Reads texts in one function."""

    def __init__(self, scope: ast.AST, functions: dict[str, ast.FunctionDef]) -> None:
        self._functions = functions
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in _own(scope):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._assigned.setdefault(node.targets[0].id, []).append(node.value)

    def texts_of_call(self, call: ast.Call) -> Iterator[str]:
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            yield from (text for text in self.texts(argument) if " " in re.sub(r"\{[^}]*\}", "", text).strip())

    def texts(self, node: ast.expr, depth: int = DEPTH) -> list[str]:
        """Every text that an expression may be."""
        match node:
            case ast.Constant(str(text)):
                return [text]
            case ast.JoinedStr(values):
                return self._joined(values, depth)
            case ast.FormattedValue(value):
                return self._filled_in(value, depth)
            case ast.BinOp(left, ast.Add(), right):
                return [a + b for a in self.texts(left, depth) for b in self.texts(right, depth)]
            case ast.Constant(value):
                return ["" if value is None else str(value)]
            case ast.IfExp(_, body, orelse):
                return self.texts(body, depth) + self.texts(orelse, depth)
            case ast.BoolOp(ast.Or(), values):
                return [text for value in values for text in self.texts(value, depth)]
        return self._filled_in(node, depth)

    def _joined(self, values: list[ast.expr], depth: int) -> list[str]:
        found = [""]
        for value in values:
            found = [text + more for text in found for more in self.texts(value, depth)]
        return list(dict.fromkeys(found))[:12]

    def _filled_in(self, value: ast.expr, depth: int) -> list[str]:
        """What stands for a value: the texts that it may be if those are known, else its name in braces."""
        known: list[str] = []
        if depth and isinstance(value, ast.Name):
            given = self._assigned.get(value.id, ())
            known = self._words([text for one in given for text in self.texts(one, depth - 1)])
        elif isinstance(value, ast.Call) and _name(value.func) == install_hint.__name__:
            return [install_hint(text) for text in self.texts(value.args[0], depth)]
        elif depth and isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            function = self._functions.get(value.func.id)
            known = self._words(self._returned(function, depth - 1)) if function is not None else []
        elif isinstance(value, ast.IfExp):
            known = self.texts(value, depth)
        return known or ["{" + _name(value) + "}"]

    @staticmethod
    def _words(texts: list[str]) -> list[str]:
        """Texts are worth showing if they say something that a name doesn't."""
        return texts if any(" " in re.sub(r"\{[^}]*\}", "", text).strip() for text in texts) else []

    def _returned(self, function: ast.FunctionDef, depth: int) -> list[str]:
        reader = _Reader(function, self._functions)
        values = [node.value for node in _own(function) if isinstance(node, ast.Return) and node.value is not None]
        return [text for value in values if not _is_none(value) for text in reader.texts(value, depth)]


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _name(value: ast.expr) -> str:
    """A short name for what is filled in."""
    match value:
        case ast.Attribute(_, name) | ast.Name(name):
            return name.strip("_")
        case ast.Subscript(inner, _) | ast.Starred(inner):
            return _name(inner)
        case ast.Call(ast.Attribute(ast.Constant(), "join"), [inner, *_]):
            return f"{_name(inner)}, …"
        case ast.Call(ast.Name("sorted" | "str" | "repr" | "len" | "list" | "map"), [*_, inner]):
            return _name(inner)
        case ast.Call(ast.Attribute(inner, "strip" | "rstrip" | "value" | "decode"), _):
            return _name(inner)
        case ast.Call(function, _):
            return _name(function)
    return "…"
