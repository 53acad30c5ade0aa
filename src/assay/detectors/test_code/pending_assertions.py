"""Assertions that were found and are waiting to be put into the scope that they count for."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.detectors.test_code.demand import Demand, weaker
from assay.detectors.test_code.model import Assertion
from assay.detectors.test_code.named_values import NamedValues
from assay.detectors.test_code.scopes import Scope
from assay.detectors.test_code.tree import Node, Tree

_DEEPEST = 4
# What fails wherever it is reached isn't asked of anything.
_FAILURES = ("fail", "reached")


@dataclass(slots=True)
class PendingAssertion:
    """An assertion, while it is not known yet whether something around it swallows its failure."""

    node: Node
    scope: Scope
    text: str
    demand: Demand
    lost: bool = False
    """Whether nothing notices its failure, whatever the code around it does."""
    function: str = ""
    """A function whose name says that it asserts. Where it is in the same file, what it asserts counts instead."""

    def put(self, tree: Tree, reachable: bool) -> None:
        """Put it into its scope."""
        demand, node = self.demand, self.node
        assertion = Assertion(
            tree.line(node.start), self.text, demand.strength, demand.subject, demand.expected,
            demand.tolerance, reachable, node.swallowed or self.lost,
        )  # fmt: skip
        self.scope.assertions.append(assertion)


def _nothing_more(_: Node, __: Scope) -> None:
    """What comes after an assertion in most languages."""


class PendingAssertions:
    """The assertions of one file, collected until it is known what is swallowed."""

    def __init__(self, tree: Tree, named_values: NamedValues) -> None:
        self._tree = tree
        self._named_values = named_values
        self._found: list[PendingAssertion] = []

    def add(
        self, node: Node, scope: Scope, text: str, demand: Demand, *, lost: bool = False, function: str = ""
    ) -> None:
        self._found.append(PendingAssertion(node, scope, text, demand, lost, function))

    def hand_over(
        self,
        functions: set[str],
        never_runs: Callable[[Node], bool],
        is_guarded: Callable[[Node], bool],
        then: Callable[[Node, Scope], None] = _nothing_more,
    ) -> None:
        """Put every assertion into its scope and call ``then`` after each. ``functions`` are those of the file."""
        for found in self._found:
            if found.function not in functions:
                if found.demand.subject not in _FAILURES and is_guarded(found.node):
                    found.demand = weaker(found.demand)
                found.demand = self._named_values.settled(found.demand, found.node)
                found.put(self._tree, not never_runs(found.node))
                then(found.node, found.scope)


class Nesting:
    """In how many other assertions a node stands. Each is read whole, deep ones again and again."""

    def __init__(self) -> None:
        self._ends: list[int] = []

    def is_too_deep(self, node: Node) -> bool:
        while self._ends and self._ends[-1] <= node.start:
            self._ends.pop()
        return len(self._ends) >= _DEEPEST

    def enter(self, end: int) -> None:
        """An assertion that goes on until ``end`` is read."""
        self._ends.append(end)
