"""What a Python expression is worth without running anything: constants, as far as they can be worked out."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Final

Names = Mapping[str, ast.expr]
"""What names stand for that have one value."""

NO_NAMES: Names = {}


class _Unknown:
    """Stands for a value that only running the code would tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
_LONGEST = 10_000
_DEEPEST = 30

_BINARY: dict[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitOr: operator.or_, ast.BitAnd: operator.and_,
    ast.Pow: lambda base, exponent: base**exponent if abs(exponent) < 400 and abs(base) < 1e6 else UNKNOWN,
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right, ast.NotIn: lambda left, right: left not in right,
}  # fmt: skip
_CALLED: dict[str, Callable[..., object]] = {
    "bool": bool, "int": int, "float": float, "str": str, "len": len, "abs": abs, "chr": chr, "tuple": tuple,
    "list": tuple, "set": frozenset, "frozenset": frozenset, "dict": lambda *_: UNKNOWN, "any": any, "all": all,
    "min": min, "max": max, "reversed": lambda items: tuple(reversed(items)), "ord": ord, "sum": sum,
    "range": range, "sorted": lambda items: tuple(sorted(items)),
    "enumerate": lambda items: tuple(enumerate(items)),
}  # fmt: skip
_TEXT_METHODS = frozenset({"join", "lower", "upper", "strip", "replace", "format", "removeprefix", "removesuffix"})
# Every Python that still runs anything is newer than this, so a comparison with an older version is no condition.
_OLDEST_PYTHON: Final = (3, 8)
_NEVER = frozenset({"TYPE_CHECKING", "typing.TYPE_CHECKING"})


def constant(node: ast.AST | None, names: Names = NO_NAMES, depth: int = 0) -> object:
    """The value of a constant expression; lists and sets come as tuples and frozen sets. Else ``UNKNOWN``."""
    if node is None or depth > _DEEPEST:
        return UNKNOWN
    rule = _RULES.get(type(node))
    if rule is None:
        return UNKNOWN
    try:
        value = rule(node, names, depth + 1)
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, MemoryError):
        return UNKNOWN
    too_long = isinstance(value, str | bytes | tuple | frozenset) and len(value) > _LONGEST
    return UNKNOWN if too_long else value


def truth(node: ast.expr, names: Names = NO_NAMES) -> bool | None:
    """Whether a condition always or never holds; None where that depends on something."""
    value = constant(node, names)
    if value is not UNKNOWN:
        return bool(value)
    if isinstance(node, ast.Dict | ast.Set | ast.List | ast.Tuple | ast.JoinedStr | ast.Lambda):
        return _display_truth(node)
    return None


def _display_truth(node: ast.expr) -> bool | None:
    """A tuple or a list with something in it is true, whatever is in it."""
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.JoinedStr):
        return True if any(isinstance(part, ast.Constant) for part in node.values) else None
    parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    if any(part is not None and not isinstance(part, ast.Starred) for part in parts):
        return True
    return None if parts else False


def _name(node: ast.Name, names: Names, depth: int) -> object:
    if node.id in _NEVER:
        return False
    value = names.get(node.id)
    return constant(value, names, depth) if value is not None else UNKNOWN


def _unary(node: ast.UnaryOp, names: Names, depth: int) -> object:
    if isinstance(node.op, ast.Not):
        held = truth(node.operand, names)
        return UNKNOWN if held is None else not held
    value = constant(node.operand, names, depth)
    if isinstance(value, int | float):
        return -value if isinstance(node.op, ast.USub) else +value
    return UNKNOWN


def _binary(node: ast.BinOp, names: Names, depth: int) -> object:
    left, right = constant(node.left, names, depth), constant(node.right, names, depth)
    if left is UNKNOWN or right is UNKNOWN or type(node.op) not in _BINARY:
        return UNKNOWN
    if isinstance(node.op, ast.Mult) and not all(
        isinstance(side, int | float) and abs(side) < 10_000 for side in (left, right)
    ):
        return _repeated(left, right)
    return _BINARY[type(node.op)](left, right)


def _repeated(left: object, right: object) -> object:
    """Multiplying what is long or large would cost memory, so it is done within bounds."""
    text, count = (left, right) if isinstance(left, str | tuple) else (right, left)
    if isinstance(text, str | tuple) and isinstance(count, int) and len(text) * max(count, 0) <= _LONGEST:
        return text * count
    if isinstance(left, int | float) and isinstance(right, int | float):
        return float(left) * float(right)
    return UNKNOWN


