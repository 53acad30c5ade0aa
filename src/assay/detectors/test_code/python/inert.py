"""Expressions that don't depend on the code under test: literals, and builtins of literals."""

import ast

from assay.detectors.test_code.python.text import Names

_PURE = frozenset({
    "abs", "all", "any", "bool", "bytes", "chr", "complex", "dict", "divmod", "enumerate", "float", "format",
    "frozenset", "hex", "int", "isinstance", "issubclass", "len", "list", "map", "max", "min", "object", "oct",
    "ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "type",
    "zip",
})  # fmt: skip
_DEEPEST = 12


def is_inert(node: ast.expr, names: Names, depth: int = 0) -> bool:
    """Whether nothing that a test could be about takes part in the expression."""
    if isinstance(node, ast.Constant):
        return True
    if depth > _DEEPEST:
        return False
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        return value.inert if value is not None else node.id in _PURE
    if isinstance(node, ast.Call):
        return _inert_call(node, names, depth)
    if isinstance(node, ast.Attribute):
        value = names.get(f"{node.value.id}.{node.attr}") if isinstance(node.value, ast.Name) else None
        return value is not None and value.inert
    parts = _parts(node)
    return parts is not None and all(is_inert(part, names, depth + 1) for part in parts)


_STUBS = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock"})


def _is_stub(function: ast.expr | None, names: Names, depth: int) -> bool:
    """A lambda that returns a literal, or a mock: what calling it gives is the test's own doing."""
    if isinstance(function, ast.Lambda):
        return is_inert(function.body, names, depth + 1)
    if isinstance(function, ast.Call):
        maker = function.func
        if any(keyword.arg in ("wraps", "side_effect") for keyword in function.keywords):
            return False
        return (maker.attr if isinstance(maker, ast.Attribute) else getattr(maker, "id", "")) in _STUBS
    return False


def _inert_call(node: ast.Call, names: Names, depth: int) -> bool:
    function = node.func
    bound = names.get(function.id) if isinstance(function, ast.Name) else None
    if _is_stub(bound.node if bound is not None else function, names, depth):
        return True
    if isinstance(function, ast.Name):
        known = function.id in _PURE and bound is None
    else:
        known = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Constant)
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    return known and all(is_inert(value, names, depth + 1) for value in values)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """The parts of an operation or a display; None for what may do anything."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return node.elts
    if isinstance(node, ast.Subscript):
        return [node.value, *([] if isinstance(node.slice, ast.Slice) else [node.slice])]
    if isinstance(node, ast.Dict):
        return [*(key for key in node.keys if key), *node.values]
    return None
