"""What is particular to tests in Python."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from assay.detectors.test_code.engine.calls import Call, Names
from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.language import Declared, Quirks
from assay.detectors.test_code.engine.marks import Function
from assay.detectors.test_code.engine.parts import Part
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import Given, Role, Scope
from assay.detectors.test_code.engine.words import joined
from assay.detectors.test_code.languages.python.asserts import RAISING
from assay.detectors.test_code.languages.python.classes import is_plain_unittest
from assay.detectors.test_code.languages.python.collect import Collection
from assay.detectors.test_code.languages.python.conditions import condition
from assay.detectors.test_code.languages.python.constants import constant
from assay.detectors.test_code.languages.python.decorators import Effect, effect_of, skip_of
from assay.detectors.test_code.languages.python.fixtures import CLASS_SETUPS, MODULE_SETUPS, Fixtures, arguments_of
from assay.detectors.test_code.languages.python.hooks import hook_name, hook_skips
from assay.detectors.test_code.languages.python.items import Item, Place
from assay.detectors.test_code.languages.python.module import Function as Definition
from assay.detectors.test_code.languages.python.module import Module, note_names
from assay.detectors.test_code.languages.python.parameters import MOST_ROWS, Table, count, tables
from assay.detectors.test_code.languages.python.skips import call_skip
from assay.detectors.test_code.languages.python.spelling import dotted_text, spelled
from assay.detectors.test_code.languages.python.swallow import stack_swallows, with_swallows
from assay.detectors.test_code.languages.python.tree import PythonTree, parse
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.tree import Node

_RAISING = frozenset(RAISING.split())
_MOCKS = {
    "assert_called": Strength.PRESENCE, "assert_called_once": Strength.SHAPE,
    "assert_awaited": Strength.PRESENCE, "assert_awaited_once": Strength.SHAPE,
    "assert_any_call": Strength.SHAPE, "assert_any_await": Strength.SHAPE,
    "assert_called_with": Strength.EXACT, "assert_called_once_with": Strength.EXACT,
    "assert_awaited_with": Strength.EXACT, "assert_awaited_once_with": Strength.EXACT,
    "assert_has_calls": Strength.EXACT, "assert_has_awaits": Strength.EXACT,
    "assert_not_called": Strength.EXACT, "assert_not_awaited": Strength.EXACT,
}  # fmt: skip
_EXITS = frozenset(("os._exit", "sys.exit", "exit", "quit"))
_DOTTED = re.compile(r"(?!\d)\w{1,100}(?:\.(?!\d)\w{1,100}){1,4}")
_ENDS_WELL = re.compile(r"\(\s*0?\s*\)\Z")
_ANY = re.compile(r"\bANY\b")
_LOOPS = re.compile(r"asyncio|anyio|trio|IsolatedAsyncio|tornado")
_LONGEST = 240


@dataclass(slots=True)
class _Known:
    """What a runner would collect from a file."""

    module: Module
    collection: Collection
    fixtures: Fixtures
    items: dict[int, Item] = field(default_factory=dict)
    used: dict[Node | None, tuple[list[str], Item]] = field(default_factory=dict)
    """The fixtures that a test uses."""


def _known(reading: Reading) -> _Known:
    return reading.notes["python"]  # type: ignore[return-value]


def _made(reading: Reading, node: Node) -> ast.AST | None:
    return reading.tree.made.get(node) if isinstance(reading.tree, PythonTree) else None


def _file_skips(reading: Reading) -> list[Skip]:
    """What the file is to a runner; and on the way, all that it collects."""
    root = _made(reading, reading.tree.nodes[0])
    body = root.body if isinstance(root, ast.Module) else []
    module = Module()
    note_names(body, module)
    collection = Collection(module)
    collection.block(body, Place())
    fixtures = Fixtures(module)
    fixtures.add([function for _, function, _ in collection.helpers])
    reading.notes["python"] = _Known(
        module, collection, fixtures, {id(each.node): each for each in collection.items}
    )
    loader = module.functions.get("load_tests")
    empty = loader is not None and _loads_nothing(loader)
    loads = [Skip("excluded", loader.lineno, "load_tests")] if loader is not None and empty else []
    hooks = [
        skip
        for _, function, _ in collection.helpers
        if hook_name(function, module).startswith("pytest_")
        for skip in hook_skips(function, module)
    ]
    return list(dict.fromkeys([*collection.skips, *loads, *hooks]))


def _loads_nothing(function: Definition) -> bool:
    """``return unittest.TestSuite()``: a suite that nothing was put into."""
    last = function.body[-1]
    made = last.value if isinstance(last, ast.Return) else None
    if made is None or constant(made) is None:
        return True
    return (
        isinstance(made, ast.Call) and not made.args and "Suite" in ast.dump(made.func) and len(function.body) < 3
    )


def _function(reading: Reading, function: Function) -> Declared | None:
    """A test with its skips and cases; None for every other function."""
    known, made = _known(reading), _made(reading, function.node)
    item = known.items.get(id(made))
    if item is None:
        return None
    every = [*item.marks, *known.collection.marks]
    wanted = [*arguments_of(item.node), *_named_fixtures(every), *known.fixtures.automatic()]
    used = known.fixtures.used_by(wanted)
    found = tables(every, item.node, known.module)
    of_fixtures = [table for name in used if (table := known.fixtures.table(name)) is not None]
    cases = count([*found, *of_fixtures])
    skips = [*item.skips, *(skip for table in found for skip in table.skips)]
    skips += [
        skip for each in item.node.decorator_list if (skip := skip_of(each, known.module, known.module.constants))
    ]
    if cases == 0:
        skips.append(Skip("skip", item.node.lineno, "no cases"))
    skips += _changed(reading, item, function.node)
    known.used[function.node] = (used, item)
    declared = Declared(Role.TEST, function.name, item.collected, skips, cases=cases)
    declared.given = partial(_cases, reading, found, [known.fixtures.by_name[each][0].name for each in used])
    declared.assertions = _rows_for_themselves(item, found)
    return declared


def _named_fixtures(marks: list[ast.expr]) -> list[str]:
    used = [
        each for each in marks if isinstance(each, ast.Call) and dotted_text(each.func).endswith("usefixtures")
    ]
    return [str(each.value) for mark in used for each in mark.args if isinstance(each, ast.Constant)]


def _cases(reading: Reading, found: list[Table], fixtures: list[str]) -> list[dict[str, list[str]]]:
    """What a test's parameters are in each case: what its rows say, and what its fixtures only return."""
    number = count(found)
    returned = {name: words for name in fixtures if (words := reading.following.only_returns(name))}
    if number is None or not 0 < number <= MOST_ROWS:
        return [returned] if returned else []
    rows: list[dict[str, list[str]]] = [returned]
    for table in found:
        filled = [
            {name: _words(reading, value) for name, value in zip(table.names, row, strict=False)}
            if table.filled else {}
            for row in table.rows or ()
        ]  # fmt: skip
        rows = [{**one, **two} for one in rows for two in filled]
    return rows


