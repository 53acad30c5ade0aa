"""What a part of a Python condition demands: how much, of what, compared with what."""

import ast
from dataclasses import dataclass

from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.python.constants import constant
from assay.detectors.test_code.python.text import LONGEST, Fill, Names, constant_text, uniform

_WRAPPERS = frozenset({"len", "type", "str", "repr", "bool", "list", "set", "sorted", "tuple", "dict", "abs",
                       "int", "float", "sum", "min", "max", "round"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class PythonDemand:
    """A demand in a syntax tree.

    ``node`` is the part of the condition that makes it; ``fails`` is true where it never holds. ``text`` is set
    where the demand is not spelled as a condition.
    """

    node: ast.expr
    strength: Strength
    subject: str
    expected: str | None = None
    tolerance: float | None = None
    fails: bool = False
    text: str | None = None


def subject_of(node: ast.expr, names: Names) -> str:
    """What is looked at, without what is put around it to look at a part."""
    for _ in range(4):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS):
            break
        if not node.args or isinstance(node.args[0], ast.Starred):
            break
        node = node.args[0]
    if isinstance(node, ast.Await):
        node = node.value
    return uniform(node, names, Fill.SUBJECT)[:LONGEST]


def expected_of(node: ast.expr, names: Names) -> str:
    """What something is compared with, worked out as far as it is arithmetic."""
    if isinstance(node, ast.BinOp):
        value = constant(node, names)
        if isinstance(value, str | int | float):
            return constant_text(value)
    return uniform(node, names, Fill.EXPECTED)[: 10 * LONGEST]
