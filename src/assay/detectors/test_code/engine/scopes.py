"""From scopes to tests: names joined, skips inherited, shared assertions handed to the tests that run them.

The engine makes one ``CodeScope`` for each container, test, hook and function of a file; what follows from their
nesting and from who calls whom is worked out here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, ClassVar

from assay.detectors.test_code.engine.expressions.parts import FUNCTIONS
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.enumerated import Enumerated
from assay.detectors.test_code.model import Assertion, Skip, Strength, Test, TestCode
from assay.detectors.test_code.tree import Node

if TYPE_CHECKING:
    from assay.detectors.test_code.engine.bound import Bound

RUNS = "runs without an error"
_LONGEST_IDENTITY = 2000
_LONGEST_DOINGS = 240
_MOST_SKIPS = 20
_FAR = 200
_MOST_SHARED = 200
_DEEPEST = 6


class Role(Enumerated):
    """A scope's role for the runner."""

    FILE: ClassVar["Role"]
    SUITE: ClassVar["Role"]
    TEST: ClassVar["Role"]
    HOOK: ClassVar["Role"]
    FUNCTION: ClassVar["Role"]


@dataclass(slots=True)
class Given:
    """A call of a function of the same file: where, and the words of what it is given."""

    node: Node | None
    arguments: tuple[str, ...] = ()
    certain: bool = True
    """Whether it is made whenever the scope runs."""
    guarded: bool = False
    """Whether a condition that no case chose decides on it."""
    words: Sequence[list[str]] = ()
    rounds: "Sequence[Bound]" = ()
    """What the names of the loops around it are in each round."""


@dataclass(frozen=True, slots=True)
class Written:
    """An assertion as it is written: what it demands depends on what parameters stand for."""

    node: Node
    asked: "Callable[[Bound], list[Assertion]]"
    conditions: Sequence[list[str]] = ()
    """The conditions on the parameters that it is asked under."""
    rounds: "Sequence[Bound]" = ()
    """What the names of the loops around it are in each round."""


@dataclass(slots=True, eq=False)
class CodeScope:
    """A piece of a file that a runner treats as one. ``calls`` are the functions that it calls, by their names."""

    role: Role
    name: str
    line: int
    end_line: int
    parent: "CodeScope | None" = None
    skips: list[Skip] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    """What it asserts whatever it is given, by its marks or by the rows of its tables."""
    calls: dict[str, Given] = field(default_factory=dict)
    runs: "list[tuple[str, Given]]" = field(default_factory=list)
    """Every call of what may be a function of the same file."""
    written: "list[Written]" = field(default_factory=list)
    """What it asserts, to be asked with what its parameters stand for."""
    least: list[Assertion] = field(default_factory=list)
    """What is left to assert where nothing else does."""
    given: "Callable[[], Sequence[Bound]]" = field(default=tuple)
    """What its parameters are in each of its cases."""
    doings: "Callable[[], list[str]]" = field(default=list)
    """The calls that it makes by themselves."""
    defaults: Mapping[str, list[str]] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    cases: int | None = 1
    rows: int = 1
    """How often a loop inside of a test runs what it asserts, for a table that is written out."""
    losing: range = range(0)
    """The lines whose assertions nothing hears of, in a test that must fail."""
    focus: Skip | None = None
    collected: bool = True
    dead: bool = False
    node: Node | None = None

    def within(self, *roles: Role) -> "CodeScope | None":
        """This scope or the nearest one around it that has one of the roles."""
        scope: CodeScope | None = self
        while scope is not None and scope.role not in roles:
            scope = scope.parent
        return scope

    def call(self, name: str, given: Given) -> None:
        """Remember a call; of several calls of one function, one that is made in any case counts."""
        known = self.calls.get(name)
        if known is None or (known.node is not None and known.node.dead):
            self.calls[name] = given


Run = Callable[[CodeScope, Mapping[str, CodeScope]], list[Assertion]]


@dataclass(slots=True)
class _Inherited:
    """A container's inheritance."""

    path: str = ""
    skips: tuple[Skip, ...] = ()
    cases: int | None = 1
    focused: bool = False
    shared: tuple[Assertion, ...] = ()


@dataclass(frozen=True, slots=True)
class _Called:
    """A function that is called, with what the calls on the way to it do to its skips."""

    function: CodeScope
    dead: bool
    certain: bool


def assemble(language: str, scopes: list[CodeScope], problems: tuple[str, ...], run: Run) -> TestCode:
    """All tests of a file. ``scopes`` has every scope after the one around it, and begins with the file's.

    ``run`` tells what a test or a hook asserts when it runs.
    """
    functions = {scope.name: scope for scope in scopes if scope.role is Role.FUNCTION and scope.name}
    hooks = _hooks(scopes, functions, run)
    focus = next((scope.focus for scope in scopes if scope.focus is not None), None)
    handed: dict[CodeScope, _Inherited] = {}
    tests: list[Test] = []
    for scope in scopes:
        inherited = _inherit(scope, handed.get(scope.parent) if scope.parent else None, hooks)
        handed[scope] = inherited
        if scope.role is Role.TEST:
            tests.append(_test(scope, inherited, focus, functions, run))
    return TestCode(language, tuple(tests), tuple(dict.fromkeys(_file_skips(scopes))), problems)


