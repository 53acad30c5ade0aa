"""Python's own syntax tree in the form that the engine reads."""

import ast
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate

from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.languages.python.spelling import dotted_text, other_spelling, spelled
from assay.detectors.test_code.tree import Node, ParsedText

# Warnings are a setting of the whole process, so only one thread may change them at a time.
_QUIET = threading.Lock()
_PARTS: dict[type[ast.AST], Part] = {
    ast.FunctionDef: Part.FUNCTION, ast.AsyncFunctionDef: Part.FUNCTION, ast.ClassDef: Part.CLASS,
    ast.Lambda: Part.CLOSURE, ast.Call: Part.CALL, ast.If: Part.IF, ast.While: Part.LOOP, ast.For: Part.EACH,
    ast.AsyncFor: Part.EACH, ast.With: Part.ONCE, ast.AsyncWith: Part.ONCE, ast.Match: Part.SWITCH,
    ast.Try: Part.TRY, ast.TryStar: Part.TRY, ast.ExceptHandler: Part.CATCH, ast.Return: Part.RETURN,
    ast.Raise: Part.THROW, ast.Break: Part.BREAK, ast.Continue: Part.BREAK, ast.Assign: Part.BINDING,
    ast.AnnAssign: Part.BINDING, ast.NamedExpr: Part.BINDING, ast.AugAssign: Part.ASSIGNMENT,
    ast.Delete: Part.ASSIGNMENT, ast.Assert: Part.ASSERT, ast.Nonlocal: Part.ASSIGNMENT,
    ast.Global: Part.ASSIGNMENT, ast.Yield: Part.OTHER, ast.YieldFrom: Part.OTHER,
}  # fmt: skip
_BLOCKS = {"body": Part.BLOCK, "orelse": Part.BLOCK, "finalbody": Part.FINALLY}
_SIGNS = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
_LEAVES = frozenset({ast.Name, ast.Constant, ast.alias, ast.Pass, str, int, type(None)}).union(
    *(sign.__subclasses__() for sign in _SIGNS)
)
"""What has nothing in it that matters."""
_SPECIAL = frozenset(
    {ast.Import, ast.ImportFrom, ast.match_case, ast.JoinedStr, ast.Dict, ast.ListComp, ast.SetComp}
)
"""What is no part, and still more than what it is made of."""
_OWN_HEADS = (ast.If, ast.While, ast.For, ast.AsyncFor)

Found = tuple[int, int, str, Part, ast.AST | None]


@dataclass(slots=True, eq=False)
class PythonTree(ParsedText):
    """A tree whose nodes know what they were made of."""

    made: dict[Node, ast.AST] = field(default_factory=dict)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    reach: Callable[[ast.AST], tuple[int, int]] | None = None
    """Where a part of the syntax tree stands."""
    spelled: dict[Node, str] = field(default_factory=dict)


