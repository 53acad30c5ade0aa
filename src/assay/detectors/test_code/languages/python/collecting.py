"""Functions and classes of a Python file that a runner collects, with their skips, fixtures and cases."""

import math
import re
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.parts import BRANCHING, FUNCTIONS, Part
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.language import DeclaredPart
from assay.detectors.test_code.engine.listing import written_out
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.scopes import CodeScope, Given, Role
from assay.detectors.test_code.languages.python.names import mark_of, skips_of
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_CASE = re.compile(r"(?:TestCase|TestBase|Tests?|Case|Spec)$|^Test")
_NO_TESTS = word_set(
    "object ABC Generic Protocol Enum IntEnum StrEnum NamedTuple TypedDict dict list tuple set str int float "
    "bytes Exception BaseException ValueError RuntimeError Thread BaseModel Model type Mapping Sequence Iterator"
)
_NOT_CALLED = word_set("property cached_property staticproperty")
_FIXTURES = frozenset(("fixture", "yield_fixture"))
_EXPANDING = frozenset(("expand", "parameterized", "data"))
_LOOPS = re.compile(r"asyncio|anyio|trio|IsolatedAsyncio|tornado")
_AWAITS = re.compile(r"\bawait\b|\basync\s+(?:for|with)\b")
_MOST_ROWS, _MOST_TOLD, _LONGEST, _DEEPEST = 200, 4000, 240, 8


class Table(NamedTuple):
    """The rows of one mark: a value for each name; None where they are not written down."""

    names: list[str]
    rows: list[list[list[str]]] | None
    skips: list[Skip]
    filled: bool = True


@dataclass(slots=True)
class Known:
    """The tests a runner would collect."""

    classes: dict[str, tuple[list[str], Node]] = field(default_factory=dict)
    """The classes of the file, each with what it extends."""
    collected: set[str] = field(default_factory=set)
    fixtures: dict[str, tuple[Function, Mark]] = field(default_factory=dict)
    tests: dict[Node | None, Function] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    """Those of the file as a whole."""


def known(reading: Reading) -> Known:
    """The facts so far; the classes of the file from the beginning."""
    found = reading.notes.get("python")
    if not isinstance(found, Known):
        found = reading.notes["python"] = Known()
        for node in reading.tree.nodes if reading.tree.has_part(Part.CLASS) else ():
            named = reading.language.heads.klass.match(reading.tree.text, node.start)
            if node.part is Part.CLASS and named is not None:
                parents = split(reading.words_in(named["parents"] or ""))
                found.classes[named["name"]] = ([each[-1] for each in parents if "=" not in each], node)
        waiting = [name for name in found.classes if _is_collected(reading, found, name)]
        while waiting:
            # A class that is collected runs the tests of its parents.
            name = waiting.pop()
            if name not in found.collected:
                found.collected.add(name)
                waiting += [each for each in found.classes[name][0] if each in found.classes]
    return found


def _is_collected(reading: Reading, found: Known, name: str) -> bool:
    """unittest's classes by what they are; pytest's by their name, unless they have a constructor."""
    if is_test_case(found, name):
        return True
    made = any(method(reading, found, name, each) for each in ("__init__", "__new__"))
    return name.startswith("Test") and not made


def is_test_case(found: Known, name: str, depth: int = 0) -> bool:
    """Whether a class is one of unittest's, by a parent whose name says so or that is defined elsewhere."""
    for parent in found.classes[name][0] if depth < _DEEPEST else ():
        if parent in found.classes and parent != name:
            if is_test_case(found, parent, depth + 1):
                return True
        elif _CASE.search(parent) or parent not in _NO_TESTS:
            return True
    return False


def method(reading: Reading, found: Known, name: str, wanted: str, depth: int = 0) -> Node | None:
    """A method of a class or of its parents in this file."""
    parents, node = found.classes.get(name, ([], None))
    body = node.part_child(Part.BLOCK) if node is not None and depth < _DEEPEST else None
    for each in body.children if body is not None else ():
        named = reading.language.heads.function.match(reading.tree.text, each.start)
        if each.part is Part.FUNCTION and named is not None and named["name"] == wanted:
            return each
    others = (method(reading, found, parent, wanted, depth + 1) for parent in parents if body is not None)
    return next((each for each in others if each is not None), None)


