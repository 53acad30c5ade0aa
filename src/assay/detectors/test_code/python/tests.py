"""Turns a collected function into a test: its skips, its cases, and what it asserts in each of them."""

import ast
import re
from dataclasses import replace

from assay.detectors.test_code.model import Assertion, Skip, Strength, Test
from assay.detectors.test_code.python.binding import value_of
from assay.detectors.test_code.python.classes import is_plain_unittest
from assay.detectors.test_code.python.constants import constant
from assay.detectors.test_code.python.decorators import Effect, effect_of, skip_of
from assay.detectors.test_code.python.fixtures import CLASS_SETUPS, Fixtures, arguments_of, skips_in
from assay.detectors.test_code.python.flow import MOST_ASSERTIONS, MOST_IN_A_FILE, Flow
from assay.detectors.test_code.python.items import Item
from assay.detectors.test_code.python.module import Function, Module
from assay.detectors.test_code.python.parameters import MOST_ROWS, Table, combinations, count, tables
from assay.detectors.test_code.python.statements import new_flow
from assay.detectors.test_code.python.text import LONGEST, Value, uniform

RUNS = "runs without an error"


def test_of(item: Item, module: Module, fixtures: Fixtures, marks: list[ast.expr], around: list[Skip]) -> Test:
    """The test of a function, with everything around it that skips it or makes it run more often."""
    every = [*item.marks, *marks]
    used = fixtures.used_by([*arguments_of(item.node), *_named_fixtures(every, module), *fixtures.automatic()])
    found = tables(every, item.node, module)
    of_fixtures = [table for name in used if (table := fixtures.table(name)) is not None]
    flow = _followed(item.node, item.owner, module, found)
    skips = [*around, *item.skips, *_own_skips(item, module)]
    skips += [*(skip for name in used for skip in fixtures.skips(name)), *flow.skips]
    skips += [skip for table in found for skip in table.skips]
    cases = count([*found, *of_fixtures])
    if cases == 0:
        skips.append(Skip("skip", item.node.lineno, "no cases"))
    asserted, more = _changed(item, module, flow.assertions)
    last = item.node.end_lineno or item.node.lineno
    number = None if cases is None else cases * flow.rounds
    return Test(item.identity, item.node.lineno, last, (*skips, *more), tuple(asserted), number, item.collected)


def helper_test(identity: str, function: Function, owner: ast.ClassDef | None, module: Module) -> Test | None:
    """A function that asserts but isn't a test: tests may call it. None where it asserts nothing."""
    flow = new_flow(module, owner, dict(module.constants))
    flow.body(function.body)
    if not flow.assertions:
        return None
    last = function.end_lineno or function.lineno
    return Test(identity, function.lineno, last, (), tuple(flow.assertions), 1, collected=False)


def _own_skips(item: Item, module: Module) -> list[Skip]:
    found = [skip_of(each, module, module.constants) for each in item.node.decorator_list]
    skips = [skip for skip in found if skip is not None]
    return skips if item.owner is None else [*skips, *_setup_skips(item.owner, module)]


def _setup_skips(owner: ast.ClassDef, module: Module) -> list[Skip]:
    """The skips in what a class runs before each of its tests, looked for once."""
    if id(owner) not in module.setup_skips:
        setups = (module.method(owner, name) for name in CLASS_SETUPS)
        found = [skip for setup in setups if setup is not None for skip in skips_in(setup, module, owner)]
        module.setup_skips[id(owner)] = found
    return module.setup_skips[id(owner)]


def _named_fixtures(marks: list[ast.expr], module: Module) -> list[str]:
    names: list[str] = []
    for mark in marks:
        if isinstance(mark, ast.Call) and (module.dotted(mark.func) or "").endswith("usefixtures"):
            names += [str(constant(each, module.constants)) for each in mark.args]
    return names


def _followed(function: Function, owner: ast.ClassDef | None, module: Module, found: list[Table]) -> Flow:
    """Follow the body once for each case, as far as the cases are written down and not too many."""
    if len(function.body) == 1 and isinstance(function.body[0], ast.Pass):
        # Most tests of a changed file were emptied, since they are the same in both versions.
        flow = new_flow(module, owner, {})
        flow.assertions += _rows_for_themselves(function, found)
        return flow
    given = frozenset(name for table in found for name in table.names)
    known = {name: value for name, value in module.constants.items() if name not in arguments_of(function)}
    known |= _class_constants(owner, module)
    unstable = _set_from_inside(function, module)
    whole: Flow | None = None
    for case in combinations(found):
        flow = new_flow(module, owner, {**known, **case}, given)
        flow.unstable = unstable
        _follow(flow, function)
        if whole is None:
            whole = flow
        else:
            whole.assertions += flow.assertions
        if len(whole.assertions) > MOST_ASSERTIONS or module.spent >= MOST_IN_A_FILE:
            break
    flow = whole if whole is not None else new_flow(module, owner, known, given)
    flow.assertions += _rows_for_themselves(function, found)
    return flow


