"""Small faults in source code: each is one edit after which the program does something else.

The edits are told by the shape of the syntax tree, not by the names that a grammar gives its nodes, so that one
set of rules serves every language. A mutant that a compiler refuses is noticed by everybody and says nothing.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ast_grep_py import SgNode

LARGEST: Final = 400_000
"""Longer files are generated ones more often than not, and parsing them takes long."""
MOST_IN_FILE: Final = 400

_OPERATORS: Final = {
    "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "&&": "||", "||": "&&", "and": "or", "or": "and", "+": "-", "-": "+", "*": "+", "/": "*", "%": "*",
    "//": "*", "in": "not in", "is": "is not", "+=": "-=", "-=": "+=",
}  # fmt: skip
_BOOLEANS: Final = {"true": "false", "false": "true", "True": "False", "False": "True"}
_NUMBER: Final = re.compile(r"(?:0|[1-9]\d{0,9})(?:\.\d+)?")
_NUMBERS: Final = ("integer", "int_literal", "number", "float", "decimal_integer_literal", "real_literal")
_TEXTS: Final = ("string_content", "string_fragment", "string_literal_content", "line_str_text")
_CONDITIONAL: Final = ("if_statement", "if_expression", "if", "elif_clause", "elsif", "while_statement", "unless")
_RETURNS: Final = ("return_statement", "return")
_CALLS: Final = (
    "call",
    "call_expression",
    "method_invocation",
    "invocation_expression",
    "function_call_expression",
)
# Some grammars have no statement of a call: it is a part of a block.
_BLOCKS: Final = ("statements", "block", "control_structure_body")
_FUNCTIONS: Final = re.compile(r"function|method|lambda|closure")
_NOT_FUNCTIONS: Final = re.compile(r"call|invocation|name|type|parameters|body|modifier|reference")
_BINDS: Final = re.compile(r"(?:let|var|case)\b")
_STATEMENT: Final = re.compile(r"statement$|_clause$|_definition$|_declaration$")
# What is written there is no behaviour, or breaks the whole file.
_OUTSIDE: Final = re.compile(
    r"import|use_decl|package|annotation|attribute$|attribute_|decorator$|type_|comment|using_|preproc"
)
_NOTHING: Final = {
    "python": "None",
    "javascript": "undefined",
    "typescript": "undefined",
    "ruby": "nil",
    "php": "null",
}
_RAISES: Final = {
    "python": "raise RuntimeError",
    "javascript": "throw new Error();",
    "typescript": "throw new Error();",
    "rust": "panic!();",
    "go": 'panic("");',
    "php": "throw new \\Exception();",
}
_NOT: Final = {"python": "not ({})"}


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file to make mutants of. ``language`` is a name that the parser knows."""

    path: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit: the text from ``start`` to ``end`` becomes ``new``.

    ``function`` is the line where the function around it begins, with its decorators; 0 outside of functions.
    ``first`` and ``last`` are the lines of the statement around it: whoever gets there runs one of them.
    """

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str
    rule: str
    function: int
    first: int = 0
    last: int = 0

    def applied(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def mutants_of(source: SourceText) -> list[Mutant]:
    """The mutants of a file, in the order of the text. To be called apart: the parser may never return."""
    from ast_grep_py import SgRoot  # noqa: PLC0415

    if len(source.text) > LARGEST:
        return []
    found: list[Mutant] = []
    root = SgRoot(source.text, source.language).root()
    for node, function in _walk(root, source.language):
        for start, end, new, rule in _edits(node, source.language):
            line = source.text.count("\n", 0, start) + 1
            old = source.text[start:end]
            found.append(Mutant(source.path, line, start, end, old, new, rule, function, *_lines_around(node)))
        if len(found) >= MOST_IN_FILE:
            break
    return found


def _walk(root: "SgNode", language: str) -> "Iterator[tuple[SgNode, int]]":
    """Every node that is behaviour, with the line of the function around it."""
    waiting = [(root, 0)]
    while waiting:
        node, function = waiting.pop()
        kind = node.kind()
        # In Python, an attribute is a value of an object; elsewhere it is written before a declaration.
        if _OUTSIDE.search(kind) and not (kind == "attribute" and language == "python"):
            continue
        yield node, function
        if kind == "decorated_definition":
            waiting.extend((part, _line(node)) for child in node.children() for part in reversed(child.children()))
            continue
        if _is_function(node):
            function = _line(node)
        waiting.extend((child, function) for child in reversed(node.children()))


def _is_function(node: "SgNode") -> bool:
    kind = node.kind()
    return bool(_FUNCTIONS.search(kind)) and not _NOT_FUNCTIONS.search(kind) and node.is_named()


def _line(node: "SgNode") -> int:
    return node.range().start.line + 1


def _lines_around(node: "SgNode") -> tuple[int, int]:
    """The first and the last line of the nearest statement."""
    around = node
    while not _STATEMENT.search(around.kind()) and (outer := around.parent()) is not None:
        around = outer
    reach = around.range()
    return reach.start.line + 1, reach.end.line + 1


Edit = tuple[int, int, str, str]


def _edits(node: "SgNode", language: str) -> Iterator[Edit]:
    kind = node.kind()
    for rule in _RULES:
        edit = rule(node, kind, language)
        if edit is not None:
            yield edit


def _operator(node: "SgNode", kind: str, language: str) -> Edit | None:  # noqa: ARG001 - as all rules
    """Something, an operator, something."""
    children = node.children()
    if len(children) != 3 or not (children[0].is_named() and children[2].is_named()):
        return None
    if children[1].is_named() and not children[1].kind().endswith("operator"):
        return None
    new = _OPERATORS.get(children[1].text())
    return None if new is None else (*_span(children[1]), new, "operator")


def _constant(node: "SgNode", kind: str, language: str) -> Edit | None:  # noqa: ARG001
    if not node.is_named():
        return None
    text = node.text() if node.is_leaf() or kind.startswith("boolean") else ""
    if text in _BOOLEANS and (kind in _BOOLEANS or kind.startswith("boolean")):
        return (*_span(node), _BOOLEANS[text], "constant")
    if kind.startswith(_NUMBERS) and _NUMBER.fullmatch(text):
        whole, dot, rest = text.partition(".")
        return (*_span(node), f"{int(whole) + 1}{dot}{rest}", "constant")
    if kind.endswith(_TEXTS) and not _is_remark(node):
        return (*_span(node), f"{text}x", "constant")
    return None


def _condition(node: "SgNode", kind: str, language: str) -> Edit | None:
    if kind not in _CONDITIONAL:
        return None
    condition = node.field("condition")
    if condition is None or _BINDS.match(condition.text()):
        return None
    if condition.kind() == "parenthesized_expression":
        return (*_span(condition), f"(!{condition.text()})", "condition")
    return (*_span(condition), _NOT.get(language, "!({})").format(condition.text()), "condition")


def _return(node: "SgNode", kind: str, language: str) -> Edit | None:
    """A value that is returned becomes nothing, where a language has no types that forbid it."""
    values = [child for child in node.children() if child.is_named()]
    if kind not in _RETURNS or language not in _NOTHING or len(values) != 1:
        return None
    nothing = _NOTHING[language]
    return None if values[0].text() == nothing else (*_span(values[0]), nothing, "return")


def _call(node: "SgNode", kind: str, language: str) -> Edit | None:
    """A call whose result nobody uses is left out."""
    if kind in _CALLS and (around := node.parent()) is not None and around.kind() in _BLOCKS:
        return None if _is_value(node, around, language) else (*_span(node), "", "call left out")
    inside = [child for child in node.children() if child.is_named()]
    if kind != "expression_statement" or len(inside) != 1 or inside[0].kind() not in _CALLS:
        return None
    return (*_span(inside[0]), "pass" if language == "python" else "", "call left out")


def _error(node: "SgNode", kind: str, language: str) -> Edit | None:
    """An error isn't raised, where a language has no types that demand it."""
    if kind not in ("raise_statement", "throw_statement") or language not in _NOTHING:
        return None
    return (*_span(node), "pass" if language == "python" else ";", "error left out")


