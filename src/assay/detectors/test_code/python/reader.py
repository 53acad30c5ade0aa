"""Python test code: pytest and unittest, read with the standard ``ast`` and never run.

What no reader of one file can see stays unseen: fixtures, helpers and base classes of other files, tests that are
made at run time, and what configuration selects.
"""

import ast
import threading
import warnings

from assay.detectors.test_code.model import Skip, Test, TestCode
from assay.detectors.test_code.python.binding import stub_of, value_of
from assay.detectors.test_code.python.collect import Collection
from assay.detectors.test_code.python.constants import constant
from assay.detectors.test_code.python.fixtures import MODULE_SETUPS, Fixtures, skips_in
from assay.detectors.test_code.python.hooks import hook_name, hook_skips
from assay.detectors.test_code.python.items import Place
from assay.detectors.test_code.python.module import Function, Module
from assay.detectors.test_code.python.newer_syntax import SYNTAX_ERROR
from assay.detectors.test_code.python.tests import helper_test, test_of
from assay.detectors.test_code.python.unchanged import without_unchanged

LANGUAGE = "python"
_LITERALS = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Compare, ast.BoolOp,
             ast.Lambda)  # fmt: skip
# Warnings are a setting of the whole process, so only one thread may change them at a time.
_QUIET = threading.Lock()


def read_python(text: str) -> TestCode:
    """The tests of a Python file. Never raises: what can't be parsed or followed is a problem."""
    try:
        tree = _parsed(text)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return _unparsed(error)
    try:
        return _read(tree, text)
    except RecursionError:
        return _unreadable("The file is nested too deeply to be read.", "it is nested too deeply")


def read_python_pair(before: str, after: str) -> tuple[TestCode, TestCode]:
    """A file before and after, where tests that both have in common may come without what they say."""
    shorter = tuple(read_python(text) for text in without_unchanged(before, after))
    if any(code.problems for code in shorter):
        return read_python(before), read_python(after)
    return shorter[0], shorter[1]


def _parsed(text: str) -> ast.Module:
    """A file's odd escapes are its own affair, so the parser's warnings are not shown."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _unparsed(error: Exception) -> TestCode:
    """No test of a file with a syntax error runs. The caller finds out whether a newer Python could read it."""
    line = getattr(error, "lineno", None) or 1
    message = getattr(error, "msg", None) or type(error).__name__
    problem = f"Line {line} can't be parsed: {message}."
    # Null bytes are a syntax error from Python 3.12 on, and a ValueError before.
    if isinstance(error, SyntaxError | ValueError):
        return TestCode(LANGUAGE, skips=(Skip("disabled", line, SYNTAX_ERROR),), problems=(problem,))
    return _unreadable(problem, f"Python's parser refuses it: {message}")


def _unreadable(problem: str, reason: str) -> TestCode:
    return TestCode(LANGUAGE, problems=(problem,), unreadable=reason)


def _read(tree: ast.Module, text: str) -> TestCode:
    module = Module(text.split("\n"))
    _names(tree.body, module)
    _stubs(module)
    collection = Collection(module)
    collection.block(tree.body, Place())
    fixtures = Fixtures(module)
    fixtures.add([function for _, function, _ in collection.helpers])
    around = [*collection.skips, *_of_the_file(fixtures, module)]
    tests = [test_of(item, module, fixtures, collection.marks, around) for item in collection.items]
    helpers = [test for each in collection.helpers if (test := _helper(each, module)) is not None]
    everywhere = _unique([*around, *_hooks(collection, module), *([] if tests else _all_fixtures(fixtures))])
    return TestCode(LANGUAGE, (*tests, *helpers), everywhere)


def _names(statements: list[ast.stmt], module: Module, *, certain: bool = True) -> None:
    """First of all, what the names of the file mean, wherever in it they are bound."""
    for node in statements:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module.imports(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            module.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            _classes(node, module)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            _bindings(node, module, certain=certain)
        else:
            for block in ("body", "orelse", "finalbody"):
                _names(getattr(node, block, []), module, certain=False)
            for handler in getattr(node, "handlers", []):
                _names(handler.body, module, certain=False)


def _stubs(module: Module) -> None:
    """Functions and lambdas of the file that always return the same."""
    for name, function in module.functions.items():
        stub = stub_of(function, module.constants) if not name.startswith("test") else None
        if stub is not None and name not in module.bound:
            module.constants[name] = stub


def _classes(node: ast.ClassDef, module: Module) -> None:
    module.classes[node.name] = node
    for inner in node.body:
        if isinstance(inner, ast.ClassDef):
            module.classes.setdefault(inner.name, inner)


def _bindings(node: ast.Assign | ast.AnnAssign, module: Module, *, certain: bool) -> None:
    """A constant is bound once, and in any case: neither in a branch nor in place of an import."""
    if node.value is None:
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name):
            again = target.id in module.bound
            module.bound[target.id] = node.value
            value = value_of(node.value, module.constants) if isinstance(node.value, _LITERALS) else None
            if value is not None and certain and not again and target.id not in module.aliases:
                module.constants[target.id] = value
            else:
                module.constants.pop(target.id, None)


def _of_the_file(fixtures: Fixtures, module: Module) -> list[Skip]:
    """Set-up functions and fixtures that every test goes through, and a ``load_tests`` that loads none."""
    found: list[Skip] = []
    for name in MODULE_SETUPS:
        if name in module.functions:
            found += skips_in(module.functions[name], module)
    for name in fixtures.automatic():
        found += fixtures.skips(name)
    loader = module.functions.get("load_tests")
    if loader is not None and _loads_nothing(loader):
        found.append(Skip("excluded", loader.lineno, "load_tests"))
    return found


def _loads_nothing(function: Function) -> bool:
    """``return unittest.TestSuite()``: a suite that nothing was put into."""
    last = function.body[-1]
    made = last.value if isinstance(last, ast.Return) else None
    if made is None or constant(made) is None:
        return True
    empty = isinstance(made, ast.Call) and not made.args
    return empty and isinstance(made, ast.Call) and "Suite" in ast.dump(made.func) and len(function.body) < 3


def _hooks(collection: Collection, module: Module) -> list[Skip]:
    return [
        skip
        for _, function, _ in collection.helpers
        if hook_name(function, module).startswith("pytest_")
        for skip in hook_skips(function, module)
    ]


def _all_fixtures(fixtures: Fixtures) -> list[Skip]:
    """A file without tests has its fixtures for the tests of others. They may say what they need to work."""
    every = [skip for name in fixtures.by_name for skip in fixtures.skips(name)]
    return [skip for skip in every if not skip.conditional]


def _helper(found: tuple[str, Function, ast.ClassDef | None], module: Module) -> Test | None:
    identity, function, owner = found
    if (
        id(function) in module.inlined
        or function.name.startswith("pytest_")
        or not module.says_something(function)
    ):
        return None
    return helper_test(identity, function, owner, module)


def _unique(skips: list[Skip]) -> tuple[Skip, ...]:
    return tuple(dict.fromkeys(skips))
