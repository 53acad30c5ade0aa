"""Hooks of pytest that change what a test's result is, which tests there are, or the status of the run.

A hook that only looks, prints or stores is no sign: keeping the report on the item is a well-known recipe.
"""

import ast
from collections.abc import Iterator

from assay.detectors.source_signs.python.module import PythonModule, constant_text
from assay.detectors.source_signs.sign import Sign

_Hook = ast.FunctionDef | ast.AsyncFunctionDef

_RESULTS = frozenset({
    "outcome", "exitstatus", "testsfailed", "wasxfail", "longrepr", "excinfo", "_excinfo", "_result",
    "_exception", "passed", "failed", "shouldfail",
})  # fmt: skip
_OPTIONS = frozenset({
    "keyword", "markexpr", "deselect", "ignore", "ignore_glob", "collectonly", "maxfail", "lf", "file_or_dir",
    "noconftest", "runxfail", "args", "continue_on_collection_errors",
})  # fmt: skip
_RUNS = frozenset({
    "pytest_pyfunc_call", "pytest_runtest_call", "pytest_runtest_protocol", "pytest_runtest_setup",
    "pytest_runtest_teardown", "pytest_runtest_makereport", "pytest_runtestloop",
})  # fmt: skip
_REPLACES_RUN = frozenset({"pytest_pyfunc_call", "pytest_runtest_protocol", "pytest_runtestloop"})
_TOUCHES_TEST = frozenset(
    {"obj", "funcargs", "runtest", "function", "_request", "runtestprotocol", "pytest_runtest_protocol"}
)
_EXITS = frozenset({"sys.exit", "exit", "quit", "builtins.exit", "builtins.quit", "SystemExit"})
_HARD_EXITS = frozenset({"os._exit", "posix._exit", "_exit"})
_BROAD = frozenset({"Exception", "BaseException", "AssertionError", "builtins.AssertionError", "Failed"})


def hook_signs(module: PythonModule) -> Iterator[Sign]:
    """Effects of a conftest's or a plugin's hooks on results."""
    for function in module.functions():
        name = _hook_name(function, module)
        if name.startswith("pytest_"):
            yield from _in_hook(function, name, module)
        elif _is_fixture(function, module):
            yield from _swallowed(function, module)


def _hook_name(function: _Hook, module: PythonModule) -> str:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and module.dotted(decorator.func).endswith("hookimpl"):
            for word in decorator.keywords:
                if word.arg == "specname":
                    return constant_text(word.value) or function.name
    return function.name


def _is_fixture(function: _Hook, module: PythonModule) -> bool:
    """A fixture that runs for every test may catch what the tests raise."""
    return any(
        isinstance(decorator, ast.Call) and module.dotted(decorator.func) == "pytest.fixture"
        for decorator in function.decorator_list
    )


def _in_hook(function: _Hook, name: str, module: PythonModule) -> Iterator[Sign]:
    nodes = list(ast.walk(function))
    for node in nodes:
        if _is_successful_exit(node, module):
            yield module.sign("exit_in_hook", node)
        elif _changes_result(node, module):
            yield module.sign("result_changed", node)
        elif _changes_options(node, module):
            yield module.sign("selection_changed", node)
    if name in _RUNS:
        yield from _swallowed(function, module)
    if name in _REPLACES_RUN and _answers_without_running(nodes):
        yield module.sign("test_not_run", function)
    if name == "pytest_report_teststatus" and _always_passed(nodes):
        yield module.sign("result_changed", function)
    if name == "pytest_cmdline_main" and _returns_constant(nodes):
        yield module.sign("result_changed", function)
    if name == "pytest_collection_modifyitems":
        yield from _dropped(function, module)