def _raises(node: "SgNode", kind: str, language: str) -> Edit | None:  # noqa: ARG001
    """A function raises before anything else."""
    around, (start, _) = node.parent(), _span(node)
    if language not in _RAISES or around is None or around.kind() == "lambda" or not _is_function(around):
        return None
    body = around.field("body")
    if body is None or body.range() != node.range():
        return None
    if language != "python":
        return (start, start + 1, f"{{ {_RAISES[language]}", "raises") if node.text().startswith("{") else None
    column, before = node.range().start.column, node.prev()
    alone = before is None or before.range().end.line < node.range().start.line
    return (start, start, f"{_RAISES[language]}\n{' ' * column}" if alone else f"{_RAISES[language]}; ", "raises")


_RULES: Final[tuple[Callable[["SgNode", str, str], Edit | None], ...]] = (
    *(_operator, _constant, _condition, _return, _call, _error, _raises),
)


def _is_value(node: "SgNode", block: "SgNode", language: str) -> bool:
    """Whether a call is the last of a block that has its value. In Kotlin that is so for lambdas alone."""
    last = [child for child in block.children() if child.is_named()][-1]
    outer = block.parent()
    inner = language != "kotlin" or (outer is not None and outer.kind() == "lambda_literal")
    return inner and last.range() == node.range()


def _is_remark(node: "SgNode") -> bool:
    """A text that stands alone as a statement, such as a docstring."""
    around = node.parent()
    outer = None if around is None else around.parent()
    return outer is not None and outer.kind() == "expression_statement"


def _span(node: "SgNode") -> tuple[int, int]:
    reach = node.replace("")
    return reach.start_pos, reach.end_pos