def _words(reading: Reading, node: ast.expr) -> list[str]:
    """The words of an expression, wherever in the file it stands."""
    reach = reading.tree.reach if isinstance(reading.tree, PythonTree) else None
    if reach is None or getattr(node, "end_lineno", None) is None:
        return reading.words_in(spelled(node))
    return reading.words(*reach(node))


def _rows_for_themselves(item: Item, found: list[Table]) -> list[Assertion]:
    """A table too long to be filled in: each of its rows counts as one thing that is expected."""
    number = count(found)
    if number is None or number <= MOST_ROWS:
        return []
    rows = [row for table in found for row in table.rows or ()]
    texts = [", ".join(spelled(value) for value in row)[:_LONGEST] for row in rows[:4000]]
    return [Assertion(item.node.lineno, f"case {text}", Strength.EXACT, "cases", text) for text in texts]


def _changed(reading: Reading, item: Item, node: Node) -> list[Skip]:
    """What decorators, a ``yield`` or a coroutine that nobody awaits do to all of a test's assertions."""
    module, skips = _known(reading).module, list[Skip]()
    plain = item.owner is not None and is_plain_unittest(item.owner, module)
    coroutine = isinstance(item.node, ast.AsyncFunctionDef)
    text = reading.tree.source(node)
    generator = "yield" in text and _has(item.node, ast.Yield, ast.YieldFrom)
    if generator:
        skips.append(Skip("xfail", item.node.lineno, "yield"))
    awaits = _has(item.node, ast.Await, ast.AsyncFor, ast.AsyncWith) if coroutine else True
    if coroutine and not awaits and not _LOOPS.search(reading.tree.text):
        skips.append(Skip("disabled", item.node.lineno, "a coroutine that awaits nothing", conditional=True))
    effect = Effect.NONE
    for decorator in item.node.decorator_list:
        effect |= effect_of(decorator, module)
    never = (plain and (coroutine or generator)) or bool(effect & Effect.NEVER_CALLS)
    for inner in reading.tree.within(node.start, node.end) if never or effect & Effect.SWALLOWS else ():
        inner.dead |= never
        inner.swallowed |= bool(effect & Effect.SWALLOWS)
    return skips


