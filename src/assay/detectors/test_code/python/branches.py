"""Statements with blocks in them: which block is reached when, and what is known in it and after it."""

import ast
from collections.abc import Sequence
from dataclasses import replace

from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.python.awaited_errors import awaited_error, without_failing
from assay.detectors.test_code.python.binding import bind, bound_in
from assay.detectors.test_code.python.call_demands import call_demands, is_raising, raising_demands
from assay.detectors.test_code.python.constants import constant, truth
from assay.detectors.test_code.python.flow import MOST_ASSERTIONS, End, Flow
from assay.detectors.test_code.python.helpers import helper_of
from assay.detectors.test_code.python.inert import is_inert
from assay.detectors.test_code.python.swallow import stack_swallows, try_swallows, with_swallows
from assay.detectors.test_code.python.text import LONGEST, Value, uniform


def on_if(flow: Flow, node: ast.If) -> End:
    held = truth(node.test, flow.names)
    chosen = held is None and flow.asks_for_given(node.test)
    guarded = held is None and not chosen
    names = dict(flow.names)
    with flow.within(guarded=guarded, unreachable=held is False, chosen=chosen):
        first = flow.body(node.body)
    after_first, flow.names = flow.names, dict(names)
    with flow.within(guarded=guarded, unreachable=held is True, chosen=chosen):
        second = flow.body(node.orelse)
    if held is not None:
        flow.names = after_first if held else flow.names
        return first if held else second
    branches = [after_first, flow.names]
    flow.names = names
    _join(flow, [*node.body, *node.orelse], branches)
    return first if first is second else End.NEXT


def _join(flow: Flow, statements: Sequence[ast.AST], branches: list[dict[str, Value]]) -> None:
    """After a branch a name's value is unknown, unless a branch may have replaced it with a literal."""
    for name in set(bound_in(statements)):
        value = flow.names.pop(name, None)
        other = next((each[name] for each in branches if name in each and each[name].inert), None)
        if value is not None and other is not None and len(value.text) + len(other.text) < LONGEST:
            flow.names[name] = Value(f"({value.text} or {other.text})")


def on_for(flow: Flow, node: ast.For | ast.AsyncFor) -> End:
    rows = _rows(flow, node.iter)
    if rows is not None and len(rows) * max(len(flow.assertions), 1) < MOST_ASSERTIONS and rows:
        return _each(flow, node, rows)
    empty = (
        (rows is not None and not rows)
        or truth(node.iter, flow.names) is False
        or _nothing(constant(node.iter, flow.names))
    )
    flow.forget([node])
    with flow.within(unreachable=empty, chosen=True):
        flow.body(node.body)
    flow.body(node.orelse)
    return End.NEXT


def _rows(flow: Flow, node: ast.expr) -> list[ast.expr] | None:
    """The elements of a list that is written down."""
    if isinstance(node, ast.Name) and node.id in flow.names:
        node = flow.names[node.id].node or node
    plain = isinstance(node, ast.List | ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.elts)
    return node.elts if plain and isinstance(node, ast.List | ast.Tuple) else None


def _each(flow: Flow, node: ast.For | ast.AsyncFor, rows: list[ast.expr]) -> End:
    end = End.NEXT
    for row in rows:
        flow.forget(node.body)
        bind(node.target, row, flow.names, given=True)
        end = flow.body(node.body)
        if end not in (End.NEXT, End.CONTINUE):
            break
    # What the last round bound stays bound, the target apart.
    bind(node.target, None, flow.names)
    if _has_sub_test(node):
        flow.rounds *= len(rows)
    flow.body(node.orelse)
    return end if end in (End.RETURN, End.RAISE) else End.NEXT


def on_while(flow: Flow, node: ast.While) -> End:
    held = truth(node.test, flow.names)
    flow.forget([node])
    with flow.within(guarded=held is None, unreachable=held is False):
        end = flow.body(node.body)
    flow.body(node.orelse)
    return end if held and end in (End.RETURN, End.RAISE) else End.NEXT


def on_with(flow: Flow, node: ast.With | ast.AsyncWith) -> End:
    swallowed, raising = False, False
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call):
            raising |= _enter(flow, call, node)
            swallowed |= with_swallows(call, flow.module) or stack_swallows(item, node.body, flow.module)
        if item.optional_vars is not None:
            bind(item.optional_vars, None, flow.names)
    with flow.within(swallowed=swallowed):
        end = flow.body(node.body)
    # A context manager may keep an exception from going on; a return it can't.
    return End.NEXT if end is End.RAISE and (raising or swallowed) else end


