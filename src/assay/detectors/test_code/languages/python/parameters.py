"""How often parameters make a Python test run, and with what: parametrize, expand, params of fixtures."""

import ast
import math
from dataclasses import dataclass, field

from assay.detectors.test_code.languages.python.constants import UNKNOWN, constant
from assay.detectors.test_code.languages.python.module import Function, Module, argument
from assay.detectors.test_code.languages.python.skips import decorator_skip
from assay.detectors.test_code.languages.python.spelling import spelled
from assay.detectors.test_code.model import Skip

MOST_ROWS = 200


@dataclass(slots=True)
class Table:
    """The rows of one decorator: a value for each name. ``rows`` is None where they are not written down."""

    names: tuple[str, ...]
    rows: list[tuple[ast.expr, ...]] | None
    skips: list[Skip] = field(default_factory=list)
    filled: bool = True


def tables(decorators: list[ast.expr], function: Function | None, module: Module) -> list[Table]:
    """The tables of parameters among some decorators or marks."""
    return [table for each in decorators if (table := _table(each, function, module)) is not None]


def _table(node: ast.expr, function: Function | None, module: Module) -> Table | None:
    node = module.bound.get(node.id, node) if isinstance(node, ast.Name) else node
    if not isinstance(node, ast.Call):
        return None
    name = module.dotted(node.func) or ""
    if name.endswith("mark.parametrize"):
        indirect = argument(node, "indirect")
        filled = indirect is None or constant(indirect) is False
        names = _split(argument(node, "argnames", 0), module)
        return _rows(names, argument(node, "argvalues", 1), module, filled=filled)
    if name.endswith(("parameterized.expand", "parameterized.parameterized", "ddt.data")) and function is not None:
        names = tuple(each.arg for each in function.args.args if each.arg not in ("self", "cls"))
        values = node.args[0] if "ddt" not in name and node.args else ast.List(list(node.args))
        return _rows(names, values, module)
    return None


def _split(node: ast.expr | None, module: Module) -> tuple[str, ...]:
    value = constant(node, module.constants)
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(part for part in value if isinstance(part, str)) if isinstance(value, tuple) else ()


def _rows(names: tuple[str, ...], node: ast.expr | None, module: Module, *, filled: bool = True) -> Table:
    elements = written_elements(node, module)
    table = Table(names, None, filled=filled)
    if elements is None:
        return table
    table.rows = []
    for element in elements:
        values, skip = _row(element, module)
        table.skips += skip
        if len(values) == 1 and len(names) > 1 and isinstance(values[0], ast.Tuple | ast.List):
            values = tuple(values[0].elts)
        table.rows.append(values)
    return table


def _row(node: ast.expr, module: Module) -> tuple[tuple[ast.expr, ...], list[Skip]]:
    """One row, and what skips it: ``pytest.param(1, 2, marks=pytest.mark.skip)``."""
    node = module.bound.get(node.id, node) if isinstance(node, ast.Name) else node
    if not (isinstance(node, ast.Call) and (module.dotted(node.func) or "").rsplit(".", 1)[-1] == "param"):
        return (node,), []
    marks = argument(node, "marks")
    listed = marks.elts if isinstance(marks, ast.List | ast.Tuple) else [marks] if marks is not None else []
    found = [skip for each in listed if (skip := decorator_skip(each, module, module.constants)) is not None]
    text = spelled(node)[:240]
    # Only this case is skipped, so for the test as a whole it is a condition.
    return tuple(node.args), [Skip(each.kind, node.lineno, text, conditional=True) for each in found]


def written_elements(node: ast.expr | None, module: Module, depth: int = 0) -> list[ast.expr] | None:
    """The elements of a list as far as it is written down in this file; None where it is made at run time."""
    if depth > 6:
        return None
    if isinstance(node, ast.Name) and node.id in module.bound:
        return written_elements(module.bound[node.id], module, depth + 1)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _spread(node.elts, module, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = (
            written_elements(node.left, module, depth + 1),
            written_elements(node.right, module, depth + 1),
        )
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.Dict):
        return [key for key in node.keys if key is not None]
    if isinstance(node, ast.Call):
        return _made(node, module, depth)
    value = constant(node, module.constants)
    return _literals(value)


def _spread(elements: list[ast.expr], module: Module, depth: int) -> list[ast.expr] | None:
    found: list[ast.expr] = []
    for element in elements:
        if isinstance(element, ast.Starred):
            inner = written_elements(element.value, module, depth + 1)
            if inner is None:
                return None
            found += inner
        else:
            found.append(element)
    return found


def _made(node: ast.Call, module: Module, depth: int) -> list[ast.expr] | None:
    function = node.func
    if isinstance(function, ast.Name) and function.id in _COPIES and node.args:
        return written_elements(node.args[0], module, depth + 1)
    if isinstance(function, ast.Attribute) and function.attr == "items":
        items = _items(function.value, module)
        if items is not None:
            return items
    return _literals(constant(node, module.constants))


_COPIES = frozenset({"list", "tuple", "sorted", "reversed", "set"})


def _items(owner: ast.expr, module: Module) -> list[ast.expr] | None:
    """The pairs of a dictionary that is written down."""
    whole = module.bound.get(owner.id) if isinstance(owner, ast.Name) else owner
    if not isinstance(whole, ast.Dict) or None in whole.keys:
        return None
    return [ast.Tuple([k, v]) for k, v in zip(whole.keys, whole.values, strict=True) if k is not None]


def _literals(value: object) -> list[ast.expr] | None:
    if value is UNKNOWN or not isinstance(value, tuple | range | str | frozenset) or len(value) > 100_000:
        return None
    items = sorted(value, key=repr) if isinstance(value, frozenset) else value
    return [
        ast.Constant(each) if isinstance(each, str | int | float | None) else ast.Name(repr(each))
        for each in items
    ]


def count(found: list[Table]) -> int | None:
    """How many cases there are; None where a table is not written down."""
    if any(table.rows is None for table in found):
        return None
    return math.prod(len(table.rows or ()) for table in found)
