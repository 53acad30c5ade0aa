"""Python that replaces parts of test frameworks, of the builtins or of the clocks."""

import ast
import builtins
import re
from collections.abc import Iterator

from assay.detectors.source_signs.python.module import PythonModule, constant_text
from assay.detectors.source_signs.sign import Sign

_FRAMEWORKS = re.compile(
    r"(?:py\.?test|_pytest|unittest|nose2?|hypothesis|doctest|pluggy|xdist|numpy\.testing|pandas\.testing|torch\.testing|"
    r"django\.test|twisted\.trial|assertpy|testtools)\."
)
_FUNCTIONS = frozenset(
    {"numpy.allclose", "numpy.isclose", "math.isclose", "operator.eq", "operator.ne", "sys.exit", "os._exit"}
)
_MODULES = re.compile(r"(?:py\.?test|_pytest|unittest|nose2?|hypothesis|doctest|pluggy)(?:\.|$)")
# What a test module imported for itself, given to it by somebody else.
_TEST_MODULE = re.compile(r"(?:\w+\.)*test_\w+\.\w+$")
_CLOCKS = re.compile(
    r"(?:time\.(?:time|time_ns|perf_counter|perf_counter_ns|monotonic|monotonic_ns|process_time|thread_time|sleep)|"
    r"datetime\.(?:datetime|date)(?:\.\w+)?|timeit\.default_timer)$"
)
_ASSERT_METHODS = re.compile(r"assert[A-Z_]\w*|fail[A-Z]\w*|fail|subTest|skipTest")
_FREE_IN_TESTS = frozenset({"builtins.input", "builtins.print", "builtins.open"})
_RUNS_TESTS = frozenset({"runtest", "runtestprotocol", "call_and_report"})
_SETTERS = frozenset({"setattr", "builtins.setattr", "object.__setattr__", "type.__setattr__"})


def framework_patches(module: PythonModule, *, in_tests: bool) -> Iterator[Sign]:
    """Assignments to parts of a test framework or to builtins, however they are written."""
    for target, node in _assigned(module):
        if (
            _is_framework(target)
            or _TEST_MODULE.match(target)
            or (target.startswith("builtins.") and _is_builtin(target, in_tests))
        ):
            yield module.sign("framework_patched", node)
    yield from _replaced_modules(module)
    yield from _emptied_assertions(module)


def clock_patches(module: PythonModule) -> Iterator[Sign]:
    """Clocks that are replaced or stopped."""
    for target, node in _assigned(module):
        if _CLOCKS.match(target):
            yield module.sign("clock_patched", node)
    for node in module.nodes:
        if isinstance(node, ast.Call) and module.dotted(node.func) in (
            "freezegun.freeze_time",
            "time_machine.travel",
        ):
            yield module.sign("clock_patched", node)


def _assigned(module: PythonModule) -> Iterator[tuple[str, ast.AST]]:
    """Dotted names that get a new value, and where."""
    for node in module.nodes:
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
            for target in targets:
                yield from ((name, node) for name in _targets(target, module))
        elif isinstance(node, ast.Call):
            yield from ((name, node) for name in _set_by_call(node, module))


def _targets(target: ast.expr, module: PythonModule) -> list[str]:
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    names = [module.dotted(part) for part in parts if isinstance(part, ast.Attribute | ast.Subscript)]
    return [name.replace("__builtins__", "builtins") for name in names if "." in name]


def _set_by_call(call: ast.Call, module: PythonModule) -> list[str]:
    """``setattr(owner, "name", …)``, and what replaces by a dotted name in a text."""
    called = module.dotted(call.func)
    if len(call.args) < 2:
        return []
    if called in _SETTERS or called.endswith(("monkeypatch.setattr", "patch.object", "monkeypatch.delattr")):
        owner, name = module.dotted(call.args[0]), constant_text(call.args[1])
        whole = constant_text(call.args[0])
        if owner and name:
            return [f"{owner}.{name}"]
        named = whole is not None and (_is_framework(whole) or _TEST_MODULE.match(whole) is not None)
        return [whole] if whole and called.endswith("setattr") and named else []
    return []


def _is_framework(target: str) -> bool:
    last = target.rpartition(".")[2]
    if target.startswith("unittest.mock.") or last in (
        "pytestmark",
        "maxDiff",
        "longMessage",
        "register_assert_rewrite",
    ):
        return False
    return bool(_FRAMEWORKS.match(target)) or target in _FUNCTIONS or last in _RUNS_TESTS


def _is_builtin(target: str, in_tests: bool) -> bool:
    return hasattr(builtins, target.partition(".")[2]) and not (in_tests and target in _FREE_IN_TESTS)


def _replaced_modules(module: PythonModule) -> Iterator[Sign]:
    """``sys.modules["pytest"] = …``"""
    for node in module.nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            loaded = isinstance(target, ast.Subscript) and module.dotted(target.value) == "sys.modules"
            if loaded and isinstance(target, ast.Subscript) and _MODULES.match(constant_text(target.slice) or ""):
                yield module.sign("framework_replaced", node)


def _emptied_assertions(module: PythonModule) -> Iterator[Sign]:
    """``def assertEqual(self, *args): pass`` in a class, and ``cls.assertEqual = lambda *args: None``."""
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if (
                    isinstance(method, ast.FunctionDef)
                    and _ASSERT_METHODS.fullmatch(method.name)
                    and _does_nothing(method)
                ):
                    yield module.sign("assertion_emptied", method)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                name = target.attr if isinstance(target, ast.Attribute) else ""
                if re.fullmatch(r"assert[A-Z]\w*", name) and not _is_framework(module.dotted(target)):
                    yield module.sign("framework_patched", node)


def _does_nothing(function: ast.FunctionDef) -> bool:
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        or (
            isinstance(statement, ast.Return)
            and (statement.value is None or isinstance(statement.value, ast.Constant))
        )
        for statement in function.body
    )
