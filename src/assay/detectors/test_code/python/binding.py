"""What names are bound to while the statements of a test are followed one after the other."""

import ast
from collections.abc import Iterator, Sequence

from assay.detectors.test_code.python.constants import UNKNOWN, constant
from assay.detectors.test_code.python.inert import is_inert
from assay.detectors.test_code.python.text import LONGEST, Fill, Names, Value, constant_text, uniform

_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def value_of(node: ast.expr, names: Names, *, given: bool = False) -> Value | None:
    """What a name is bound to from here on; None where it is too long to be worth filling in."""
    text = uniform(node, names, Fill.EXPECTED)
    if len(text) > LONGEST * 8 or (len(text) > LONGEST and not isinstance(node, _CONTAINERS)):
        return None
    container = isinstance(node, _CONTAINERS)
    if isinstance(node, ast.Lambda):
        return Value(text, node, given)
    inert = not container and is_inert(node, names)
    known = constant(node, names) if inert else UNKNOWN
    if isinstance(known, str | int | float | None) and not isinstance(node, ast.Constant):
        node = ast.copy_location(ast.Constant(known), node)
        text = constant_text(known)
    return Value(_wrapped(text, node), node, given, container, inert)


def _wrapped(text: str, node: ast.expr) -> str:
    """An operation keeps its parentheses wherever it is filled in."""
    return (
        f"({text})" if isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare | ast.UnaryOp | ast.IfExp) else text
    )


def bind(target: ast.expr, node: ast.expr | None, names: dict[str, Value], *, given: bool = False) -> None:
    """Bind the names of a target: to the value, to its parts, or to something unknown."""
    if isinstance(target, ast.Name):
        value = value_of(node, names, given=given) if node is not None else None
        if value is None:
            names.pop(target.id, None)
        else:
            names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        parts = (
            node.elts if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(target.elts) else None
        )
        values = [value_of(part, names, given=given) for part in parts] if parts else [None] * len(target.elts)
        for each, value in zip(target.elts, values, strict=True):
            _set(each, value, names)
    elif isinstance(target, ast.Starred):
        _set(target.value, None, names)


def _set(target: ast.expr, value: Value | None, names: dict[str, Value]) -> None:
    if not isinstance(target, ast.Name):
        bind(target, None, names)
    elif value is None:
        names.pop(target.id, None)
    else:
        names[target.id] = value


def stub_of(function: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> Value | None:
    """A function that returns the same whatever it is asked: calling it tests nothing. None for all others."""
    body = [
        each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    if not is_inert(body[0].value, names):
        return None
    return Value(function.name, ast.Lambda(function.args, body[0].value))


def bound_in(statements: Sequence[ast.AST]) -> Iterator[str]:
    """The names that statements bind, so that nothing is known of them afterwards."""
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store | ast.Del):
                yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            waiting += [each for each in ast.walk(node) if isinstance(each, ast.Nonlocal | ast.Global)]
        elif isinstance(node, ast.Nonlocal | ast.Global):
            yield from node.names
        else:
            waiting += ast.iter_child_nodes(node)