def set_in(reading: Reading, found: Known, name: str, wanted: str, depth: int = 0) -> Node | None:
    """Where a class or one of its parents sets a name of its own."""
    parents, node = found.classes.get(name, ([], None))
    body = node.part_child(Part.BLOCK) if node is not None and depth < _DEEPEST else None
    for each in body.children if body is not None else ():
        if each.part is Part.BINDING and re.match(rf"{wanted}\s*[:=]", reading.tree.source(each)[:_LONGEST]):
            return each
    others = (set_in(reading, found, parent, wanted, depth + 1) for parent in parents if body is not None)
    return next((each for each in others if each is not None), None) if wanted == "__test__" else None


def value_of(reading: Reading, node: Node) -> list[str]:
    """The value that a statement sets."""
    words = reading.words_of(node)
    return words[words.index("=") + 1 :] if "=" in words else []


def marks_in(reading: Reading, value: list[str], line: int) -> list[Mark]:
    """``pytestmark`` is one mark or a list of them."""
    several = value[:1] in (["["], ["("]) and closing(value, 0) == len(value) - 1
    parts = split(value[1:-1]) if several else [value]
    return [mark_of(reading, each, line, reading.tree.nodes[0]) for each in parts if each]


def klass(reading: Reading, found: Class) -> DeclaredPart:
    """A class with its skips; what it is marked with counts for its tests."""
    all_known, line = known(reading), reading.line(found.node)
    marked = set_in(reading, all_known, found.name, "pytestmark")
    if marked is not None:
        found.marks += marks_in(reading, value_of(reading, marked), reading.line(marked))
    skips = [*_under(reading, found.node), *skips_of(reading, found.marks)]
    off = set_in(reading, all_known, found.name, "__test__")
    if off is not None and reading.truth(value_of(reading, off)) is False:
        skips.append(Skip("excluded", reading.line(off), "__test__ = False"))
        all_known.collected.discard(found.name)
    body = found.node.part_child(Part.BLOCK)
    own = [each for each in (body.children if body is not None else ()) if each.part is Part.FUNCTION]
    runs = [each for each in own if re.match(r"(?:async )?def (?:run|__call__)\b", reading.tree.source(each)[:50])]
    if any("super" not in reading.tree.source(each) for each in runs) and is_test_case(all_known, found.name):
        skips.append(Skip("excluded", line, "an overridden run() that runs no test"))
    return DeclaredPart(Role.SUITE, found.name, collected=False, skips=skips)


def _under(reading: Reading, node: Node) -> list[Skip]:
    """The conditions that a file or a class defines a test under."""
    skips: list[Skip] = []
    for around in islice(node.ancestors(), FAR):
        if around.part is Part.CLASS:
            break
        if around.part in BRANCHING and reading.decided(around) is None:
            text = f"if {joined(reading.asked(around))[:_LONGEST]}"
            skips.append(Skip("excluded", reading.line(around), text, conditional=True))
    return skips[::-1]


def function(reading: Reading, found: Function) -> DeclaredPart | None:
    """A test, or what looks like one; None for every other function."""
    if any(around.part in FUNCTIONS for around in islice(found.node.ancestors(), FAR)):
        return None
    all_known = known(reading)
    fixture = next((mark for mark in found.marks if mark.name in _FIXTURES), None)
    if fixture is not None:
        named = fixture.link.labelled("name")
        all_known.fixtures[joined(named).strip('"') if named else found.name] = (found, fixture)
    if found.name in reading.language.declaring.hook_names:
        return DeclaredPart(Role.HOOK, found.name)
    if not found.name.startswith("test") and (
        "test" not in found.name.lower() or fixture is not None or found.name.startswith("pytest_")
    ):
        return None
    held = found.owner is None or all(each in all_known.collected for each in _owners(found.owner))
    collected = found.name.startswith("test") and held and fixture is None and not found.has(*_NOT_CALLED)
    all_known.tests[found.node] = found
    collected = collected and not found.node.dead
    skips = [*_under(reading, found.node), *skips_of(reading, found.marks), *_never_heard(reading, found)]
    return DeclaredPart(Role.TEST, found.name, collected, skips)