def _is_successful_exit(node: ast.AST, module: PythonModule) -> bool:
    """A call or a raise that ends the process with status 0."""
    if isinstance(node, ast.Raise):
        return module.dotted(node.exc) in _EXITS or _is_successful_exit(node.exc or ast.Pass(), module)
    called = module.dotted(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or called not in (*_EXITS, *_HARD_EXITS, "pytest.exit"):
        return False
    if called == "pytest.exit":
        return any(word.arg == "returncode" and _is_zero(word.value) for word in node.keywords)
    return _is_zero(node.args[0]) if node.args else called in _EXITS


def _is_zero(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in ("EX_OK", "OK"):
        return True
    return isinstance(node, ast.Constant) and node.value in (None, 0)


def _changes_result(node: ast.AST, module: PythonModule) -> bool:
    match node:
        case ast.Assign(targets=targets, value=value):
            return any(_is_result(target, value) for target in targets)
        case ast.AugAssign(target=target, value=value):
            return _is_result(target, value)
        case ast.Delete(targets=targets):
            return any(map(_is_stats, targets))
        case ast.Call():
            return _call_changes_result(node, module)
    return False


def _call_changes_result(call: ast.Call, module: PythonModule) -> bool:
    if isinstance(call.func, ast.Attribute):
        called = call.func.attr
        if called in ("force_result", "unregister", "set_blocked"):
            return True
        if called == "update" and any(word.arg in _RESULTS for word in call.keywords):
            return True
        if called in ("pop", "clear"):
            inside = ast.walk(call.func.value)
            return any(isinstance(part, ast.Attribute) and part.attr == "stats" for part in inside)
    if module.dotted(call.func) in ("setattr", "object.__setattr__") and len(call.args) == 3:
        return constant_text(call.args[1]) in _RESULTS and constant_text(call.args[2]) != "failed"
    return False


def _is_result(target: ast.expr, value: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        return _is_stats(target) or constant_text(target.slice) in ("outcome", "exitstatus")
    if isinstance(target, ast.Attribute) and target.attr in ("obj", "_obj"):
        # Wrapping what a test calls is honest; calling something else is not.
        return not any(isinstance(part, ast.Attribute) and part.attr == "obj" for part in ast.walk(value))
    if not isinstance(target, ast.Attribute) or target.attr not in _RESULTS:
        return False
    if target.attr == "longrepr":
        return isinstance(value, ast.Constant) and not value.value
    if isinstance(target.value, ast.Name) and target.value.id == "self":
        return False
    return constant_text(value) != "failed"


def _is_stats(target: ast.expr) -> bool:
    return (
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Attribute)
        and target.value.attr == "stats"
    )


def _changes_options(node: ast.AST, module: PythonModule) -> bool:
    for target in node.targets if isinstance(node, ast.Assign) else ():
        owner = module.dotted(target.value) if isinstance(target, ast.Attribute) else ""
        if (
            isinstance(target, ast.Attribute)
            and target.attr in _OPTIONS
            and owner.endswith(("option", "config", "early_config"))
        ):
            return True
    return False


def _swallowed(function: _Hook, module: PythonModule) -> Iterator[Sign]:
    """``try: yield`` or ``try: item.runtest()`` with a handler that drops what a test raised."""
    for node in ast.walk(function):
        if isinstance(node, ast.Try) and _runs_test(node.body):
            for handler in node.handlers:
                if _is_broad(handler, module) and not any(
                    isinstance(part, ast.Raise) for part in ast.walk(handler)
                ):
                    yield module.sign("failure_swallowed", handler)


def _runs_test(body: list[ast.stmt]) -> bool:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Yield) or (isinstance(node, ast.Attribute) and node.attr in _TOUCHES_TEST):
                return True
    return False


def _is_broad(handler: ast.ExceptHandler, module: PythonModule) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(module.dotted(kind).rpartition(".")[2] in _BROAD for kind in kinds)


def _answers_without_running(nodes: list[ast.AST]) -> bool:
    touches = any(
        (isinstance(node, ast.Attribute) and node.attr in _TOUCHES_TEST)
        or (isinstance(node, ast.Name) and node.id in _TOUCHES_TEST)
        or isinstance(node, ast.Yield)
        for node in nodes
    )
    return not touches and any(
        isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is True
        for node in nodes
    )


def _always_passed(nodes: list[ast.AST]) -> bool:
    """``return "passed", ".", …`` that no condition on the report guards."""
    guards = [ast.unparse(node.test) for node in nodes if isinstance(node, ast.If)]
    if any("passed" in guard for guard in guards):
        return False
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    first = [value.elts[0] for value in returned if isinstance(value, ast.Tuple) and value.elts]
    return any(constant_text(value) in ("passed", "") for value in first)


def _returns_constant(nodes: list[ast.AST]) -> bool:
    return any(
        isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value == 0
        for node in nodes
    )


def _dropped(function: _Hook, module: PythonModule) -> Iterator[Sign]:
    """Items that are taken off the list, unless an option of the command line asks for it."""
    guarded = {
        id(part)
        for node in ast.walk(function)
        if isinstance(node, ast.If)
        and ("getoption" in ast.unparse(node.test) or "option" in ast.unparse(node.test))
        for part in ast.walk(node)
    }
    early = any(isinstance(node, ast.Return) and id(node) in guarded for node in ast.walk(function))
    for node in ast.walk(function):
        if id(node) not in guarded and not early and _drops_items(node, module):
            yield module.sign("tests_dropped", node)


def _drops_items(node: ast.AST, module: PythonModule) -> bool:
    if isinstance(node, ast.Assign):
        replaced = any(
            isinstance(target, ast.Subscript) and module.dotted(target.value) == "items" for target in node.targets
        )
        order = isinstance(node.value, ast.Call) and module.dotted(node.value.func) in (
            "sorted",
            "reversed",
            "list",
        )
        return replaced and not order
    if isinstance(node, ast.Delete):
        return any(
            isinstance(target, ast.Subscript) and module.dotted(target.value) == "items" for target in node.targets
        )
    return isinstance(node, ast.Call) and module.dotted(node.func) in ("items.clear", "items.remove", "items.pop")