def _has(function: ast.AST, *kinds: type[ast.AST]) -> bool:
    """Whether a function itself has such a node, and not only one inside of it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, kinds):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False


def _resolve(reading: Reading) -> Callable[[Names], Names]:
    """Names with what they were imported as."""
    module = Module()
    for each in reading.tree.imports if isinstance(reading.tree, PythonTree) else ():
        module.imports(each)
    aliases = module.aliases

    def resolved(names: Names) -> Names:
        return (*aliases[names[0]].split("."), *names[1:]) if names and names[0] in aliases else names

    return resolved


def _asserted(reading: Reading, call: Call, scope: Scope) -> list[WrittenDemand] | None:
    """Mocks, and ``raises`` around a block."""
    name = call.names[-1] if call.names else ""
    if name in _MOCKS and (len(call.names) > 1 or call.inner is not None):
        return [_mock(reading, call, name)]
    if (reading.names(call) or call.names)[-1:] and (reading.names(call) or call.names)[-1] in _RAISING:
        return _raising(reading, call)
    return None


def _mock(reading: Reading, call: Call, name: str) -> WrittenDemand:
    words = reading.words_of(call.node)
    link = reading.chain(words)[-1]
    expected = ", ".join(joined(each).replace(" = ", "=") for each in link.arguments or ())
    strength = min(_MOCKS[name], Strength.SHAPE) if _ANY.search(expected) else _MOCKS[name]
    said = "not called" if "not" in name else f"called({expected})" if expected or "with" in name else "called"
    end = call.arguments.start if call.arguments is not None else call.node.end
    owner = reading.words(call.node.start, end)[:-2]
    return WrittenDemand(joined(words), Demand(strength, joined(owner), said))


def _raising(reading: Reading, call: Call) -> list[WrittenDemand]:
    """An exception is demanded, and by ``match`` or a pattern what it says."""
    link = reading.links(call)[-1]
    name = ".".join(call.names)
    given = link.positional
    kinds = link.labelled("expected_exception", "expected_warning") or (given[0] if given else [])
    by_pattern = "egex" in name
    subject, own = _body(reading, call)
    if not subject and not by_pattern and len(given) > 1:
        subject = f"{joined(given[1])}({', '.join(joined(each) for each in given[2:])})"
    expected = joined(kinds) or "any"
    broad = expected in reading.language.broad or expected == "any" or (kinds[0] == "(" and "," in kinds)
    strength = Strength.VACUOUS if own else Strength.SHAPE if broad else Strength.EXACT
    found = [WrittenDemand(f"{name}({expected})", Demand(strength, subject, expected))]
    pattern = link.labelled("match", "expected_regex") or (given[1] if by_pattern and len(given) > 1 else [])
    if pattern and joined(pattern) not in ("None", '""', '".*"', '".+"'):
        wanted = joined(pattern)
        strength = Strength.VACUOUS if own else Strength.SHAPE
        message = Demand(strength, f"message of {subject}", f"match {wanted}")
        found.append(WrittenDemand(f"{name}({expected}, match={wanted})", message))
    return found


def _body(reading: Reading, call: Call) -> tuple[str, bool]:
    """What a block does, and whether that has nothing to do with the code under test."""
    holder = call.node.parent
    made = _made(reading, holder) if holder is not None else None
    if holder is None or not isinstance(made, ast.With | ast.AsyncWith):
        return "", False
    shown, own = list[str](), True
    for each in made.body:
        value = getattr(each, "value", None)
        if isinstance(value, ast.Await):
            value = value.value
        if isinstance(value, ast.expr):
            shown.append(joined(reading.words_in(spelled(value))))
        else:
            shown.append(type(each).__name__.lower())
        own &= isinstance(each, ast.Raise | ast.Pass)
    return "; ".join(shown)[:_LONGEST], own


def _awaited(reading: Reading, node: Node, tried: Node) -> WrittenDemand | None:
    """``pytest.raises``, written out: a ``try`` that fails where nothing is raised."""
    made, thrown = _made(reading, tried), _made(reading, node)
    if not isinstance(made, ast.Try | ast.TryStar) or len(made.handlers) != 1 or made.handlers[0].type is None:
        return None
    if isinstance(thrown, ast.Raise) and "AssertionError" not in reading.tree.source(node):
        return None
    handler = tried.part_child(Part.CATCH)
    kind = joined(reading.words_in(spelled(made.handlers[0].type)))
    if handler is None or reading.language.catching.assertions.search(f"except {kind}"):
        return None
    own = [each for each in made.body if getattr(each, "value", each) is not thrown]
    subject = "; ".join(joined(reading.words_in(spelled(getattr(each, "value", each)))) for each in own)[:_LONGEST]
    strength = Strength.SHAPE if kind in reading.language.broad or kind[0] == "(" else Strength.EXACT
    return WrittenDemand(f"pytest.raises({kind})", Demand(strength, subject, kind))


def _silences(reading: Reading, node: Node) -> bool:
    """A context manager that takes a failing assertion: suppress, a broad ``raises``, one of the file's own."""
    if node.part is not Part.CALL or node.parent is None:
        return False
    made, holder = _made(reading, node), _made(reading, node.parent)
    if not isinstance(holder, ast.With | ast.AsyncWith) or not isinstance(made, ast.Call):
        return False
    module = _known(reading).module
    stacks = any(stack_swallows(item, holder.body, module) for item in holder.items)
    return with_swallows(made, module) or stacks