def _follow(flow: Flow, function: Function) -> None:
    """Follow one case. One that asserts nothing demands at least that what it does goes well."""
    flow.body(function.body)
    flow.finish(function.body)
    if not flow.assertions and flow.doings:
        subject = "; ".join(flow.doings)[:LONGEST]
        flow.assertions.append(Assertion(function.lineno, RUNS, Strength.PRESENCE, subject))


def _rows_for_themselves(function: Function, found: list[Table]) -> list[Assertion]:
    """A table too long to be filled in: each of its rows counts as one thing that is expected."""
    number = count(found)
    if number is None or number <= MOST_ROWS:
        return []
    rows = [row for table in found for row in table.rows or ()]
    texts = [", ".join(uniform(value) for value in row)[:LONGEST] for row in rows[:MOST_ASSERTIONS]]
    return [Assertion(function.lineno, f"case {text}", Strength.EXACT, "cases", text) for text in texts]


def _class_constants(owner: ast.ClassDef | None, module: Module) -> dict[str, Value]:
    """What a class sets once for all its tests, known to them as ``self.NAME``."""
    if owner is None:
        return {}
    if id(owner) not in module.class_constants:
        module.class_constants[id(owner)] = _constants_in(owner, module)
    return module.class_constants[id(owner)]


def _constants_in(owner: ast.ClassDef, module: Module) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for node in owner.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            value = value_of(node.value, module.constants)
            if value is not None:
                found[f"self.{node.targets[0].id}"] = value
                found[f"cls.{node.targets[0].id}"] = value
    return found


def _set_from_inside(function: Function, module: Module) -> frozenset[str]:
    lines = module.lines[function.lineno - 1 : function.end_lineno]
    if not any("nonlocal" in line or "global" in line for line in lines):
        return frozenset()
    inner = [each for each in ast.walk(function) if isinstance(each, ast.Nonlocal | ast.Global)]
    return frozenset(name for each in inner for name in each.names)


def _changed(item: Item, module: Module, assertions: list[Assertion]) -> tuple[list[Assertion], list[Skip]]:
    """What decorators, a ``yield`` or a coroutine that nobody awaits do to all of a test's assertions."""
    skips: list[Skip] = []
    plain = item.owner is not None and is_plain_unittest(item.owner, module)
    coroutine = isinstance(item.node, ast.AsyncFunctionDef)
    generator = _yields(item.node, module)
    if generator:
        skips.append(Skip("xfail", item.node.lineno, "yield"))
    if coroutine and _never_awaits(item, module):
        skips.append(Skip("disabled", item.node.lineno, "a coroutine that awaits nothing", conditional=True))
    effect = Effect.NONE
    for decorator in item.node.decorator_list:
        effect |= effect_of(decorator, module)
    never = (plain and (coroutine or generator)) or bool(effect & Effect.NEVER_CALLS)
    return _marked(assertions, never, bool(effect & Effect.SWALLOWS)), skips


def _marked(assertions: list[Assertion], never: bool, swallowed: bool) -> list[Assertion]:
    if not never and not swallowed:
        return assertions
    return [
        replace(each, reachable=each.reachable and not never, swallowed=each.swallowed or swallowed)
        for each in assertions
    ]


_LOOPS = re.compile(r"asyncio|anyio|trio|IsolatedAsyncio|tornado")


def _never_awaits(item: Item, module: Module) -> bool:
    """A coroutine without a reason to be one: without a plugin nobody runs it."""
    waits = (ast.Await, ast.AsyncFor, ast.AsyncWith)
    return not any(map(_LOOPS.search, module.lines)) and not any(
        isinstance(each, waits) for each in ast.walk(item.node)
    )


def _yields(function: Function, module: Module) -> bool:
    """Whether the function itself is a generator: calling it runs nothing."""
    if not any("yield" in line for line in module.lines[function.lineno - 1 : function.end_lineno]):
        return False
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False
