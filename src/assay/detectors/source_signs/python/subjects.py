"""The tested code, replaced by something with a fixed answer, in a ``conftest.py`` that all tests load.

A fixture that a test asks for is honest, and so is a stand-in that answers nothing: it keeps mail from being sent.
"""

import ast
from collections.abc import Iterator

from assay.detectors.source_signs.python.module import PythonModule, constant_text
from assay.detectors.source_signs.sign import Sign

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def subject_patches(module: PythonModule, packages: frozenset[str]) -> Iterator[Sign]:
    """Functions of the project's own packages that are given a fixed answer for every test."""
    asked_for = {
        id(part)
        for function in module.functions()
        if not _runs_for_all(function, module)
        for part in ast.walk(function)
    }
    functions = {function.name: function for function in module.functions()}
    for node in module.nodes:
        if id(node) in asked_for:
            continue
        for target, value in _replaced(node, module):
            if target.partition(".")[0] in packages and _answers_fixed(value, functions):
                yield module.sign("subject_patched", node)


def _runs_for_all(function: _Function, module: PythonModule) -> bool:
    """Hooks, and fixtures that are used by themselves."""
    if function.name.startswith("pytest_"):
        return True
    return any(
        isinstance(decorator, ast.Call)
        and module.dotted(decorator.func).endswith("fixture")
        and any(
            word.arg == "autouse" and isinstance(word.value, ast.Constant) and word.value.value is True
            for word in decorator.keywords
        )
        for decorator in function.decorator_list
    )


def _replaced(node: ast.AST, module: PythonModule) -> Iterator[tuple[str, ast.expr]]:
    """The dotted names that get another value, with it."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                yield module.dotted(target), node.value
    elif isinstance(node, ast.Call):
        called = module.dotted(node.func)
        if not called.endswith(("setattr", "patch", "patch.object")) or not node.args:
            return
        whole = constant_text(node.args[0])
        own = 1 if whole is not None else 2
        name = (
            whole or f"{module.dotted(node.args[0])}.{constant_text(node.args[1]) if len(node.args) > 1 else ''}"
        )
        values = [
            *node.args[own : own + 1],
            *(word.value for word in node.keywords if word.arg in ("new", "return_value")),
        ]
        yield from ((name, value) for value in values)


def _answers_fixed(value: ast.expr, functions: dict[str, _Function]) -> bool:
    if isinstance(value, ast.Lambda):
        return _is_answer(value.body)
    if isinstance(value, ast.Call):
        return any(word.arg == "return_value" and _is_answer(word.value) for word in value.keywords)
    if isinstance(value, ast.Name) and value.id in functions:
        returns = [node.value for node in ast.walk(functions[value.id]) if isinstance(node, ast.Return)]
        return bool(returns) and all(one is not None and _is_answer(one) for one in returns)
    return _is_answer(value) and isinstance(value, ast.Constant) and not isinstance(value.value, bool | str)


def _is_answer(value: ast.expr) -> bool:
    """A constant that says something, or a row of a table of them."""
    if isinstance(value, ast.Constant):
        return value.value is not None and value.value is not False and value.value not in ("", 0)
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Dict)
    return isinstance(value, ast.List | ast.Tuple | ast.Dict) and bool(list(ast.iter_child_nodes(value))[1:])
