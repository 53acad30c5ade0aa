"""From scopes to tests: names joined, skips inherited, shared assertions handed to the tests that run them.

A reader makes one ``Scope`` for each container, test, hook and function of a file; what follows from their
nesting is the same in every language and is worked out here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from assay.detectors.test_code.model import Assertion, Skip, Test, TestCode

_LONGEST_IDENTITY = 2000
_MOST_SKIPS = 20
_MOST_SHARED = 200


class Role(Enum):
    """What a scope is to the runner."""

    FILE = "file"
    SUITE = "suite"
    TEST = "test"
    HOOK = "hook"
    FUNCTION = "function"


@dataclass(slots=True, eq=False)
class Scope:
    """A piece of a file that a runner treats as one. ``calls`` are the names of functions that it calls."""

    role: Role
    name: str
    line: int
    end_line: int
    parent: "Scope | None" = None
    skips: list[Skip] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    certain: set[str] = field(default_factory=set)
    """Those of ``calls`` that are made whenever the scope runs. Filled in only for functions that skip."""
    cases: int | None = 1
    rows: int = 1
    """How often a loop inside of a test runs what it asserts, for a table that is written out."""
    focus: Skip | None = None
    collected: bool = True
    dead: bool = False

    def around(self) -> "Iterator[Scope]":
        """The scopes around this one, from the inside out."""
        scope = self.parent
        while scope is not None:
            yield scope
            scope = scope.parent

    def within(self, *roles: Role) -> "Scope | None":
        """This scope or the nearest one around it that has one of the roles."""
        scope: Scope | None = self
        while scope is not None and scope.role not in roles:
            scope = scope.parent
        return scope


@dataclass(slots=True)
class _Inherited:
    """What a container hands down."""

    path: str = ""
    skips: tuple[Skip, ...] = ()
    cases: int | None = 1
    focused: bool = False
    shared: tuple[Assertion, ...] = ()


def assemble(language: str, scopes: list[Scope], problems: tuple[str, ...]) -> TestCode:
    """All tests of a file. ``scopes`` has every scope after the one around it, and begins with the file's."""
    functions = {scope.name: scope for scope in scopes if scope.role is Role.FUNCTION and scope.name}
    hooks = _hooks(scopes, functions)
    focus = next((scope.focus for scope in scopes if scope.focus is not None), None)
    handed: dict[Scope, _Inherited] = {}
    tests: list[Test] = []
    for scope in scopes:
        inherited = _inherit(scope, handed.get(scope.parent) if scope.parent else None, hooks)
        handed[scope] = inherited
        if scope.role is Role.TEST:
            tests.append(_test(scope, inherited, focus, functions))
    return TestCode(language, tuple(tests), tuple(_file_skips(scopes)), problems)


def _inherit(scope: Scope, outer: _Inherited | None, hooks: dict[Scope, list[Assertion]]) -> _Inherited:
    if outer is None:
        return _Inherited("", tuple(scope.skips), 1, False, tuple(hooks.get(scope, ())))
    cases = None if outer.cases is None or scope.cases is None else outer.cases * scope.cases
    shared = outer.shared
    if scope in hooks and len(shared) < _MOST_SHARED:
        shared += tuple(hooks[scope])
    own = () if scope.role is Role.FUNCTION else tuple(scope.skips)
    skips = outer.skips if len(outer.skips) > _MOST_SKIPS else outer.skips + own
    return _Inherited(_path(scope, outer), skips, cases, outer.focused or scope.focus is not None, shared)


def _path(scope: Scope, outer: _Inherited) -> str:
    path = outer.path
    if scope.role in (Role.SUITE, Role.TEST) and scope.name:
        path = f"{path} > {scope.name}" if path else scope.name
    return path[:_LONGEST_IDENTITY]


def _test(scope: Scope, inherited: _Inherited, focus: Skip | None, functions: dict[str, Scope]) -> Test:
    skips = inherited.skips
    if focus is not None and not inherited.focused:
        skips += (Skip("focus", focus.line, focus.text),)
    called = _called(scope, functions)
    skips += tuple(_called_skips(scope, called))[:_MOST_SKIPS]
    own = _assertions(scope, called)
    if own and not any(assertion.reachable for assertion in own):
        skips += (Skip("disabled", own[0].line, "none of the test's assertions can be reached"),)
    assertions = (*inherited.shared, *own)
    cases = None if inherited.cases is None else inherited.cases * scope.rows
    return Test(inherited.path, scope.line, scope.end_line, skips, assertions, cases, scope.collected)


def _called(scope: Scope, functions: dict[str, Scope]) -> list[Scope]:
    """The functions of the same file that a scope calls, directly or through others."""
    found: list[Scope] = []
    waiting = [name for name in sorted(scope.calls) if name in functions]
    seen = set(waiting)
    while waiting and len(found) < _MOST_SHARED:
        function = functions[waiting.pop()]
        found.append(function)
        fresh = [name for name in sorted(function.calls) if name in functions and name not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
    return found


def _called_skips(scope: Scope, called: list[Scope]) -> Iterator[Skip]:
    """The skips of functions that a scope calls; where it may not call them, a condition decides."""
    for function in called:
        for skip in function.skips:
            yield skip if function.name in scope.certain else replace(skip, conditional=True)


def _assertions(scope: Scope, called: list[Scope]) -> list[Assertion]:
    """What a scope asserts, with what the functions it calls do."""
    found = list(scope.assertions)
    for function in called:
        if len(found) < len(scope.assertions) + _MOST_SHARED:
            found.extend(function.assertions[:_MOST_SHARED])
    return found


def _hooks(scopes: list[Scope], functions: dict[str, Scope]) -> dict[Scope, list[Assertion]]:
    """What hooks assert, and skip, counts for the container they stand in."""
    found: dict[Scope, list[Assertion]] = {}
    for scope in scopes:
        owner = scope.parent
        if scope.role is Role.HOOK and owner is not None:
            called = _called(scope, functions)
            owner.skips.extend([*scope.skips, *_called_skips(scope, called)])
            found.setdefault(owner, []).extend(_assertions(scope, called))
    return {scope: assertions for scope, assertions in found.items() if assertions}


def _file_skips(scopes: list[Scope]) -> Iterator[Skip]:
    """The file's own, and one for each container that holds nothing at all."""
    yield from scopes[0].skips if scopes else ()
    filled = {scope.parent for scope in scopes if scope.role in (Role.SUITE, Role.TEST, Role.FUNCTION)}
    for scope in scopes:
        if scope.role is Role.SUITE and scope.collected and scope not in filled and not scope.calls:
            yield Skip("disabled", scope.line, scope.name)