def parse(text: str) -> PythonTree:
    """Read a text. Raises what ``ast.parse`` does; a file's odd escapes are its own affair and are not told."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = ast.parse(text)
    return _Maker(text).tree(module)


def respelled(tree: ParsedText, node: Node) -> str:
    """A node in its one spelling."""
    if not isinstance(tree, PythonTree):
        return tree.source(node)
    if node not in tree.spelled:
        tree.spelled[node] = spelled(tree.made[node])
    return tree.spelled[node]


class _Maker:
    """Collects the nodes of one text in any order, and nests them by where they stand."""

    def __init__(self, text: str) -> None:
        self._text = text
        rows = text.split("\n")
        self._starts = list(accumulate((len(row) + 1 for row in rows), initial=0))
        self._rows = None if text.isascii() else rows
        self._found: list[Found] = []
        self._imports: list[ast.Import | ast.ImportFrom] = []

    def _offset(self, line: int, column: int) -> int:
        """Where a place is in characters; Python counts columns in bytes."""
        start = self._starts[line - 1]
        if self._rows is not None and not self._rows[line - 1].isascii():
            column = len(self._rows[line - 1].encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))
        return start + column

    def _reach(self, node: ast.AST) -> tuple[int, int]:
        return (
            self._offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self._offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def tree(self, module: ast.Module) -> PythonTree:
        waiting: list[ast.AST] = [module]
        while waiting:
            node = waiting.pop()
            part = _PARTS.get(node.__class__)
            if node.__class__ is ast.Assign and not isinstance(node.targets[0], ast.Name):
                part = Part.ASSIGNMENT
            if part is not None:
                self._put(node, part)
                if part is Part.CALL and other_spelling(node) is not node:
                    self._found.append((*self._reach(node), "respelled", Part.TEXT, node))
            elif node.__class__ in _SPECIAL and self._is_whole(node):
                continue
            for name in node._fields:
                value = getattr(node, name, None)
                if value.__class__ is list:
                    if name != "decorator_list":
                        waiting += [each for each in value if each.__class__ not in _LEAVES]
                elif value is not None and value.__class__ not in _LEAVES:
                    waiting.append(value)
        return self._nested(module)

    def _is_whole(self, node: ast.AST) -> bool:
        """Whether nothing inside of a node is looked at by itself."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._imports.append(node)
            return True
        if isinstance(node, ast.match_case):
            self._case(node)
            return False
        if not isinstance(node, ast.JoinedStr | ast.Dict) and other_spelling(node) is node:
            return False
        self._found.append((*self._reach(node), "respelled", Part.TEXT, node))
        return True

    def _put(self, node: ast.AST, part: Part) -> None:
        start, end = self._reach(node)
        kind = "Yield" if part is Part.OTHER else type(node).__name__
        self._found.append((start, end, kind, part, node))
        if part is Part.CALL:
            opened = self._text.find("(", self._reach(node.func)[1], end)  # type: ignore[attr-defined]
            if opened >= 0:
                self._found.append((opened, end, "given", Part.GIVEN, None))
            return
        if isinstance(node, _OWN_HEADS):
            self._head(node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            self._items(node)
        for name, block in _BLOCKS.items():
            inner = getattr(node, name, None)
            if isinstance(inner, list) and inner:
                self._block(node, name, inner, block)

    def _head(self, node: ast.If | ast.While | ast.For | ast.AsyncFor) -> None:
        first, last = (
            (node.target, node.iter) if isinstance(node, ast.For | ast.AsyncFor) else (node.test, node.test)
        )
        self._found.append((self._reach(first)[0], self._reach(last)[1], "head", Part.HEAD, None))
        if first is not last:
            self._found.append((*self._reach(first), "target", Part.ASSIGNMENT, None))

    def _case(self, node: ast.match_case) -> None:
        start, end = self._reach(node.pattern)[0], self._reach(node.body[-1])[1]
        self._found.append((start, end, "case", Part.CASE, None))
        self._block(node, "body", node.body, Part.BLOCK)

    def _items(self, node: ast.With | ast.AsyncWith) -> None:
        """Names that context managers give; one that takes errors is like a ``try`` with a handler behind it."""
        takes, at = False, len(self._found) - 1
        for item in node.items:
            call = item.context_expr
            name = dotted_text(call.func).lower() if isinstance(call, ast.Call) else ""
            takes |= "suppress" in name or "raises" in name or "warns" in name
            if item.optional_vars is not None:
                self._found.append((*self._reach(item.optional_vars), "target", Part.ASSIGNMENT, None))
        if takes:
            self._found[at] = (*self._found[at][:3], Part.TRY, node)
            start = self._found[at][0] + 1
            self._found.append((start, start, "caught", Part.CATCH, None))

    def _block(self, node: ast.AST, name: str, inner: list[ast.stmt], part: Part) -> None:
        """The statements of a block. An ``elif`` is an if in the place of the block."""
        chained = name == "orelse" and isinstance(node, ast.If) and isinstance(inner[0], ast.If)
        if chained and self._text.startswith("elif", self._reach(inner[0])[0]):
            return
        if name == "orelse" and isinstance(node, ast.Try | ast.TryStar):
            part = Part.ELSE
        first = min(inner[0].lineno, *(each.lineno for each in getattr(inner[0], "decorator_list", ())), 10**9)
        start = self._reach(inner[0])[0]
        if first != inner[0].lineno:
            start = self._starts[first - 1]
        self._found.append((start, self._reach(inner[-1])[1], name, part, None))

    def _nested(self, module: ast.Module) -> PythonTree:
        """Nodes that begin at the same place are nested by their ends; a block is around its statements."""
        root = Node("", 0, len(self._text), None, Part.FILE)
        nodes, innermost = [root], root
        made: dict[Node, ast.AST] = {root: module}
        self._found.sort(key=lambda each: (each[0], -each[1], each[4] is not None))
        for start, end, kind, part, of in self._found:
            while start >= innermost.end and innermost.parent is not None:
                innermost = innermost.parent
            node = Node(kind, start, end, innermost, part)
            innermost.children.append(node)
            nodes.append(node)
            if of is not None:
                made[node] = of
            innermost = node
        lines = [at - 1 for at in self._starts[1:]]
        return PythonTree(
            self._text, nodes, (), lines, frozenset(node.kind for node in nodes), made, self._imports, self._reach
        )
