"""How nodes open scopes and call functions, as far as it is the same in all languages."""

from collections.abc import Callable, Mapping
from typing import Protocol

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.model import Skip, TestCode
from assay.detectors.test_code.scopes import Role, Scope, assemble
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined

_MOST_BELOW = 200


def scope_of(tree: Tree, role: Role, name: str, node: Node, outer: Scope) -> Scope:
    """The scope that a node opens. A test or a suite that is never reached is disabled."""
    line, end = tree.line(node.start), tree.line(max(node.start, node.end - 1))
    scope = Scope(role, name, line, end, outer, dead=node.dead)
    if node.dead and role in (Role.TEST, Role.SUITE):
        scope.skips.append(Skip("disabled", line, "code that is never reached"))
    return scope


class Suites(Protocol):
    """Finds the scopes of a file."""

    scopes: list[Scope]

    def settle(self) -> None:
        """Add what is known only when all scopes are."""
        ...


class Assertions(Protocol):
    """Finds the assertions of a file."""

    def hand_over(self, functions: set[str]) -> None:
        """Put every assertion into its scope. ``functions`` are those of the file."""
        ...


def read_scopes(language: str, tree: Tree, suites: Suites, assertions: Assertions) -> TestCode:
    """The tests of a file whose nodes have all been visited."""
    assertions.hand_over(function_names(suites.scopes))
    suites.settle()
    return assemble(language, suites.scopes, tree.problems)


def function_names(scopes: list[Scope]) -> set[str]:
    """What the functions of a file are called, as far as they have names."""
    return {scope.name for scope in scopes if scope.role is Role.FUNCTION and scope.name}


def mark_certain(
    scopes: list[Scope], of: Mapping[Node, Scope], calls: Mapping[Node, Call], depends: Callable[[Node], bool]
) -> None:
    """Say which calls of functions that skip are made for certain. ``of`` has the scope of each node."""
    skipping = {scope.name for scope in scopes if scope.role is Role.FUNCTION and scope.skips}
    if not skipping:
        return
    for node, call in calls.items():
        if call.names[-1:] and call.names[-1] in skipping and not node.dead and not depends(node):
            of[node].certain.add(call.names[-1])


def add_skip(scope: Scope, skip: Skip) -> None:
    """Put a skip into its scope; a focus is kept apart, since it skips the other tests."""
    if skip.kind == "focus":
        scope.focus = skip
    else:
        scope.skips.append(skip)


def title(words: list[str], quotes: str = '"') -> str:
    """The name of a test: a string's content, or the expression that makes it."""
    if len(words) == 1 and words[0][0] in quotes:
        return " ".join(words[0][1:-1].replace('\\"', '"').split())
    return joined(words)


def below(node: Node) -> list[Node]:
    """The nodes in a node, whatever their depth, as far as it is worth looking."""
    found: list[Node] = []
    waiting = [node]
    while waiting and len(found) < _MOST_BELOW:
        children = waiting.pop().children
        found.extend(children)
        waiting.extend(children)
    return found
