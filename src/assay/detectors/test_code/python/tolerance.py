"""How far a value may be from the expected one: approx, rounding, a bound on the difference, places, decimals."""

import ast
import math
from dataclasses import dataclass

from assay.detectors.test_code.python.constants import constant
from assay.detectors.test_code.python.text import LONGEST, Fill, Names, uniform

_APPROX_DEFAULT = 1e-6


@dataclass(frozen=True, slots=True)
class Closeness:
    """``subject`` is None where the comparison itself says what is looked at."""

    tolerance: float | None
    expected: str
    subject: str | None = None


def argument(node: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The argument of a call, by its keyword or by its place."""
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    return node.args[position] if position is not None and len(node.args) > position else None


def number(node: ast.expr | None, names: Names) -> float | None:
    value = constant(node, names)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def tolerance_of(left: ast.expr, right: ast.expr, names: Names) -> Closeness | None:
    """The closeness that a comparison asks for; None where it asks for equality."""
    if isinstance(right, ast.Call) and _is_approx(right):
        return Closeness(approx_tolerance(right, names), _text(right.args[0], names))
    if not isinstance(left, ast.Call) or not left.args:
        return None
    if _is_approx(left):
        return Closeness(approx_tolerance(left, names), _text(left.args[0], names), _text(right, names))
    name = left.func.id if isinstance(left.func, ast.Name) else ""
    if name == "round":
        digits = number(argument(left, "ndigits", 1), names) or 0.0
        return Closeness(0.5 * ten_to(-digits), _text(right, names))
    return _difference(left.args[0], right, names) if name == "abs" else None


def _difference(node: ast.expr, bound: ast.expr, names: Names) -> Closeness | None:
    """``abs(a - b)`` against a bound."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return None
    subject = uniform(node.left, names, Fill.SUBJECT)[:LONGEST]
    return Closeness(number(bound, names), _text(node.right, names), subject)


def _is_approx(node: ast.Call) -> bool:
    return uniform(node.func).rsplit(".", 1)[-1] == "approx" and bool(node.args)


def approx_tolerance(node: ast.Call, names: Names) -> float:
    """pytest's approx takes the larger of both; with neither it is a millionth."""
    given = [argument(node, name, place) for name, place in (("rel", 1), ("abs", 2))]
    return largest(
        [each for each in given if each is not None and constant(each, names) is not None], names, _APPROX_DEFAULT
    )


def largest(given: list[ast.expr], names: Names, default: float) -> float:
    """The largest of some tolerances. One that only running would tell counts as 1."""
    found = [number(each, names) for each in given]
    return max((1.0 if each is None else each for each in found), default=default)


def ten_to(exponent: float) -> float:
    return math.inf if exponent > 300 else 10.0 ** max(exponent, -300)


def _text(node: ast.expr, names: Names) -> str:
    return uniform(node, names, Fill.EXPECTED)[: 10 * LONGEST]
