"""What a comparison demands: equality, closeness, an order, membership, or nothing at all."""

import ast
import re

from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.python.constants import constant
from assay.detectors.test_code.python.demand import PythonDemand, expected_of, subject_of
from assay.detectors.test_code.python.text import Fill, Names, uniform
from assay.detectors.test_code.python.tolerance import tolerance_of

_LOSING = frozenset({"len", "type", "bool", "set", "abs", "sum", "min", "max", "int", "sorted"})


_NEVER_NONE = frozenset({"str", "len", "type", "bool", "repr", "list", "dict", "set", "int", "float"})
_EMPTY = frozenset({"[]", "{}", "()", "''", "b''", "set()", "False", "list()", "dict()", "tuple()"})
_ANYTHING = frozenset({"ANY", "mock.ANY", "unittest.mock.ANY"})
_FOREVER = frozenset(
    {"float('inf')", "float('-inf')", "math.inf", "-math.inf", "np.inf", "-np.inf", "(-math.inf)"}
)


def compared(node: ast.Compare, names: Names) -> PythonDemand:
    if len(node.ops) != 1:
        return PythonDemand(
            node, Strength.SHAPE, subject_of(node.comparators[0], names), uniform(node, names, Fill.EXPECTED)
        )
    operator, left, right = node.ops[0], node.left, node.comparators[0]
    if isinstance(operator, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) and _is_turned(left, right, names):
        left, right = right, left
    if _always(operator, left, right, names):
        return PythonDemand(node, Strength.VACUOUS, subject_of(left, names))
    if isinstance(operator, ast.Eq | ast.Is):
        return _equal(node, left, right, names)
    if isinstance(operator, ast.NotEq | ast.IsNot):
        strength = Strength.PRESENCE if constant(right) is None else Strength.SHAPE
        return PythonDemand(node, strength, subject_of(left, names), f"not {expected_of(right, names)}")
    if isinstance(operator, ast.In | ast.NotIn):
        return _contained(node, "in" if isinstance(operator, ast.In) else "not in", left, right, names)
    return _ordered(node, operator, left, right, names)


def _is_turned(left: ast.expr, right: ast.expr, names: Names) -> bool:
    """Whether what is expected stands on the left: ``3 == total``."""
    if _is_literal(right) or _made(right):
        return False
    return _literal(left, names) or (_made(left) and not _literal(right, names))


def _contained(node: ast.Compare, word: str, left: ast.expr, right: ast.expr, names: Names) -> PythonDemand:
    """``'x' in text`` looks at the text; ``x in (1, 2)`` looks at x."""
    if _literal(right, names):
        return PythonDemand(node, Strength.SHAPE, subject_of(left, names), f"{word} {expected_of(right, names)}")
    return PythonDemand(node, Strength.SHAPE, subject_of(right, names), f"{word} {expected_of(left, names)}")


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.JoinedStr) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    )


def _made(node: ast.expr) -> bool:
    """A value of a class, made of literals: ``Point(1, 2)``."""
    function = node.func if isinstance(node, ast.Call) else None
    name = getattr(function, "attr", getattr(function, "id", ""))
    parts = [*node.args, *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else []
    return name.lstrip("_")[:1].isupper() and all(_is_literal(each) or _made(each) for each in parts)


def _literal(node: ast.expr, names: Names) -> bool:
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        return value is not None and value.node is not None and _is_literal(value.node)
    return _is_literal(node)


def _equal(node: ast.Compare, left: ast.expr, right: ast.expr, names: Names) -> PythonDemand:
    subject, expected, wrapper = subject_of(left, names), expected_of(right, names), _wrapper(left)
    if expected == "True":
        return PythonDemand(node, Strength.PRESENCE, subject, "True")
    if _is_empty(right, expected) or (expected == "0" and wrapper == "len"):
        return PythonDemand(node, Strength.SHAPE, subject, "False")
    close = tolerance_of(left, right, names) if wrapper != "abs" else None
    if close is not None:
        return PythonDemand(node, Strength.CLOSE, close.subject or subject, close.expected, close.tolerance)
    if _is_anything(right):
        return PythonDemand(node, Strength.VACUOUS, subject)
    if subject.endswith(f" or {expected})"):
        # What is expected was put in where the code under test gave something else.
        return PythonDemand(node, Strength.PRESENCE, subject, expected)
    if wrapper in _LOSING:
        return PythonDemand(node, Strength.SHAPE, subject, f"{wrapper} {expected}")
    strength = Strength.SHAPE if re.search(r"\bANY\b", expected) else Strength.EXACT
    return PythonDemand(node, strength, subject, expected)


def _is_empty(node: ast.expr, text: str) -> bool:
    return text in _EMPTY and not isinstance(node, ast.Name | ast.Attribute)


def _is_anything(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and uniform(node) in _ANYTHING


def _wrapper(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _always(operator: ast.cmpop, left: ast.expr, right: ast.expr, names: Names) -> bool:
    """Comparisons that hold whatever the code under test does."""
    plain = isinstance(operator, ast.Eq | ast.Is) and not isinstance(left, ast.Name | ast.Constant)
    if plain and isinstance(right, ast.Constant):
        return False
    first, second = uniform(left, names), uniform(right, names)
    if first == second:
        return isinstance(operator, ast.Eq | ast.Is | ast.LtE | ast.GtE)
    if isinstance(operator, ast.In):
        inside = [uniform(part, names) for part in getattr(right, "elts", [])]
        return first in inside or (_wrapper(left) == "bool" and {"True", "False"} <= set(inside))
    if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) and not _FOREVER.isdisjoint((first, second)):
        return True
    if isinstance(operator, ast.IsNot) and second == "None":
        return _wrapper(left) in _NEVER_NONE
    return _wrapper(left) == "len" and _never_shorter(operator, constant(right, names))


def _never_shorter(operator: ast.cmpop, bound: object) -> bool:
    """``len(x) >= 0`` always holds."""
    if not isinstance(bound, int | float):
        return False
    if isinstance(operator, ast.GtE):
        return bound <= 0
    return isinstance(operator, ast.Gt | ast.NotEq) and bound < 0


def _ordered(
    node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr, names: Names
) -> PythonDemand:
    """An inequality; ``abs(a - b) < 0.1`` is an equality with a tolerance."""
    if _literal(left, names) and not _is_literal(right):
        left, right, operator = right, left, _TURNED[type(operator)]()
    close = tolerance_of(left, right, names) if isinstance(operator, ast.Lt | ast.LtE) else None
    if close is not None and close.subject is not None:
        return PythonDemand(node, Strength.CLOSE, close.subject, close.expected, close.tolerance)
    sign = _SIGNS[type(operator)]
    value = constant(right, names)
    if _wrapper(left) == "len" and (sign, value) in ((">", 0), (">=", 1)):
        return PythonDemand(node, Strength.PRESENCE, subject_of(left, names), "True")
    word = f"{_wrapper(left)} " if _wrapper(left) in _LOSING else ""
    return PythonDemand(node, Strength.SHAPE, subject_of(left, names), f"{word}{sign} {expected_of(right, names)}")


_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
