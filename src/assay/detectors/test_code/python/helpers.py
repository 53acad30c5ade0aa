"""Functions of the same file that a test calls: which one is meant, and what its parameters stand for."""

import ast

from assay.detectors.test_code.python.binding import value_of
from assay.detectors.test_code.python.module import Function, Module
from assay.detectors.test_code.python.text import Names, Value


def helper_of(
    node: ast.Call, module: Module, owner: ast.ClassDef | None, local: dict[str, Function]
) -> Function | None:
    """The function of this file that a call runs; None for one from elsewhere."""
    function = node.func
    if isinstance(function, ast.Name):
        return local.get(function.id) or module.functions.get(function.id)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        if function.value.id in ("self", "cls"):
            return module.method(owner, function.attr)
        return module.method(module.classes.get(function.value.id), function.attr)
    return None


def bind_arguments(node: ast.Call, function: Function, names: Names) -> dict[str, Value]:
    """What a helper's parameters are in one call."""
    parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    if isinstance(node.func, ast.Attribute) and parameters[:1] in (["self"], ["cls"]):
        parameters = parameters[1:]
    given: dict[str, ast.expr] = {}
    for argument, parameter in zip(reversed(function.args.defaults), reversed(parameters), strict=False):
        given[parameter] = argument
    for parameter, argument in zip(parameters, node.args, strict=False):
        given[parameter] = argument
    given |= {word.arg: word.value for word in node.keywords if word.arg}
    values = {name: value_of(argument, names, given=True) for name, argument in given.items()}
    return {name: value for name, value in values.items() if value is not None}


def returned(
    node: ast.expr, module: Module, owner: ast.ClassDef | None, names: Names
) -> tuple[ast.expr, dict[str, Value]] | None:
    """``assert is_fine(x)`` where ``is_fine`` is nothing but ``return …`` in this file: that, with x put in."""
    if not isinstance(node, ast.Call):
        return None
    function = helper_of(node, module, owner, {})
    if function is None:
        return None
    body = [each for each in function.body if not _is_docstring(each)]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    return body[0].value, {**module.constants, **bind_arguments(node, function, names)}


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
