"""Which code can't run: after a return, or in a branch that is never taken.

What ends a sequence and which branch is never taken differs from language to language and comes from ``Rules``;
how the end of one piece ends the piece around it is the same everywhere.
"""

from typing import Protocol

from assay.detectors.test_code.tree import Node, Tree


class Rules(Protocol):
    """What a language adds."""

    sequences: frozenset[str]
    """Kinds of nodes whose children run one after the other."""

    clauses: frozenset[str]
    """Kinds of nodes that may stand in a sequence but are only one of its ways on: a case, a handler of errors."""

    branching: frozenset[str]
    """Kinds of nodes some of whose children may never run."""
    ending: frozenset[str]
    """Kinds of nodes that may be the last that runs."""

    def never_runs(self, node: Node) -> bool:
        """Whether a node can't run because of what it is to its parent: the body of ``if (false)``."""
        ...

    def ends(self, node: Node) -> bool:
        """Whether nothing after this node runs in its sequence: a return, an exit."""
        ...

    def ends_parent(self, node: Node, parent: Node, ended: set[Node]) -> bool:
        """Whether a parent that isn't a sequence ends with this node: both branches have ended."""
        ...

    def hoisted(self, node: Node) -> bool:
        """Whether a node counts wherever it stands: the declaration of a function."""
        ...


def mark_dead(tree: Tree, rules: Rules) -> None:
    """Set ``dead`` on every node that can't run. Parents come before children, so one pass is enough."""
    ended: set[Node] = set()
    for node in tree.nodes[1:]:
        if node.parent is None:
            continue
        node.dead = _is_dead(node, node.parent, rules, ended)
        if node.kind in rules.ending and not node.dead and rules.ends(node):
            _end(node, rules, ended)


def _is_dead(node: Node, parent: Node, rules: Rules, ended: set[Node]) -> bool:
    behind = parent in ended and parent.kind in rules.sequences and not rules.hoisted(node)
    return parent.dead or behind or (parent.kind in rules.branching and rules.never_runs(node))


def _end(node: Node, rules: Rules, ended: set[Node]) -> None:
    """Mark a node as the last that runs, and what is around it as far as that follows."""
    while node not in ended:
        ended.add(node)
        parent = node.parent
        if parent is None:
            return
        if parent.kind in rules.sequences:
            if node.kind in rules.clauses:
                return
        elif not rules.ends_parent(node, parent, ended):
            return
        node = parent
