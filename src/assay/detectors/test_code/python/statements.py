"""Follows the statements of a test: what it asserts where, what can be reached, and what skips it on the way."""

import ast

from assay.detectors.test_code.model import Skip, Strength
from assay.detectors.test_code.python.binding import bind, stub_of
from assay.detectors.test_code.python.branches import on_for, on_if, on_match, on_try, on_while, on_with
from assay.detectors.test_code.python.condition_demands import condition_demands
from assay.detectors.test_code.python.demand import PythonDemand
from assay.detectors.test_code.python.flow import End, Flow, Rules
from assay.detectors.test_code.python.helpers import returned
from assay.detectors.test_code.python.module import Function, Module
from assay.detectors.test_code.python.skips import call_skip
from assay.detectors.test_code.python.text import LONGEST, Value, uniform


def new_flow(
    module: Module, owner: ast.ClassDef | None, names: dict[str, Value], given: frozenset[str] = frozenset()
) -> Flow:
    """A fresh start. ``names`` is what is known at the beginning, ``given`` what the cases of the test fill in."""
    return Flow(_RULES, module, owner, names, given)


def on_assert(flow: Flow, node: ast.Assert) -> End:
    test = returned(node.test, flow.module, flow.owner, flow.names)
    found = (
        list(condition_demands(node.test, flow.names))
        if test is None
        else list(condition_demands(test[0], test[1]))
    )
    if test is not None:
        found = [
            PythonDemand(node.test, each.strength, each.subject, each.expected, each.tolerance) for each in found
        ]
    return flow.add(found, node.lineno)


def on_expression(flow: Flow, node: ast.Expr) -> End:
    return flow.value(node.value)


def on_assign(flow: Flow, node: ast.Assign | ast.AnnAssign) -> End:
    end = flow.value(node.value)
    if node.value is not None and not isinstance(node.value, ast.Call):
        flow.last = uniform(node.value, flow.names)[:LONGEST]
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            flow.names.pop(target.value.id, None)
        bind(target, node.value, flow.names)
        _alias(flow, target, node.value)
    for name in flow.unstable:
        flow.names.pop(name, None)
    return end


def _alias(flow: Flow, target: ast.expr, value: ast.expr | None) -> None:
    """``skip = pytest.skip`` within a body."""
    if not (isinstance(target, ast.Name) and isinstance(value, ast.Attribute | ast.Call | ast.Subscript)):
        return
    if (flow.module.dotted(value) or "").startswith(("pytest.", "unittest.", "_pytest.")):
        flow.module.bound.setdefault(target.id, value)


def on_change(flow: Flow, node: ast.AugAssign | ast.Delete) -> End:
    flow.forget([node])
    return End.NEXT


def on_return(flow: Flow, node: ast.Return) -> End:
    flow.value(node.value)
    if flow.reachable and not flow.inside and not flow.chosen and not flow.assertions:
        flow.left_at.append(Skip("disabled", node.lineno, "return", flow.guarded))
    return End.RETURN


def on_raise(flow: Flow, node: ast.Raise) -> End:
    kind = node.exc
    call = kind if isinstance(kind, ast.Call) else ast.Call(kind, [], []) if kind is not None else None
    if call is None:
        return End.RAISE
    skip = call_skip(ast.copy_location(call, node), flow.module, flow.names)
    if skip is not None:
        flow.skip(skip)
    elif flow.module.dotted(call.func) in ("AssertionError", "pytest.fail.Exception", "flow.failureException"):
        flow.add([PythonDemand(call, Strength.SHAPE, "", None, None, True, "raise AssertionError()")], node.lineno)
    return End.RAISE


def on_function(flow: Flow, node: Function) -> End:
    flow.local[node.name] = node
    flow.names.pop(node.name, None)
    stub = stub_of(node, flow.names)
    if stub is not None:
        flow.names[node.name] = stub
    return End.NEXT


def on_import(flow: Flow, node: ast.Import | ast.ImportFrom) -> End:
    flow.module.imports(node)
    return End.NEXT


_RULES: Rules = {
    ast.Assert: on_assert,
    ast.Expr: on_expression,
    ast.Assign: on_assign,
    ast.AnnAssign: on_assign,
    ast.AugAssign: on_change,
    ast.Delete: on_change,
    ast.Return: on_return,
    ast.Raise: on_raise,
    ast.If: on_if,
    ast.For: on_for,
    ast.AsyncFor: on_for,
    ast.While: on_while,
    ast.With: on_with,
    ast.AsyncWith: on_with,
    ast.Try: on_try,
    ast.TryStar: on_try,
    ast.Match: on_match,
    ast.FunctionDef: on_function,
    ast.AsyncFunctionDef: on_function,
    ast.Import: on_import,
    ast.ImportFrom: on_import,
    ast.Break: lambda *_: End.BREAK,
    ast.Continue: lambda *_: End.CONTINUE,
}
