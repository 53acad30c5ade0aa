"""Demands of the tests in Python source: tests that pass whatever they find, and limits on measured time."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.formats.python_paths import called_name

_READS = frozenset({"open", "read_text", "read_bytes", "load", "loads", "stat", "getsize", "listdir", "iterdir"})
_CLOCKS = frozenset({"time", "monotonic", "perf_counter", "monotonic_ns", "perf_counter_ns", "time_ns", "timeit"})
_RANDOM = frozenset({"random", "randint", "randrange", "uniform", "choice", "rand", "randbelow", "integers"})
_DATES = {
    **dict.fromkeys(("now", "today", "utcnow"), ("datetime", "date", "Timestamp")),
    **dict.fromkeys(("strftime", "localtime", "gmtime", "ctime"), ("time",)),
}
# What these give is empty only if what they are given is.
_AS_LONG = frozenset({"items", "enumerate", "zip", "sorted", "keys", "values", "range"})
_SAYS = frozenset({"print", "debug", "info", "warning", "warn", "error", "exception", "log", "write"})
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


def idle_statements(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The lines of tests that look as if they demanded something, with what is wrong with them."""
    for test in _Tests(tree).all:
        inside = {id(one) for node in ast.walk(test) if isinstance(node, ast.With) for one in ast.walk(node)}
        for node in ast.walk(test):
            match node:
                case ast.Assert(test=ast.Tuple() | ast.BoolOp() as given) if _is_always_true(given):
                    yield node.lineno, "the assertion is always true"
                case ast.Expr(value=ast.Compare() | ast.UnaryOp(op=ast.Not())) if id(node) not in inside:
                    yield node.lineno, "the comparison has no assert before it"


def swallowed_assertions(tree: ast.Module) -> list[int]:
    """The lines of assertions whose failure is caught and forgotten in the same test."""
    found = []
    for node in ast.walk(tree):
        if (isinstance(node, ast.Try) and any(map(_forgets, node.handlers))) or (
            isinstance(node, ast.With) and _suppresses(node)
        ):
            found += [
                inner.lineno
                for part in node.body
                for inner in ast.walk(part)
                if isinstance(inner, ast.Assert)
                and not (isinstance(inner.test, ast.Constant) and inner.test.value)
            ]
    return found


def measured_times(tree: ast.Module) -> list[int]:
    """The lines of conditions that a measured duration is below a number, but not of those that end a wait."""
    clocks = _assigned(tree, _asks_the_time)
    waits = (node for node in ast.walk(tree) if isinstance(node, ast.While) and "attr='sleep'" in ast.dump(node))
    waiting = {inner.lineno for node in waits for inner in ast.walk(node) if isinstance(inner, ast.If)}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _uses(
                value, clocks
            ) and "Sub()" in ast.dump(value):
                clocks.add(name)
    return [
        line
        for line, condition, below in _conditions(tree)
        for inner in ast.walk(condition)
        if line not in waiting
        and isinstance(inner, ast.Compare)
        and isinstance(inner.ops[0], (ast.Lt | ast.LtE) if below else (ast.Gt | ast.GtE))
        and (_uses(inner.left, clocks) or _asks_the_time(inner.left))
    ]


def _conditions(tree: ast.Module) -> Iterator[tuple[int, ast.expr, bool]]:
    """What tests demand, by line; False if the test fails where it holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield node.lineno, node.test, True
        elif isinstance(node, ast.If) and _fails(node.body):
            yield node.lineno, node.test, False


def random_verdicts(tree: ast.Module) -> list[int]:
    """The lines of conditions on a bare random number. A range in which all of them must be is none of these."""
    drawn = _assigned(tree, _is_drawn)
    return [
        line
        for line, test, _ in _conditions(tree)
        if isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and any(isinstance(side, ast.Constant) for side in (test.left, *test.comparators))
        and any(
            (isinstance(side, ast.Name) and side.id in drawn) or _is_drawn(side)
            for side in (test.left, *test.comparators)
        )
    ]


def _is_drawn(node: ast.expr) -> bool:
    """A call of a well-known generator of random numbers, not of the code under test."""
    if not isinstance(node, ast.Call) or called_name(node) not in _RANDOM:
        return False
    by = node.func
    while isinstance(by, ast.Attribute):
        by = by.value
    return isinstance(by, ast.Name) and by.id in ("random", "np", "numpy", "secrets", "rng", *_RANDOM)


def asserted_dates(tree: ast.Module) -> list[int]:
    """The lines of conditions that compare with what day or time it is."""
    known = _assigned(tree, _asks_the_date)
    return [
        line
        for line, test, _ in _conditions(tree)
        if _asks_the_date(test) or (isinstance(test, ast.Compare) and _uses(test, known))
    ]


def _asks_the_date(node: ast.AST) -> bool:
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(
        isinstance(by, ast.Attribute) and ast.unparse(by.value).rpartition(".")[2] in _DATES.get(by.attr, ())
        for by in calls
    )


def non_numeric_rewards(tree: ast.Module) -> list[int]:
    """The lines of objects with a reward that are written as JSON, and have a value that can't be a number."""
    calls = (
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and called_name(node) in ("dump", "dumps")
    )
    written = [given for call in calls for given in call.args]
    names = {given.id for given in written if isinstance(given, ast.Name)}
    values: list[ast.expr] = []
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as given) if name in names:
                written.append(given)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value) if name in names:
                values.append(value)
    objects = [given for given in written if isinstance(given, ast.Dict) and "reward" in _constants(given.keys)]
    values += [value for given in objects for value in given.values]
    return [value.lineno for value in values if objects and _is_no_number(value)]


