"""A ``try`` that fails where nothing is raised: ``pytest.raises``, written out."""

import ast

from assay.detectors.test_code.python.call_demands import call_demands
from assay.detectors.test_code.python.constants import truth
from assay.detectors.test_code.python.module import Module
from assay.detectors.test_code.python.swallow import catches_failure
from assay.detectors.test_code.python.text import NO_NAMES


def awaited_error(node: ast.Try | ast.TryStar, module: Module) -> ast.Call | None:
    """The ``pytest.raises`` that a ``try`` stands for; None for one that may as well pass without an error."""
    if len(node.handlers) != 1 or node.handlers[0].type is None or catches_failure(node.handlers[0].type, module):
        return None
    if not any(block and _fails(block[-1], module) for block in (node.body, node.orelse)):
        return None
    raises = ast.Attribute(ast.Name("pytest"), "raises")
    return ast.copy_location(ast.Call(raises, [node.handlers[0].type], []), node)


def without_failing(statements: list[ast.stmt], module: Module) -> list[ast.stmt]:
    return [each for each in statements if not _fails(each, module)]


def _fails(node: ast.stmt, module: Module) -> bool:
    """``pytest.fail()``, ``self.fail()``, ``raise AssertionError`` and ``assert False``."""
    if isinstance(node, ast.Assert):
        return truth(node.test) is False
    if isinstance(node, ast.Raise):
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return kind is not None and module.dotted(kind) == "AssertionError"
    call = node.value if isinstance(node, ast.Expr) else None
    found = call_demands(call, module, NO_NAMES) if isinstance(call, ast.Call) else None
    return any(demand.fails for demand in found or ())
