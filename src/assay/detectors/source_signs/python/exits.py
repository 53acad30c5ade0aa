"""Python that ends the process with success while tests are collected or run, or when it is imported."""

import ast
import re
from collections.abc import Iterator

from assay.detectors.source_signs.python.module import PythonModule, at_import
from assay.detectors.source_signs.sign import Sign

_POLITE = frozenset(
    {"sys.exit", "exit", "quit", "builtins.exit", "builtins.quit", "SystemExit", "builtins.SystemExit"}
)
_HARD = frozenset({"os._exit", "posix._exit", "_exit"})


def import_exits(module: PythonModule) -> Iterator[Sign]:
    """Exits with success that run on import, also by way of a function of the module or of ``atexit``."""
    exiting = _exiting_functions(module)
    for node in at_import(module):
        if is_successful_exit(node, module) or _calls(node, exiting) or _hands_over(node, module):
            yield module.sign("exit_at_import", node)
    yield from _at_exit(module, exiting)


def exits_anywhere(module: PythonModule) -> Iterator[Sign]:
    """``os._exit`` in any place, and exits at the end by ``atexit``: no test and no conftest needs either."""
    children = _forked(module)
    for node in module.nodes:
        if (
            isinstance(node, ast.Call)
            and module.dotted(node.func) in _HARD
            and not _is_failure(node)
            and id(node) not in children
        ):
            yield module.sign("hard_exit", node)
    yield from _at_exit(module, _exiting_functions(module))


def _forked(module: PythonModule) -> frozenset[int]:
    """What runs under a condition in a function that forks: a child has to end this way."""
    if "fork" not in module.text:
        return frozenset()
    return frozenset(
        id(part)
        for function in module.functions()
        if any(isinstance(node, ast.Call) and module.dotted(node.func) == "os.fork" for node in ast.walk(function))
        for branch in ast.walk(function)
        if isinstance(branch, ast.If)
        for part in ast.walk(branch)
    )


def is_successful_exit(node: ast.AST, module: PythonModule) -> bool:
    """A call or a raise that ends the process with status 0."""
    if isinstance(node, ast.Raise):
        return module.dotted(node.exc) in _POLITE or is_successful_exit(node.exc or ast.Pass(), module)
    if not isinstance(node, ast.Call):
        return False
    called = module.dotted(node.func)
    if called == "pytest.exit":
        return any(word.arg == "returncode" and _is_zero(word.value) for word in node.keywords)
    if called in _HARD:
        return bool(node.args) and _is_zero(node.args[0])
    # SystemExit as a call counts where it is raised.
    return called in _POLITE and (not node.args or _is_zero(node.args[0]))


def _exiting_functions(module: PythonModule) -> frozenset[str]:
    if not any(is_successful_exit(node, module) for node in module.nodes):
        return frozenset()
    return frozenset(
        function.name
        for function in module.functions()
        if any(is_successful_exit(node, module) for node in ast.walk(function))
    )


def _calls(node: ast.AST, names: frozenset[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in names
        and node.func.id != "main"
    )


def _hands_over(node: ast.AST, module: PythonModule) -> bool:
    """``Timer(1, os._exit, [0])``: something else will call it. ``os.execv`` puts something else in its place."""
    if not isinstance(node, ast.Call):
        return False
    if re.fullmatch(r"os\.exec[lv]p?e?", module.dotted(node.func)):
        return True
    return any(
        module.dotted(argument) in _HARD or (isinstance(argument, ast.Lambda) and _leaves(argument, module))
        for argument in node.args
    )


def _leaves(function: ast.Lambda, module: PythonModule) -> bool:
    calls = (part for part in ast.walk(function) if isinstance(part, ast.Call))
    return any(module.dotted(call.func) in _HARD and is_successful_exit(call, module) for call in calls)


def _at_exit(module: PythonModule, exiting: frozenset[str]) -> Iterator[Sign]:
    for node in module.nodes:
        if isinstance(node, ast.Call) and module.dotted(node.func) == "atexit.register":
            if any(_ends_well(argument, module, exiting) for argument in node.args[:1]):
                yield module.sign("exit_at_end", node)
        elif isinstance(node, ast.FunctionDef) and node.name in exiting:
            if any(module.dotted(decorator) == "atexit.register" for decorator in node.decorator_list):
                yield module.sign("exit_at_end", node)
        elif isinstance(node, ast.Assign):
            replaced = any(module.dotted(target) in ("sys.excepthook", "sys.exitfunc") for target in node.targets)
            if replaced and _ends_well(node.value, module, exiting):
                yield module.sign("exit_at_end", node)


def _ends_well(argument: ast.expr, module: PythonModule, exiting: frozenset[str]) -> bool:
    if module.dotted(argument) in _HARD | _POLITE or (isinstance(argument, ast.Name) and argument.id in exiting):
        return True
    return any(is_successful_exit(part, module) for part in ast.walk(argument))


def _is_zero(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in ("EX_OK", "OK"):
        return True
    return (
        isinstance(node, ast.Constant)
        and (node.value is None or node.value == 0)
        and not isinstance(node.value, str)
    )


def _is_failure(call: ast.Call) -> bool:
    argument = call.args[0] if call.args else None
    return isinstance(argument, ast.Constant) and bool(argument.value)
