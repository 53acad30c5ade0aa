"""Python expressions as uniform text: one spelling for white space, quotes and parentheses.

Written from the syntax tree, and several times faster than ``ast.unparse``, since every assertion of every changed
file comes through here. Names may be filled in with what they are bound to.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from assay.detectors.test_code.python.spelling import respelled_call, respelled_comprehension, respelled_percent

LONGEST = 240
_COLLECTIONS = frozenset({"set", "frozenset", "list", "tuple", "dict"})
_DEEPEST = 40


class Fill(Enum):
    """Which names are replaced by what they stand for."""

    GIVEN = "given"
    """Parameters only: what the test's own table of cases, or a helper's caller, puts in."""
    SUBJECT = "subject"
    """All but containers, which the code under test may have filled since."""
    EXPECTED = "expected"
    """All."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a name is bound to at one place. ``inert`` is true where the code under test can't have a say in it."""

    text: str
    node: ast.expr | None = None
    given: bool = False
    container: bool = False
    inert: bool = False


Names = Mapping[str, Value]
NO_NAMES: Names = {}


_OPERATIONS = frozenset({ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp})


def uniform(node: ast.expr, names: Names = NO_NAMES, fill: Fill = Fill.GIVEN) -> str:
    """The expression in one spelling. Operators are in parentheses unless they are all there is."""
    text = _write(node, names, fill, 0)
    return text[1:-1] if type(node) in _OPERATIONS and text[0] == "(" and text[-1] == ")" else text


def constant_text(value: object) -> str:
    """A literal. An integer too long to be written in decimals is written in hexadecimals."""
    if value is ...:
        return "..."
    if type(value) is int and value.bit_length() > 4000:
        return hex(value)
    return repr(value)


def _write(node: ast.AST, names: Names, fill: Fill, depth: int) -> str:
    """Names and literals, which are most of what there is, are written right here."""
    kind = type(node)
    if kind is ast.Name:
        return _named(node.id, names, fill) if names else node.id  # type: ignore[attr-defined]
    if kind is ast.Constant:
        return constant_text(node.value)  # type: ignore[attr-defined]
    if depth > _DEEPEST:
        return "…"
    rule = _RULES.get(kind)
    return rule(node, names, fill, depth + 1) if rule is not None else _plain(node)


def _named(name: str, names: Names, fill: Fill) -> str:
    value = names.get(name)
    if value is None or (
        not value.given and (fill is Fill.GIVEN or (value.container and fill is not Fill.EXPECTED))
    ):
        return name
    return value.text


def _attribute(node: ast.Attribute, names: Names, fill: Fill, depth: int) -> str:
    """Constants of a class are known as ``self.NAME``."""
    owner = node.value
    if type(owner) is ast.Name:
        key = f"{owner.id}.{node.attr}"
        return _named(key, names, fill) if key in names else f"{_write(owner, names, fill, depth)}.{node.attr}"
    return f"{_write(owner, names, fill, depth)}.{node.attr}"


def _call(node: ast.Call, names: Names, fill: Fill, depth: int) -> str:
    if type(node.func) is not ast.Name or node.func.id in _COLLECTIONS:
        other = respelled_call(node)
        if other is not node:
            if type(other) is not ast.Call:
                return _write(other, names, fill, depth)
            node = other
    parts = [_write(argument, names, fill, depth) for argument in node.args]
    for keyword in node.keywords:
        value = _write(keyword.value, names, fill, depth)
        parts.append(f"{keyword.arg}={value}" if keyword.arg else f"**{value}")
    return f"{_write(node.func, names, fill, depth)}({', '.join(parts)})"


def _compare(node: ast.Compare, names: Names, fill: Fill, depth: int) -> str:
    parts = [_write(node.left, names, fill, depth)]
    for operator, right in zip(node.ops, node.comparators, strict=True):
        parts += [_OPERATORS.get(type(operator), "?"), _write(right, names, fill, depth)]
    return f"({' '.join(parts)})"


def _joined(node: ast.BoolOp, names: Names, fill: Fill, depth: int) -> str:
    word = " and " if isinstance(node.op, ast.And) else " or "
    return f"({word.join([_write(value, names, fill, depth) for value in node.values])})"


