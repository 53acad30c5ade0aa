"""Demands of the tests in Python source: tests that pass whatever they find, and limits on measured time."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from assay.formats.python_paths import called_name

_READS = frozenset({"open", "read_text", "read_bytes", "load", "loads", "stat", "getsize", "listdir", "iterdir"})
_CLOCKS = frozenset({"time", "monotonic", "perf_counter", "monotonic_ns", "perf_counter_ns", "time_ns"})
_RANDOM = frozenset({"random", "randint", "randrange", "uniform", "choice"})
_DATES = frozenset({"now", "today", "utcnow"})
# What these give is empty only if what they are given is.
_AS_LONG = frozenset({"items", "enumerate", "zip", "sorted", "keys", "values", "range"})
_NEVER_EMPTY = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Constant)


@dataclass(frozen=True, slots=True)
class TestDemands:
    """The demands of one test. ``nothing`` is why it can't fail on a missing output; None if it can."""

    __test__ = False

    name: str
    line: int
    nothing: str | None


def test_demands(tree: ast.Module) -> list[TestDemands]:
    """Each test function of a source file."""
    tests = _Tests(tree)
    return [TestDemands(node.name, node.lineno, tests.nothing(node)) for node in tests.all]


test_demands.__test__ = False  # type: ignore[attr-defined]


def swallowed_assertions(tree: ast.Module) -> list[int]:
    """The lines of assertions whose failure is caught and forgotten in the same test."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_forgets(handler) for handler in node.handlers):
            found += [
                inner.lineno for part in node.body for inner in ast.walk(part) if isinstance(inner, ast.Assert)
            ]
    return found


def measured_times(tree: ast.Module) -> list[int]:
    """The lines of assertions that a measured duration is below a number."""
    clocks = _assigned(tree, _asks_the_time)
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=ast.Sub()) as value) if _uses(
                value, clocks
            ):
                clocks.add(name)
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        for inner in ast.walk(node.test)
        if isinstance(inner, ast.Compare)
        and isinstance(inner.ops[0], ast.Lt | ast.LtE)
        and _uses(inner.left, clocks)
    ]


def random_verdicts(tree: ast.Module) -> list[int]:
    """The lines of assertions on a bare random number. A range in which all of them must be is none of these."""
    drawn = _assigned(tree, _is_drawn)
    compares = (
        node.test for node in ast.walk(tree) if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare)
    )
    return [
        test.lineno
        for test in compares
        if any(
            (isinstance(side, ast.Name) and side.id in drawn) or _is_drawn(side)
            for side in (test.left, *test.comparators)
        )
        and any(isinstance(side, ast.Constant) for side in (test.left, *test.comparators))
        and len(test.ops) == 1
    ]


def _is_drawn(node: ast.expr) -> bool:
    """A call of a well-known generator of random numbers, not of the code under test."""
    if not isinstance(node, ast.Call) or called_name(node) not in _RANDOM:
        return False
    by = node.func
    while isinstance(by, ast.Attribute):
        by = by.value
    return isinstance(by, ast.Name) and by.id in ("random", "np", "numpy", "secrets", *_RANDOM)


def asserted_dates(tree: ast.Module) -> list[int]:
    """The lines of assertions that compare with what day or time it is."""
    known = _assigned(tree, _asks_the_date)
    asserts = (node for node in ast.walk(tree) if isinstance(node, ast.Assert))
    return [
        node.lineno
        for node in asserts
        if isinstance(node.test, ast.Compare) and (_asks_the_date(node.test) or _uses(node.test, known))
    ]


def _asks_the_date(node: ast.AST) -> bool:
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(
        isinstance(by, ast.Attribute)
        and by.attr in _DATES
        and ast.unparse(by.value).rpartition(".")[2] in ("datetime", "date")
        for by in calls
    )


def non_numeric_rewards(tree: ast.Module) -> list[int]:
    """The lines of objects with a reward that are written as JSON, and have a value that can't be a number."""
    return [
        value.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called_name(node) in ("dump", "dumps")
        for given in node.args
        if isinstance(given, ast.Dict) and any(_is_text(key, "reward") for key in given.keys)
        for value in given.values
        if isinstance(value, ast.List | ast.Dict | ast.Tuple | ast.JoinedStr | ast.ListComp)
        or (isinstance(value, ast.Constant) and not isinstance(value.value, int | float))
    ]


def _is_text(node: ast.expr | None, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _assigned(tree: ast.AST, wanted: Callable[[ast.expr], bool]) -> set[str]:
    """The names that a value is assigned to."""
    assigns = (node for node in ast.walk(tree) if isinstance(node, ast.Assign) and wanted(node.value))
    return {name.id for node in assigns for name in node.targets if isinstance(name, ast.Name)}


def _asks_the_time(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Call)
        and called_name(inner) in _CLOCKS
        and isinstance(inner.func, ast.Attribute | ast.Name)
        and not inner.args
        for inner in ast.walk(node)
    )