def _inherit(scope: CodeScope, outer: _Inherited | None, hooks: dict[CodeScope, list[Assertion]]) -> _Inherited:
    if outer is None:
        return _Inherited("", tuple(scope.skips), 1, False, tuple(hooks.get(scope, ())))
    cases = None if outer.cases is None or scope.cases is None else outer.cases * scope.cases
    shared = outer.shared
    if scope in hooks and len(shared) < _MOST_SHARED:
        shared += tuple(hooks[scope])
    own = () if scope.role is Role.FUNCTION else tuple(scope.skips)
    skips = outer.skips if len(outer.skips) > _MOST_SKIPS else outer.skips + own
    return _Inherited(_path(scope, outer), skips, cases, outer.focused or scope.focus is not None, shared)


def _path(scope: CodeScope, outer: _Inherited) -> str:
    path = outer.path
    if scope.role in (Role.SUITE, Role.TEST) and scope.name:
        path = f"{path} > {scope.name}" if path else scope.name
    return path[:_LONGEST_IDENTITY]


def _test(
    scope: CodeScope, inherited: _Inherited, focus: Skip | None, functions: Mapping[str, CodeScope], run: Run
) -> Test:
    skips = inherited.skips
    if focus is not None and not inherited.focused:
        skips += (Skip("focus", focus.line, focus.text),)
    called = list(_called(scope, functions))
    skips += tuple(_called_skips(called))[:_MOST_SKIPS]
    own = [*scope.assertions, *run(scope, functions)]
    own = own or [*scope.least, *(one for each in called if not each.dead for one in each.function.least)]
    own = own or _only_runs(scope)
    if own and not any(assertion.reachable for assertion in own) and not _are_unused(scope):
        skips += (Skip("disabled", own[0].line, "none of the test's assertions can be reached"),)
    assertions = (*inherited.shared, *own)
    cases = None if inherited.cases is None else inherited.cases * scope.rows
    return Test(inherited.path, scope.line, scope.end_line, skips, assertions, cases, scope.collected)


def _are_unused(scope: CodeScope) -> bool:
    """Whether all that a test asserts is in functions of its own that nothing runs: it is not skipped."""
    nodes = [each.node for each in scope.written]
    return bool(nodes) and all(any(map(_is_unused, _inside(node, scope))) for node in nodes)


def _inside(node: Node, scope: CodeScope) -> Iterator[Node]:
    """The nodes around a node inside of a scope."""
    return takewhile(lambda around: around is not scope.node, islice(node.ancestors(), _FAR))


def _is_unused(node: Node) -> bool:
    """Whether a node is a function that nothing runs, in code that does."""
    return node.dead and node.part in FUNCTIONS and not (node.parent is not None and node.parent.dead)


def _only_runs(scope: CodeScope) -> list[Assertion]:
    """A test without assertions demands at least that its code runs."""
    doings = scope.doings()
    return [Assertion(scope.line, RUNS, Strength.PRESENCE, "; ".join(doings)[:_LONGEST_DOINGS])] if doings else []


def _called(scope: CodeScope, functions: Mapping[str, CodeScope]) -> Iterator[_Called]:
    """The functions of the same file that a scope calls, directly or through others."""
    waiting = [(name, given, False, True, 0) for name, given in sorted(scope.calls.items())]
    seen = {scope.name}
    count = 0
    while waiting and count < _MOST_SHARED:
        name, given, dead, certain, depth = waiting.pop(0)
        function = functions.get(name)
        if function is None or name in seen or function is scope:
            continue
        seen.add(name)
        count += 1
        node = given.node
        dead = dead or (node is not None and node.dead)
        certain = certain and given.certain
        yield _Called(function, dead, certain)
        if depth < _DEEPEST:
            waiting += [(inner, call, dead, certain, depth + 1) for inner, call in sorted(function.calls.items())]


def _called_skips(called: list[_Called]) -> Iterator[Skip]:
    """The skips of functions that a scope calls; where it may not call them, a condition decides."""
    for each in called:
        if not each.dead:
            for skip in each.function.skips:
                yield skip if each.certain else replace(skip, conditional=True)


def _hooks(
    scopes: list[CodeScope], functions: Mapping[str, CodeScope], run: Run
) -> dict[CodeScope, list[Assertion]]:
    """Assertions and skips of hooks count for the container they stand in."""
    found: dict[CodeScope, list[Assertion]] = {}
    for scope in scopes:
        owner = scope.parent
        if scope.role is Role.HOOK and owner is not None:
            called = list(_called(scope, functions))
            owner.skips.extend([*scope.skips, *_called_skips(called)])
            found.setdefault(owner, []).extend([*scope.assertions, *run(scope, functions)])
    return {scope: assertions for scope, assertions in found.items() if assertions}


def _file_skips(scopes: list[CodeScope]) -> Iterator[Skip]:
    """The file's own, and one for each container that holds nothing at all."""
    yield from scopes[0].skips if scopes else ()
    filled = {scope.parent for scope in scopes if scope.role in (Role.SUITE, Role.TEST, Role.FUNCTION)}
    for scope in scopes:
        if scope.role is Role.SUITE and scope.collected and scope not in filled and not scope.calls:
            yield Skip("disabled", scope.line, scope.name)


def title(words: list[str], quotes: str = "\"'`") -> str:
    """The name of a test: a string's content, or the expression that makes it."""
    if len(words) == 1 and words[0][0] in quotes:
        return " ".join(words[0][1:-1].replace('\\"', '"').split())
    return joined(words)