def _is_no_number(value: ast.expr) -> bool:
    return isinstance(value, ast.List | ast.Dict | ast.Tuple | ast.JoinedStr | ast.ListComp) or (
        isinstance(value, ast.Constant) and not isinstance(value.value, int | float)
    )


def _constants(keys: list[ast.expr | None]) -> list[object]:
    return [key.value for key in keys if isinstance(key, ast.Constant)]


def _assigned(tree: ast.AST, wanted: Callable[[ast.expr], bool]) -> set[str]:
    """The names that a value is assigned to."""
    assigns = (node for node in ast.walk(tree) if isinstance(node, ast.Assign) and wanted(node.value))
    return {name.id for node in assigns for name in node.targets if isinstance(name, ast.Name)}


def _asks_the_time(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Call)
        and called_name(inner) in _CLOCKS
        and isinstance(inner.func, ast.Attribute | ast.Name)
        and (not inner.args or called_name(inner) == "timeit")
        for inner in ast.walk(node)
    )


def _uses(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))


def _forgets(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches failed assertions and does nothing about them, or only prints them."""
    return _is_silent(handler.body) and _catches(handler.type)


def _catches(caught: ast.expr | None) -> bool:
    names = {node.id for node in ast.walk(caught) if isinstance(node, ast.Name)} if caught else {"Exception"}
    return bool(names & {"AssertionError", "Exception", "BaseException"})


def _is_silent(body: list[ast.stmt]) -> bool:
    return all(
        isinstance(node, ast.Pass | ast.Continue)
        or (isinstance(node, ast.Return) and node.value is None)
        or (
            isinstance(node, ast.Expr)
            and (not isinstance(node.value, ast.Call) or called_name(node.value) in _SAYS)
        )
        for node in body
    )


def _suppresses(node: ast.With | ast.AsyncWith) -> bool:
    """``with suppress(AssertionError)``, in whatever module it is found."""
    calls = (item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call))
    return any(called_name(call) == "suppress" and any(map(_catches, call.args)) for call in calls)


class _Tests:
    """The test functions of a source file, and the helpers that they call."""

    def __init__(self, tree: ast.Module) -> None:
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        self.helpers = {node.name: node for node in functions}
        inner = {id(one) for node in functions for one in ast.walk(node) if one is not node}
        # No runner finds what is defined within a function.
        self.all = [node for node in functions if node.name.startswith("test") and id(node) not in inner]
        # One mark, or a list of them, for all tests of the file.
        marks = (
            node.value for node in tree.body if isinstance(node, ast.Assign) and "pytestmark" in ast.dump(node)
        )
        self.marks = [one for mark in marks for one in (mark.elts if isinstance(mark, ast.List) else [mark])]
        self.literals = _assigned(tree, lambda value: isinstance(value, _NEVER_EMPTY))

    def nothing(self, test: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
        fixtures = (self.helpers[one.arg] for one in test.args.args if one.arg in self.helpers)
        if any(self._demands(one.body) for one in fixtures):
            return None
        if any(map(_is_left_out, (*self.marks, *test.decorator_list))):
            return "it is skipped, or may fail"
        asserts = [node for node in ast.walk(test) if self._can_fail(node)]
        calls = any(isinstance(node, ast.Call) for node in ast.walk(test))
        if (not asserts and not calls) or all(isinstance(node, ast.FunctionDef | ast.Pass) for node in test.body):
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
            if _leaves_if_missing(node) or _is_end(node):
                return self._reads(node)
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
                if _suppresses(node):
                    return False
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
        return (isinstance(node, _NEVER_EMPTY) and bool(getattr(node, "elts", True))) or (
            isinstance(node, ast.Name) and node.id in self.literals
        )


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
    return _is_end(node.body[-1])


def _is_end(node: ast.stmt) -> bool:
    """Whether a test ends there, or is skipped."""
    skips = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called_name(node.value) == "skip"
    return isinstance(node, ast.Return) or skips


def _is_left_out(mark: ast.expr) -> bool:
    """A mark that skips a test, or lets it fail, whatever the circumstances."""
    text = ast.unparse(mark)
    loose = re.search(r"\bxfail\b", text) and "strict=True" not in text
    return bool(re.search(r"\bskip\b", text) or (loose and not (isinstance(mark, ast.Call) and mark.args)))


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