def _uses(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))


def _forgets(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches failed assertions and does nothing about them."""
    caught = (
        {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
        if handler.type
        else {"Exception"}
    )
    silent = all(isinstance(node, ast.Pass | ast.Continue) for node in handler.body)
    return silent and bool(caught & {"AssertionError", "Exception", "BaseException"})


class _Tests:
    """The test functions of a source file, and the helpers that they call."""

    def __init__(self, tree: ast.Module) -> None:
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        self.helpers = {node.name: node for node in functions}
        inner = {id(one) for node in functions for one in ast.walk(node) if one is not node}
        # No runner finds what is defined within a function.
        self.all = [node for node in functions if node.name.startswith("test") and id(node) not in inner]
        self.literals = _assigned(tree, lambda value: isinstance(value, _NEVER_EMPTY))

    def nothing(self, test: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
        if test.args.args and any(one.arg in self.helpers for one in test.args.args):
            return None  # A fixture may demand something.
        if any("skip" in ast.dump(one) and "skipif" not in ast.dump(one) for one in test.decorator_list):
            return "it is skipped"
        asserts = [node for node in ast.walk(test) if self._can_fail(node)]
        if not asserts and not any(isinstance(node, ast.Call) for node in ast.walk(test)):
            return "it has no assertion"
        if all(isinstance(node, ast.Assert) and _is_always_true(node.test) for node in asserts) and asserts:
            return "its assertions are always true"
        return (
            None
            if self._demands(test.body)
            else "its assertions are only reached if there is something to look at"
        )

    def _demands(self, body: list[ast.stmt]) -> bool:
        """Whether running these statements on a missing output can fail."""
        for node in body:
            if _leaves_if_missing(node):
                return False
            if self._statement_demands(node):
                return True
        return False

    def _statement_demands(self, node: ast.stmt) -> bool:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                return self._reads(test) or self._branches_demand(body, orelse)
            case ast.For(iter=over, body=body) | ast.AsyncFor(iter=over, body=body):
                return self._reads(over) or (self._never_empty(over) and self._demands(body))
            case ast.While(test=test):
                return self._reads(test)
            case ast.Try(body=body, handlers=handlers):
                kept = not any(_forgets(handler) for handler in handlers) and self._demands(body)
                return kept or any(_fails(handler.body) for handler in handlers)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                return self._reads(*(item.context_expr for item in items)) or self._demands(body)
        return self._reads(node) or any(self._can_fail(inner) for inner in ast.walk(node))

    def _branches_demand(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool:
        if _fails(body) or _fails(orelse):
            return True
        return bool(orelse) and self._demands(body) and self._demands(orelse)

    def _can_fail(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Assert):
            return not _is_always_true(node.test)
        if isinstance(node, ast.Raise):
            return True
        if not isinstance(node, ast.Call):
            return False
        name = called_name(node)
        helper = name in self.helpers and not name.startswith("test")
        return (
            helper
            or name.startswith(("assert", "fail", "check", "verify", "expect"))
            or name in ("check_output", "exit")
        )

    def _reads(self, *nodes: ast.AST) -> bool:
        """Whether something is opened, which fails if it isn't there. A listed folder may well be empty."""
        calls = (inner for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Call))
        return any(
            called_name(call) in _READS - {"listdir", "iterdir"} or called_name(call) in self.helpers
            for call in calls
        )

    def _never_empty(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and called_name(node) in _AS_LONG:
            inside = (
                node.func.value if isinstance(node.func, ast.Attribute) else node.args[0] if node.args else node
            )
            return inside is not node and (called_name(node) == "range" or self._never_empty(inside))
        return isinstance(node, _NEVER_EMPTY) or (isinstance(node, ast.Name) and node.id in self.literals)


def _fails(body: list[ast.stmt]) -> bool:
    calls = (inner for node in body for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(isinstance(node, ast.Raise) for node in body) or any(called_name(call) == "fail" for call in calls)


def _leaves_if_missing(node: ast.stmt) -> bool:
    """``if not path.exists(): return``, or skip: a missing output is none of this test's business."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.UnaryOp):
        return False
    calls = (inner for inner in ast.walk(node.test) if isinstance(inner, ast.Call))
    if not any(called_name(call) in ("exists", "isfile", "is_file") for call in calls):
        return False
    last = node.body[-1]
    skips = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and called_name(last.value) == "skip"
    return isinstance(last, ast.Return) or skips


def _is_always_true(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_is_always_true(value) for value in values)
        case ast.Tuple(elts=parts):
            return bool(parts)
        case ast.Compare(left=ast.Call() as call, ops=[ast.GtE()], comparators=[ast.Constant(value=0)]):
            return called_name(call) == "len"
        case ast.Compare(left=ast.Constant(value=left), ops=[ast.Eq()], comparators=[ast.Constant(value=right)]):
            return bool(left == right)
    return False