def _owners(owner: Class | None) -> list[str]:
    names = []
    while owner is not None:
        names.append(owner.name)
        owner = owner.outer
    return names


def _never_heard(reading: Reading, found: Function) -> list[Skip]:
    """Skips of a whole test by a ``yield`` or a coroutine that nobody awaits."""
    skips, line, coroutine = list[Skip](), reading.line(found.node), "async" in found.words
    source = reading.tree.source(found.node)
    if not coroutine and "yield" not in source:
        return []
    inside = reading.tree.within(found.node.start, found.node.end)
    yields = any(each.kind == "Yield" and reading.function_around(each) is found.node for each in inside)
    if yields:
        skips.append(Skip("xfail", line, "yield"))
    if coroutine and not _AWAITS.search(source) and not _LOOPS.search(reading.tree.text):
        skips.append(Skip("disabled", line, "a coroutine that awaits nothing", conditional=True))
    plain = found.owner is not None and re.search(
        r"\b(?:unittest|case)\.TestCase\b|from unittest import [^\n]*\bTestCase\b", reading.tree.text
    )
    if plain and (yields or coroutine) and "TestCase" in known(reading).classes[found.owner.name][0]:  # type: ignore[union-attr]
        for each in inside:
            each.dead = True
    return skips


def settle(reading: Reading) -> None:
    """Settle the effects of fixtures."""
    all_known = known(reading)
    automatic = [name for name, (_, mark) in all_known.fixtures.items() if _is_automatic(reading, mark)]
    always = {all_known.fixtures[name][0].name for name in automatic}
    every = [skip for scope in reading.scopes if scope.name in always for skip in scope.skips]
    reading.scopes[0].skips += dict.fromkeys(every)
    for scope in reading.scopes:
        found = all_known.tests.get(scope.node)
        if found is not None:
            _run_with(reading, scope, found, automatic, always)
    if not all_known.tests:
        fixtures = [scope for scope in reading.scopes if scope.name in all_known.fixtures]
        reading.scopes[0].skips += [skip for scope in fixtures for skip in scope.skips if not skip.conditional]


def _is_automatic(reading: Reading, fixture: Mark) -> bool:
    given = fixture.link.labelled("autouse")
    return bool(given) and reading.truth(given) is not False


def _run_with(reading: Reading, scope: CodeScope, found: Function, automatic: list[str], always: set[str]) -> None:
    """How often a test runs, with what, and after which fixtures."""
    all_known, marks = known(reading), _marks_of(reading, found)
    tables = [table for mark in marks if (table := _table(reading, mark, found)) is not None]
    named = [joined(each).strip('"') for mark in marks if mark.name == "usefixtures" for each in mark.given]
    used = _used(reading, [*reading.parameters(found.takes), *named, *automatic])
    by_fixtures = [table for name in used if (table := _params(reading, all_known.fixtures[name][1])) is not None]
    functions = [all_known.fixtures[name][0].name for name in used]
    for name in functions:
        if name not in always:
            scope.call(name, Given(None))
    scope.skips += [skip for table in tables for skip in table.skips]
    scope.cases = _times([*tables, *by_fixtures])
    if scope.cases == 0:
        scope.skips.append(Skip("skip", reading.line(found.node), "no cases"))
    scope.given = lambda: _cases(reading, tables, functions)
    number = _times(tables)
    if number is not None and number > _MOST_ROWS:
        scope.assertions += _long_table(tables, reading.line(found.node))


def _marks_of(reading: Reading, found: Function) -> list[Mark]:
    """The marks of a function, of the classes around it, and of its module."""
    marks, owner = [*found.marks], found.owner
    while owner is not None:
        marks, owner = [*marks, *owner.marks], owner.outer
    return [*marks, *known(reading).marks]


def _long_table(tables: list[Table], line: int) -> list[Assertion]:
    """A table too long to be filled in: each of its rows counts as one thing that is expected."""
    rows = [row for table in tables for row in table.rows or ()][:_MOST_TOLD]
    texts = [", ".join(joined(value) for value in row)[:_LONGEST] for row in rows]
    return [Assertion(line, f"case {text}", Strength.EXACT, "cases", text) for text in texts]