def _binary(node: ast.BinOp, names: Names, fill: Fill, depth: int) -> str:
    if type(node.op) is ast.Mod and type(node.left) is ast.Constant:
        other = respelled_percent(node)
        if other is not node:
            return _write(other, names, fill, depth)
    left, right = _write(node.left, names, fill, depth), _write(node.right, names, fill, depth)
    return f"({left} {_OPERATORS[type(node.op)]} {right})"


def _unary(node: ast.UnaryOp, names: Names, fill: Fill, depth: int) -> str:
    text = f"{_OPERATORS[type(node.op)]}{_write(node.operand, names, fill, depth)}"
    # A negative number is a literal like any other.
    return text if isinstance(node.operand, ast.Constant) and not isinstance(node.op, ast.Not) else f"({text})"


def _choice(node: ast.IfExp, names: Names, fill: Fill, depth: int) -> str:
    body, test, other = (_write(part, names, fill, depth) for part in (node.body, node.test, node.orelse))
    return f"({body} if {test} else {other})"


def _subscript(node: ast.Subscript, names: Names, fill: Fill, depth: int) -> str:
    return f"{_write(node.value, names, fill, depth)}[{_write(node.slice, names, fill, depth)}]"


def _slice(node: ast.Slice, names: Names, fill: Fill, depth: int) -> str:
    parts = [_write(part, names, fill, depth) if part else "" for part in (node.lower, node.upper, node.step)]
    return ":".join(parts if node.step else parts[:2])


def _listed(nodes: list[ast.expr], names: Names, fill: Fill, depth: int) -> list[str]:
    return [_write(node, names, fill, depth) for node in nodes]


def _list(node: ast.List, names: Names, fill: Fill, depth: int) -> str:
    return f"[{', '.join(_listed(node.elts, names, fill, depth))}]"


def _set(node: ast.Set, names: Names, fill: Fill, depth: int) -> str:
    """A set has no order, and neither has what equals a dictionary."""
    return f"{{{', '.join(sorted(_listed(node.elts, names, fill, depth)))}}}"


def _tuple(node: ast.Tuple, names: Names, fill: Fill, depth: int) -> str:
    inner = ", ".join(_listed(node.elts, names, fill, depth))
    return f"({inner},)" if len(node.elts) == 1 else f"({inner})"


def _dictionary(node: ast.Dict, names: Names, fill: Fill, depth: int) -> str:
    parts = [
        f"{_write(key, names, fill, depth)}: {_write(value, names, fill, depth)}"
        if key
        else f"**{_write(value, names, fill, depth)}"
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return f"{{{', '.join(parts if None in node.keys else sorted(parts))}}}"


def _starred(node: ast.Starred, names: Names, fill: Fill, depth: int) -> str:
    return f"*{_write(node.value, names, fill, depth)}"


def _await(node: ast.Await, names: Names, fill: Fill, depth: int) -> str:
    return f"(await {_write(node.value, names, fill, depth)})"


def _text(node: ast.JoinedStr, names: Names, fill: Fill, depth: int) -> str:
    """Formatted text. What stands in braces keeps its own spelling."""
    parts = [_piece(each, names, fill, depth) for each in node.values]
    return f"f{''.join(parts)!r}"


def _piece(node: ast.expr, names: Names, fill: Fill, depth: int) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value).replace("{", "{{").replace("}", "}}")
    if not isinstance(node, ast.FormattedValue):
        return f"{{{_write(node, names, fill, depth)}}}"
    conversion = f"!{chr(node.conversion)}" if node.conversion > 0 else ""
    inner = [_piece(each, names, fill, depth) for each in getattr(node.format_spec, "values", [])]
    spec = f":{''.join(inner)}" if inner else ""
    return f"{{{_write(node.value, names, fill, depth)}{conversion}{spec}}}"


def _comprehension(node: ast.ListComp | ast.SetComp, names: Names, fill: Fill, depth: int) -> str:
    other = respelled_comprehension(node)
    return _plain(node) if other is node else _write(other, names, fill, depth)


def _plain(node: ast.AST) -> str:
    """What has no rule of its own: comprehensions that do something, lambdas."""
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return "…"


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.MatMult: "@",
    ast.Not: "not ", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
}  # fmt: skip
_RULES: dict[type[ast.AST], Callable[..., str]] = {
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Compare: _compare,
    ast.BoolOp: _joined,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.IfExp: _choice,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _list,
    ast.Set: _set,
    ast.Tuple: _tuple,
    ast.Dict: _dictionary,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.JoinedStr: _text,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
}
