"""What never runs in Go, and whose failure is dropped."""

import re
from itertools import islice

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.conditions import truth
from assay.detectors.test_code.go.text import CASES, FUNCTIONS, LEXICON
from assay.detectors.test_code.go.values import Values
from assay.detectors.test_code.guarded import Conditions
from assay.detectors.test_code.node_scopes import below
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import simplified, split

FAR = 200
_EXITS = frozenset(("return_statement", "break_statement", "continue_statement", "goto_statement"))
_LEAVING = frozenset((("panic",), ("os", "Exit"), ("runtime", "Goexit"), ("log", "Fatal"), ("log", "Fatalf")))
_REPORTING = frozenset(
    ("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "panic", "Equal", "NotNil", "Nil", "True")
)
_LONGEST = 4000
_RANGE = re.compile(r"\brange\b\s*(.*?)\s*\Z", re.DOTALL)


class GoRules:
    """The rules of ``flow`` for Go."""

    sequences = frozenset(("", "block")) | CASES
    clauses = CASES
    branching = frozenset(("if_statement", "for_statement"))
    ending = _EXITS | {"call_expression"}

    def __init__(self, tree: Tree, calls: dict[Node, Call], values: Values) -> None:
        self._tree = tree
        self._calls = calls
        self._values = values
        self._heads: dict[Node, list[str]] = {}
        self._conditions: dict[Node, bool | None] = {}

    def head(self, node: Node) -> list[str]:
        """The condition of an if, without the statement before it."""
        if node not in self._heads:
            block = node.child("block")
            source = self._tree.text[node.start + 2 : block.start] if block is not None else ""
            statements = split(LEXICON.words(source[:_LONGEST]), ";")
            self._heads[node] = simplified(statements[-1]) if statements else []
        return self._heads[node]

    def condition(self, node: Node) -> bool | None:
        """Whether the condition of an if always or never holds."""
        if node not in self._conditions:
            self._conditions[node] = truth(self.head(node), self._values.constants, frozenset(("false",)))
        return self._conditions[node]

    @property
    def conditions(self) -> Conditions:
        return Conditions(FUNCTIONS, self._is_lone_branch, self.head, lambda node: node.kind == "for_statement")

    def _is_lone_branch(self, node: Node, parent: Node) -> bool:
        if parent.kind != "if_statement" or node is not parent.child("block"):
            return False
        branches = [child for child in parent.children if child.kind in ("block", "if_statement")]
        return len(branches) == 1 and self.condition(parent) is None

    def never_runs(self, node: Node) -> bool:
        parent = node.parent
        if parent is None:
            return False
        if parent.kind == "if_statement" and node.kind in ("block", "if_statement"):
            return (
                self.condition(parent) is not (node is parent.child("block"))
                and self.condition(parent) is not None
            )
        if parent.kind == "for_statement" and node.kind == "block":
            return self.loop_count(parent) == 0
        return False

    def loop_count(self, loop: Node) -> int | None:
        """How often a loop runs, where a table that is written out says so; 0 for one that never does."""
        head = self._loop_head(loop)
        ranged = _RANGE.search(head)
        if ranged is None:
            return 0 if head.strip() == "false" else None
        literal = loop.child("composite_literal")
        return self._values.length(literal) if literal is not None else self._values.named_length(ranged[1])

    def table(self, loop: Node) -> Node | None:
        """The table that a loop goes through, where it is written out."""
        ranged = _RANGE.search(self._loop_head(loop))
        if ranged is None:
            return None
        return loop.child("composite_literal") or self._values.named_table(ranged[1])

    def _loop_head(self, loop: Node) -> str:
        block = loop.child("block")
        return self._tree.text[loop.start + 3 : block.start if block is not None else loop.end][:_LONGEST]

    def ends(self, node: Node) -> bool:
        if node.kind in _EXITS:
            return True
        call = self._calls.get(node)
        return call is not None and call.inner is None and call.names in _LEAVING

    def ends_parent(self, node: Node, parent: Node, ended: set[Node]) -> bool:
        if node.kind in ("break_statement", "continue_statement") or parent.kind != "if_statement":
            return False
        if node.kind not in ("block", "if_statement"):
            return False
        branches = [child for child in parent.children if child.kind in ("block", "if_statement")]
        always = self.condition(parent)
        if always is not None:
            return always is (node is branches[0])
        return len(branches) > 1 and all(branch in ended for branch in branches)

    def hoisted(self, node: Node) -> bool:
        return node.kind in ("function_declaration", "method_declaration")


def mark_swallowed(tree: Tree, calls: dict[Node, Call], fakes: set[Node], panics: set[Node]) -> None:
    """Set ``swallowed`` on what follows a silent recovery from panics, or a ``t`` that is replaced by a fake one.

    ``panics`` are functions that expect a panic: they fail where they get to their end.
    """
    recoveries = {node for node in tree.nodes if node.kind == "defer_statement" and _recovers(node, calls, panics)}
    silencing = recoveries | fakes
    if not silencing:
        return
    quiet: set[Node] = set()
    for node in tree.nodes[1:]:
        parent = node.parent
        if parent is None:
            continue
        node.swallowed = parent.swallowed or parent in quiet
        if node in silencing:
            # Only what comes after it in the same block is meant.
            quiet.add(parent)


def _recovers(deferred: Node, calls: dict[Node, Call], panics: set[Node]) -> bool:
    """Whether a deferred call drops the panics of its function."""
    names = [calls[node].names for node in below(deferred) if node in calls]
    if ("recover",) not in names or any(name and name[-1] in _REPORTING for name in names):
        return False
    function = next((around for around in islice(deferred.ancestors(), FAR) if around.kind in FUNCTIONS), None)
    return function not in panics
