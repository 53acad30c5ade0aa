"""What the condition of an assertion demands: how much, of what, compared with what."""

import ast
import re
from collections.abc import Iterator

from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.python.comparison_demands import compared
from assay.detectors.test_code.python.constants import constant, truth
from assay.detectors.test_code.python.demand import PythonDemand, expected_of, subject_of
from assay.detectors.test_code.python.inert import is_inert
from assay.detectors.test_code.python.text import LONGEST, Fill, Names, uniform
from assay.detectors.test_code.python.tolerance import argument, largest

_CLOSE = re.compile(r"(?:^|\.)(?:isclose|allclose|approx_equal|almost_equal)$")
_SAME = re.compile(r"(?:^|\.)(?:array_equal|equals|equal|identical|compare_digest)$")
_PROPERTY = re.compile(r"(?:^|\.)(?:isinstance|issubclass|all|startswith|endswith|match|fullmatch|search|is_\w+)$")


def condition_demands(node: ast.expr, names: Names, depth: int = 0) -> Iterator[PythonDemand]:
    """The demands of a condition: both halves of an ``and`` are demanded, each for itself."""
    if depth > 20:
        yield PythonDemand(node, Strength.SHAPE, "…")
        return
    parts = _parts(node, names)
    if parts is None:
        yield _demand(node, names)
        return
    for part in parts:
        yield from condition_demands(part, names, depth + 1)


def _parts(node: ast.expr, names: Names) -> list[ast.expr] | None:
    """The conditions that a condition joins; None for a condition that joins none."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) and truth(node, names) is None:
        return [value for value in node.values if truth(value, names) is not True]
    if isinstance(node, ast.NamedExpr | ast.Await):
        return [node.value]
    pairs = _equalities(node) if isinstance(node, ast.Compare) else None
    if pairs is None:
        return None
    return [ast.copy_location(ast.Compare(left, [ast.Eq()], [right]), node) for left, right in pairs]


def _equalities(node: ast.Compare) -> list[tuple[ast.expr, ast.expr]] | None:
    """``a == b == 3`` demands two equalities, ``(a, b) == (1, 2)`` one for each element."""
    if not all(isinstance(each, ast.Eq) for each in node.ops):
        return None
    if len(node.ops) > 1:
        return [(node.left, right) for right in node.comparators]
    return _side_by_side(node.left, node.comparators[0])


def _side_by_side(left: ast.expr, right: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    if not (isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple) and len(left.elts) == len(right.elts)):
        return None
    if any(isinstance(part, ast.Starred) for part in [*left.elts, *right.elts]) or not left.elts:
        return None
    return list(zip(left.elts, right.elts, strict=True))


def _demand(node: ast.expr, names: Names) -> PythonDemand:
    inert = is_inert(node, names)
    # A comparison or a call in which something under test takes part is never a constant.
    held = truth(node, names) if inert or not isinstance(node, ast.Compare | ast.Call) else None
    if held is False:
        return PythonDemand(node, Strength.SHAPE, "never reached", None, None, True)
    if held or inert:
        return PythonDemand(node, Strength.VACUOUS, "")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _negated(node, names)
    if isinstance(node, ast.BoolOp):
        return _either(node, names)
    if isinstance(node, ast.Compare):
        return compared(node, names)
    if isinstance(node, ast.Call):
        return _called(node, names)
    return PythonDemand(node, Strength.PRESENCE, subject_of(node, names), "True")


def _negated(node: ast.UnaryOp, names: Names) -> PythonDemand:
    inner = _demand(node.operand, names)
    if isinstance(node.operand, ast.Compare) and len(node.operand.ops) == 1:
        opposite = _OPPOSITE.get(type(node.operand.ops[0]))
        if opposite is not None:
            turned = ast.Compare(node.operand.left, [opposite()], node.operand.comparators)
            demand = compared(turned, names)
            return PythonDemand(node, demand.strength, demand.subject, demand.expected, demand.tolerance)
    if inner.expected in (None, "True"):
        return PythonDemand(node, Strength.SHAPE, inner.subject, "False")
    return PythonDemand(node, Strength.SHAPE, inner.subject, f"not {inner.expected}")


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def _either(node: ast.BoolOp, names: Names) -> PythonDemand:
    """An ``or`` demands no more than its weakest half, and nothing where the halves cover everything."""
    parts = [_demand(value, names) for value in node.values]
    demands = {(part.subject, part.expected) for part in parts}
    covered = any((subject, _denied(expected)) in demands for subject, expected in demands)
    if covered or any(part.strength is Strength.VACUOUS for part in parts):
        return PythonDemand(node, Strength.VACUOUS, parts[0].subject)
    strength = min(Strength.SHAPE, *(part.strength for part in parts))
    return PythonDemand(node, strength, parts[0].subject, uniform(node, names, Fill.EXPECTED)[:LONGEST])


def _denied(expected: str | None) -> str:
    if expected in ("True", "False"):
        return "False" if expected == "True" else "True"
    return f"not {expected}"


def _called(node: ast.Call, names: Names) -> PythonDemand:
    name = uniform(node.func)
    first = node.args[0] if node.args else node.func
    if name.endswith((".all", ".any")) and isinstance(node.func, ast.Attribute) and not node.args:
        inner = _demand(node.func.value, names)
        return PythonDemand(node, inner.strength, inner.subject, inner.expected, inner.tolerance)
    if name in ("all", "any", "bool") and node.args and not isinstance(first, ast.GeneratorExp | ast.Starred):
        return _quantified(node, name, first, names)
    second = expected_of(node.args[1], names) if len(node.args) > 1 else None
    if _CLOSE.search(name):
        return PythonDemand(
            node, Strength.CLOSE, subject_of(first, names), second, argument_tolerance(node, names)
        )
    if second is not None:
        asked = _asked(node, name, subject_of(first, names), second)
        if asked is not None:
            return asked
    strength = Strength.SHAPE if _PROPERTY.search(name) else Strength.PRESENCE
    return PythonDemand(node, strength, subject_of(node, names), "True")


def _asked(node: ast.Call, name: str, subject: str, second: str) -> PythonDemand | None:
    """What is asked of two things: whether they are the same, whether one is an instance of the other."""
    if _SAME.search(name):
        return PythonDemand(node, Strength.EXACT, subject, second)
    if name == "isinstance":
        vacuous = re.search(r"\bobject\b", second)
        return PythonDemand(node, Strength.VACUOUS if vacuous else Strength.SHAPE, subject, second)
    if name == "hasattr" and second in ("'__class__'", "'__dict__'", "'__doc__'"):
        return PythonDemand(node, Strength.VACUOUS, subject)
    return None


def _quantified(node: ast.Call, name: str, first: ast.expr, names: Names) -> PythonDemand:
    """all([]) is true, and so is any([True])."""
    if name == "all" and truth(first, names) is False:
        return PythonDemand(node, Strength.VACUOUS, "")
    if name == "bool":
        inner = _demand(first, names)
        return PythonDemand(node, inner.strength, inner.subject, inner.expected, inner.tolerance)
    return PythonDemand(node, Strength.SHAPE, subject_of(first, names), f"{name} of it")


_TOLERANCES = ("rtol", "atol", "rel_tol", "abs_tol", "rel", "abs", "delta")


def argument_tolerance(node: ast.Call, names: Names, default: float = 1e-5) -> float:
    """The larger of a call's relative and absolute tolerance."""
    given = [value for key in _TOLERANCES if (value := argument(node, key)) is not None]
    return largest([each for each in given if constant(each, names) is not None], names, default)