def _enter(flow: Flow, call: ast.Call, node: ast.With | ast.AsyncWith) -> bool:
    """Note what a context manager demands, and say whether it takes exceptions."""
    name = flow.module.dotted(call.func) or uniform(call.func)
    if is_raising(name):
        shown = "; ".join(_shown(each, flow.names) for each in node.body)[:LONGEST]
        found = list(raising_demands(call, flow.module, flow.names, shown))
        if all(_own_doing(each, flow.names) for each in node.body):
            found = [replace(demand, strength=Strength.VACUOUS) for demand in found]
        flow.add(found, call.lineno)
        return True
    helper = helper_of(call, flow.module, flow.owner, flow.local)
    if helper is None:
        asserted = call_demands(call, flow.module, flow.names)
        if asserted is not None:
            flow.add(asserted, call.lineno)
    elif flow.module.says_something(helper):
        flow.run_helper(call, helper)
    return "suppress" in name or "raise" in name.lower() or helper is not None


def _own_doing(node: ast.stmt, names: dict[str, Value]) -> bool:
    """Whether a statement has nothing to do with the code under test: the test raises what it waits for itself."""
    if isinstance(node, ast.Raise | ast.Pass):
        return True
    return isinstance(node, ast.Expr) and is_inert(node.value, names)


def on_try(flow: Flow, node: ast.Try | ast.TryStar) -> End:
    names = dict(flow.names)
    awaited = awaited_error(node, flow.module)
    body, orelse = (without_failing(each, flow.module) if awaited else each for each in (node.body, node.orelse))
    if awaited is not None:
        shown = "; ".join(_shown(each, flow.names) for each in body)[:LONGEST]
        flow.add(list(raising_demands(awaited, flow.module, flow.names, shown)), node.lineno)
    with flow.within(swallowed=try_swallows(node, flow.module)):
        end = flow.body(body)
    _follow_handlers(flow, node, names, guarded=awaited is None)
    leaves = _may_leave(node)
    with flow.within(unreachable=end is not End.NEXT, guarded=leaves):
        other = flow.body(orelse)
    last = flow.body(node.finalbody)
    if last is not End.NEXT:
        return last
    if (node.handlers and End.RAISE in (end, other)) or (leaves and end is End.NEXT):
        return End.NEXT
    return end if end is not End.NEXT else other


def _follow_handlers(flow: Flow, node: ast.Try | ast.TryStar, names: dict[str, Value], *, guarded: bool) -> None:
    """Each handler begins with the names from before the statement, as far as its body leaves them alone."""
    after = flow.names
    branches = []
    for handler in node.handlers:
        flow.names = dict(names)
        flow.forget(node.body)
        with flow.within(guarded=guarded):
            flow.body(handler.body)
        branches.append(flow.names)
    flow.names = after
    _join(flow, node.handlers, branches)


def _may_leave(node: ast.Try | ast.TryStar) -> bool:
    """Whether a test is left where nothing was raised, and goes on where something was."""
    returns = any(isinstance(each, ast.Return) for each in node.orelse)
    asked = any(isinstance(each, ast.Call) for statement in node.body for each in ast.walk(statement))
    return returns and asked and bool(node.handlers)


def on_match(flow: Flow, node: ast.Match) -> End:
    chosen = flow.asks_for_given(node.subject)
    for case in node.cases:
        with flow.within(guarded=not chosen, chosen=chosen):
            flow.body(case.body)
    flow.forget([node])
    return End.NEXT


def _shown(node: ast.stmt, names: dict[str, Value]) -> str:
    value = getattr(node, "value", None)
    if isinstance(value, ast.expr):
        return uniform(value.value if isinstance(value, ast.Await) else value, names)
    return type(node).__name__.lower()


def _has_sub_test(node: ast.For | ast.AsyncFor) -> bool:
    return any(
        isinstance(each, ast.With) and any("subTest" in uniform(item.context_expr) for item in each.items)
        for each in node.body
    )


def _nothing(value: object) -> bool:
    return isinstance(value, tuple | str | range | frozenset) and len(value) == 0