def _boolean(node: ast.BoolOp, names: Names, _: int) -> object:
    """One operand may decide alone, whatever the others are."""
    decides = isinstance(node.op, ast.Or)
    held = [truth(value, names) for value in node.values]
    if decides in held:
        return decides
    return UNKNOWN if None in held else not decides


def _compare(node: ast.Compare, names: Names, depth: int) -> object:
    version = _version_compare(node)
    if version is not UNKNOWN:
        return version
    left = constant(node.left, names, depth)
    for operation, comparator in zip(node.ops, node.comparators, strict=True):
        right = constant(comparator, names, depth) if left is not UNKNOWN else UNKNOWN
        if right is UNKNOWN:
            return UNKNOWN
        if not _COMPARED[type(operation)](left, right):
            return False
        left = right
    return True


def _version_compare(node: ast.Compare) -> object:
    if len(node.ops) != 1 or not _is_version(node.left):
        return UNKNOWN
    wanted = constant(node.comparators[0])
    if not isinstance(wanted, tuple) or not wanted or wanted >= _OLDEST_PYTHON:
        return UNKNOWN
    if isinstance(node.ops[0], ast.Gt | ast.GtE | ast.NotEq):
        return True
    return False if isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Eq) else UNKNOWN


def _is_version(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "version_info"


def _attribute(node: ast.Attribute, names: Names, depth: int) -> object:
    if isinstance(node.value, ast.Name):
        if f"{node.value.id}.{node.attr}" in _NEVER:
            return False
        value = names.get(f"{node.value.id}.{node.attr}")
        return constant(value, names, depth) if value is not None else UNKNOWN
    return UNKNOWN


def _call(node: ast.Call, names: Names, depth: int) -> object:
    function = node.func
    if isinstance(function, ast.Name):
        plain = _CALLED.get(function.id) if function.id not in names else None
        return UNKNOWN if plain is None else _applied(plain, node, names, depth)
    if isinstance(function, ast.Attribute) and function.attr in _TEXT_METHODS:
        text = constant(function.value, names, depth)
        return _applied(getattr(text, function.attr), node, names, depth) if isinstance(text, str) else UNKNOWN
    return UNKNOWN


def _applied(function: Callable[..., object], node: ast.Call, names: Names, depth: int) -> object:
    values = [constant(argument, names, depth) for argument in node.args]
    return UNKNOWN if node.keywords or any(value is UNKNOWN for value in values) else function(*values)


def _elements(node: ast.Tuple | ast.List | ast.Set, names: Names, depth: int) -> object:
    values = tuple(constant(element, names, depth) for element in node.elts)
    if any(value is UNKNOWN for value in values):
        return UNKNOWN
    return frozenset(values) if isinstance(node, ast.Set) else values


def _subscript(node: ast.Subscript, names: Names, depth: int) -> object:
    whole = constant(node.value, names, depth)
    if isinstance(node.slice, ast.Slice):
        parts = [None if part is None else constant(part, names, depth)
                 for part in (node.slice.lower, node.slice.upper, node.slice.step)]  # fmt: skip
        # Nothing is left of anything that is cut at 0.
        if node.slice.lower is None and parts[1:] == [0, None]:
            return ()
        return UNKNOWN if UNKNOWN in [whole, *parts] else whole[slice(*parts)]  # type: ignore[index]
    index = constant(node.slice, names, depth)
    return UNKNOWN if UNKNOWN in (whole, index) else whole[index]  # type: ignore[index]


def _joined(node: ast.JoinedStr, names: Names, depth: int) -> object:
    parts = [
        constant(part.value if isinstance(part, ast.FormattedValue) else part, names, depth)
        for part in node.values
    ]
    return UNKNOWN if UNKNOWN in parts else "".join(str(part) for part in parts)


def _choice(node: ast.IfExp, names: Names, depth: int) -> object:
    held = truth(node.test, names)
    return UNKNOWN if held is None else constant(node.body if held else node.orelse, names, depth)


_RULES: dict[type[ast.AST], Callable[..., object]] = {
    ast.Constant: lambda node, _, __: node.value,
    ast.Name: _name,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Tuple: _elements,
    ast.List: _elements,
    ast.Set: _elements,
    ast.Subscript: _subscript,
    ast.JoinedStr: _joined,
    ast.IfExp: _choice,
    ast.NamedExpr: lambda node, names, depth: constant(node.value, names, depth),
}
