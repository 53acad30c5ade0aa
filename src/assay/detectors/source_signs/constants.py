"""Constants in code, for comparing what source knows with what tests ask and expect."""

import ast
import re
from collections.abc import Hashable, Iterator

Constants = tuple[Hashable, ...]

_DEEPEST = 6
_MOST = 40
_ONE = r"(?:-?\d[\d_]*(?:\.\d+)?|\"(?:[^\"\\\n]|\\.){0,300}\"|'(?:[^'\\\n]|\\.){0,300}'|`[^`\n]{0,300}`)"
_LITERAL = re.compile(rf"(?<![\w.]){_ONE}")
_NUMBER = re.compile(r"(\d[\d_]*(?:\.\d+)?)(?:[LlfFdDmMnU]|[iu](?:8|16|32|64|128|size)|f32|f64)?")


def of_expression(node: ast.AST | None, depth: int = _DEEPEST) -> Constants | None:
    """The constants of a literal, nested ones flattened; None where anything in it is not constant."""
    if isinstance(node, ast.Constant):
        return (node.value,)
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return (-value,)
    if depth == 0 or not isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
        return None
    parts = [*node.keys, *node.values] if isinstance(node, ast.Dict) else node.elts
    if len(parts) > _MOST:
        return None
    flat = [of_expression(part, depth - 1) for part in parts]
    return tuple(value for part in flat for value in part or ()) if None not in flat else None


def within(node: ast.AST) -> Iterator[Hashable]:
    """All constants anywhere in an expression."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant | ast.UnaryOp):
            yield from of_expression(part) or ()


def in_line(line: str) -> frozenset[Hashable]:
    """The numbers and texts of a line of any language."""
    return frozenset(of_literal(found[0]) for found in _LITERAL.finditer(line[:2000]))


def of_literal(literal: str) -> Hashable:
    """The value of a number or a text as most languages write it."""
    if literal[:1] in "\"'`":
        return literal[1:-1]
    number = literal.replace("_", "")
    return float(number) if "." in number else int(number[:300])


def number_of(word: str) -> int | float | None:
    """The value of a word that is a number, with the type that it may name: ``10u64``; None for any other word."""
    found = _NUMBER.fullmatch(word)
    if found is None:
        return None
    value = of_literal(found[1])
    # A number that no message has room for is as good as one that it has.
    return value if isinstance(value, float) or (isinstance(value, int) and value.bit_length() < 63) else None


def is_rare(value: Hashable) -> bool:
    """Whether a constant is unlikely to be in two places by chance."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return abs(value) >= 10 or value != int(value) if abs(value) < 1e15 else value == value  # noqa: PLR0124
    return isinstance(value, str | bytes) and len(value) >= 3