def _skip(reading: Reading, call: Call, scope: Scope) -> Skip | None:
    made = _made(reading, call.node)
    if not isinstance(made, ast.Call) or scope.role is Role.FILE:
        return None
    module = _known(reading).module
    if (
        ".".join(reading.names(call)) in _EXITS
        and call.inner is None
        and _ENDS_WELL.search(reading.tree.source(call.node)[-100:])
    ):
        return Skip("disabled", reading.line(call.node), reading.text(call.node))
    return call_skip(_bound_to(reading, made, call), module, module.constants)


def _bound_to(reading: Reading, made: ast.Call, call: Call) -> ast.Call:
    """A call by what its name was bound to: ``leave = pytest.skip``."""
    named = made.func.id if isinstance(made.func, ast.Name) else ""
    found = reading.following.value(named, call.node) if named else None
    text = "".join(found.words) if found is not None else ""
    if not _DOTTED.fullmatch(text):
        return made
    return ast.copy_location(ast.Call(ast.parse(text, mode="eval").body, made.args, made.keywords), made)


def _settle(reading: Reading) -> None:
    """What a test uses counts for it."""
    known = _known(reading)
    always = {known.fixtures.by_name[each][0].name for each in known.fixtures.automatic()} | set(MODULE_SETUPS)
    every = [skip for scope in reading.scopes if scope.name in always for skip in scope.skips]
    reading.scopes[0].skips += dict.fromkeys(every)
    for scope in reading.scopes:
        if scope.node in known.used:
            names, item = known.used[scope.node]
            for name in {known.fixtures.by_name[each][0].name for each in names} - always:
                scope.call(name, Given(None))
            for name in CLASS_SETUPS if item.owner is not None else ():
                if known.module.method(item.owner, name) is not None:
                    scope.call(name, Given(None))
    if not known.items:
        own = [scope for scope in reading.scopes if scope.name in known.fixtures.by_name]
        reading.scopes[0].skips += [skip for scope in own for skip in scope.skips if not skip.conditional]


QUIRKS = Quirks(
    parse=parse,
    resolve=_resolve,
    file_skips=_file_skips,
    function=_function,
    asserted=_asserted,
    condition=condition,
    awaited=_awaited,
    silences=_silences,
    skip=_skip,
    settle=_settle,
)