def _used(reading: Reading, names: list[str]) -> list[str]:
    """The fixtures behind some names, and those that they use in turn."""
    fixtures, found = known(reading).fixtures, dict[str, None]()
    waiting = [name for name in names if name in fixtures]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += [each for each in reading.parameters(fixtures[name][0].takes) if each in fixtures]
    return list(found)


def _times(tables: list[Table]) -> int | None:
    if any(table.rows is None for table in tables):
        return None
    return math.prod(len(table.rows or ()) for table in tables)


def _params(reading: Reading, fixture: Mark) -> Table | None:
    """A fixture with params makes each of its tests run once for each of them."""
    given = fixture.link.labelled("params")
    rows = written_out(reading, given) if given else []
    return Table([], None if rows is None else [[row] for row in rows], [], filled=False) if given else None


def _table(reading: Reading, mark: Mark, found: Function) -> Table | None:
    """The table of ``parametrize``, ``parameterized.expand`` or ``data``; None for other marks."""
    link = mark.link
    if link.names[-2:] == ("mark", "parametrize"):
        named = link.labelled("argnames") or (link.positional[:1] or [[]])[0]
        values = link.labelled("argvalues") or (link.positional[1:2] or [[]])[0]
        indirect = link.labelled("indirect")
        listed_names = [named] if len(named) == 1 else split(named[1:-1]) if named else []
        names = [name.strip() for each in listed_names for name in joined(each).strip('"').split(",")]
        return _rows(reading, mark, [name for name in names if name], written_out(reading, values), indirect)
    if mark.name in _EXPANDING and ("parameterized" in link.names or "ddt" in link.names):
        given = link.positional if mark.name == "data" else written_out(reading, link.argument(0))
        return _rows(reading, mark, list(reading.parameters(found.takes)), given, [])
    return None


def _rows(
    reading: Reading, mark: Mark, names: list[str], values: list[list[str]] | None, indirect: list[str]
) -> Table:
    filled = not indirect or reading.truth(indirect) is False
    if values is None:
        return Table(names, None, [], filled)
    if len(names) > 1 and len(values) == len(names) and not any(each[-1] in (")", "]") for each in values):
        # The comma behind a single row is gone.
        values = [["(", *[word for each in values for word in (*each, ",")][:-1], ")"]]
    rows, skips = list[list[list[str]]](), list[Skip]()
    for value in values:
        told = reading.following.value(value[0], reading.tree.nodes[0]) if len(value) == 1 else None
        row, skip = _row(reading, mark, value if told is None else told.words)
        rows.append(split(row[0][1:-1]) if len(row) == 1 < len(names) and row[0][0] in ("(", "[") else row)
        skips += skip
    return Table(names, rows, skips, filled)


def _row(reading: Reading, mark: Mark, value: list[str]) -> tuple[list[list[str]], list[Skip]]:
    """One row, and what skips it: ``pytest.param(1, 2, marks=pytest.mark.skip)``."""
    if "param" not in value[:3] or value[-1] != ")":
        return [value], []
    row = mark_of(reading, value, mark.line, reading.tree.nodes[0])
    found = skips_of(reading, marks_in(reading, row.link.labelled("marks"), mark.line))
    # Only this case is skipped, so for the test as a whole it is a condition.
    return row.link.positional, [replace(each, text=row.text, conditional=True) for each in found]


def _cases(reading: Reading, tables: list[Table], fixtures: list[str]) -> list[dict[str, list[str]]]:
    """A test's parameters in each case: by its rows, and by fixtures that only return a value."""
    number = _times(tables)
    returned = {name: words for name in fixtures if (words := reading.following.only_returns(name))}
    if number is None or not 0 < number <= _MOST_ROWS:
        return [returned] if returned else []
    rows: list[dict[str, list[str]]] = [returned]
    for table in tables:
        filled = [dict(zip(table.names, row, strict=False)) if table.filled else {} for row in table.rows or ()]
        rows = [{**one, **two} for one in rows for two in filled]
    return rows
