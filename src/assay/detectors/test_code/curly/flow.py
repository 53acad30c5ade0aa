"""Which statements of a test can run, which may run, and whose failures are dropped.

One pass over the nodes in the order of the text: a statement that ends its list is met before the statements that
it keeps from running, so nothing is looked at twice.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.detectors.test_code.curly.constants import constant
from assay.detectors.test_code.curly.tokens import Tokens, mentions, split, tokens
from assay.detectors.test_code.tree import Node, Tree

_SEMICOLON = frozenset({";"})
_FARTHEST_USE = 20_000
_NEAREST = 80
_ON_NOTHING = re.compile(
    r"(?:\b(?:empty\w*|Empty)(?:::)?(?:<[^<>()]*>)?\(\)|\b(?:List|Set|Stream)\.of\(\)|IntStream\.range\(0,\s*0\)|\(0\.\.0\)|(?<![\w\])])\[\s*\]"
    r"|new\s+List<[^<>()]*>\(\))(?:\.(?:stream|iter|into_iter|ToList)\(\))?\.(?:for_?[eE]ach|ForEach|ifPresent|map|all|allMatch)\(\s*(?:async\s+)?$"
)
"""A closure for each element of something that has none."""
_BOUND = re.compile(r"(?:let\s+)?(?:mut\s+)?(\w+)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Grammar:
    """The kinds of nodes by which a language's statements are told apart."""

    statements: frozenset[str]
    """Whatever can be the body or a branch of another statement."""
    lists: frozenset[str]
    """Statements one after another."""
    ifs: frozenset[str]
    loops: frozenset[str]
    """Those whose body may run not at all."""
    each: frozenset[str]
    """Loops over the elements of something."""
    alternatives: frozenset[str]
    """Branches of which one runs: cases, arms, handlers."""
    passing: frozenset[str]
    """Statements that run what is in them exactly once, or at least once."""
    tries: frozenset[str]
    ends: frozenset[str]
    breaks: frozenset[str]
    closures: frozenset[str]
    bindings: frozenset[str]
    local_functions: frozenset[str]
    calls: frozenset[str]
    """Where a call that never comes back would stand."""
    exits: re.Pattern[str]
    """How such a call begins."""
    nothing: re.Pattern[str]
    """Things that have no elements, as they stand at the end of a loop's head."""


Swallows = Callable[[Tree, Node], bool]


@dataclass(slots=True)
class Flow:
    """Marks the nodes of one tree."""

    tree: Tree
    grammar: Grammar
    names: Mapping[str, bool]
    swallows: Swallows | None = None
    optional: frozenset[int] = frozenset()
    """Nodes, by ``id``, that some builds leave out."""
    values: dict[int, bool | None] = field(default_factory=dict)
    ended_branches: dict[int, int] = field(default_factory=dict)

    def mark(self) -> None:
        for node in self.tree.nodes[1:]:
            parent = node.parent
            if parent is not None:
                self._mark_one(node, parent)

    def _mark_one(self, node: Node, parent: Node) -> None:
        hoisted = node.kind in self.grammar.local_functions and parent.kind in self.grammar.lists
        self._inherit(node, parent, hoisted)
        if self._may_skip(parent):
            self._enter_branch(node, parent)
        elif self._is_tried(node, parent):
            caught = self.swallows is not None and self.swallows(self.tree, parent)
            node.swallowed = node.swallowed or caught
        if not node.dead:
            self._mark_ends(node, parent, hoisted)

    def _inherit(self, node: Node, parent: Node, hoisted: bool) -> None:
        """What is true of the code around a node is true of the node."""
        node.dead = node.dead or parent.dead or (parent.ended and not hoisted)
        if node.kind in self.grammar.closures and not node.dead:
            before = self.tree.text[max(0, node.start - _NEAREST) : node.start]
            node.dead = _ON_NOTHING.search(before) is not None
        node.swallowed = node.swallowed or parent.swallowed
        node.conditional = (
            parent.conditional
            or parent.kind in self.grammar.alternatives
            or (bool(self.optional) and id(node) in self.optional)
        )

    def _may_skip(self, node: Node) -> bool:
        """Can a statement leave out its body?"""
        grammar = self.grammar
        return node.kind in grammar.ifs or node.kind in grammar.loops or node.kind in grammar.each

    def _is_tried(self, node: Node, parent: Node) -> bool:
        """Is this the body of a try statement?"""
        grammar = self.grammar
        return parent.kind in grammar.tries and node.kind in grammar.lists and parent.child(node.kind) is node

    def _mark_ends(self, node: Node, parent: Node, hoisted: bool) -> None:
        """What a node that runs does to itself and to what comes after it."""
        grammar = self.grammar
        if hoisted or (node.kind in grammar.closures and parent.kind in grammar.bindings):
            node.dead = self._is_unused(node, parent)
        elif self._leaves(node):
            self._end(node, hard=True)
        elif node.kind in grammar.breaks:
            self._end(node, hard=False)

    def _leaves(self, node: Node) -> bool:
        """Does a statement leave the function, or the program?"""
        grammar = self.grammar
        if node.kind in grammar.ends:
            return True
        return node.kind in grammar.calls and grammar.exits.match(self.tree.text, node.start) is not None

    def _enter_branch(self, node: Node, parent: Node) -> None:
        """A branch runs always, never or now and then."""
        if node.kind not in self.grammar.statements:
            return
        value = self.value(parent)
        first = parent.child(*self.grammar.statements) is node
        if value is None or parent.kind not in self.grammar.ifs:
            node.conditional = True
        node.dead = node.dead or (value is False and first) or (value is True and not first)

    def value(self, node: Node) -> bool | None:
        """What the condition of a branch or a loop always comes to."""
        if id(node) not in self.values:
            self.values[id(node)] = self._value(node)
        return self.values[id(node)]

    def _value(self, node: Node) -> bool | None:
        body = node.child(*self.grammar.statements)
        head = self.tree.text[node.start : body.start if body else node.end].rstrip()
        if node.kind in self.grammar.each:
            return False if self.grammar.nothing.search(head) else None
        parts = tokens(head)[1:]
        if parts[:1] == ["("] and len(pieces := split(parts[1:-1], _SEMICOLON)) == 3:
            return False if _never_begins(pieces[0], pieces[1]) else constant(pieces[1], self.names) and None
        value = constant(parts, self.names)
        # A loop that never stops by itself is common; what counts is whether its body runs.
        return None if value and node.kind in self.grammar.loops else value

    def is_guarded(self, node: Node, function: Node) -> bool:
        """Does a statement run only under a condition, with nothing in its place otherwise?

        A condition on the function's own parameters chooses among cases, and so may one in a loop.
        """
        inside, guarded = node, False
        for around in node.ancestors():
            if around is function or around.kind in self.grammar.loops or around.kind in self.grammar.each:
                return guarded and around is function
            if around.kind in self.grammar.ifs and inside.kind in self.grammar.statements:
                guarded = guarded or self._is_way_out(around, function)
            inside = around
        return guarded

    def _is_way_out(self, branch: Node, function: Node) -> bool:
        bodies = [child for child in branch.children if child.kind in self.grammar.statements]
        if len(bodies) != 1 or self.value(branch) is not None:
            return False
        asked = set(_WORD.findall(self.tree.text[branch.start : bodies[0].start])) - {
            "if",
            "null",
            "true",
            "false",
        }
        body = function.child(*self.grammar.lists)
        head = self.tree.text[function.start : body.start if body else function.start].rpartition("(")[2]
        return not asked <= set(_WORD.findall(head))

    def _end(self, node: Node, hard: bool) -> None:
        """Nothing after this statement runs, nor after those around it that always come to it."""
        grammar = self.grammar
        while (holder := node.parent) is not None and id(node) not in self.optional:
            if holder.kind in grammar.lists:
                holder.ended = True
            elif holder.kind in grammar.ifs:
                if not self._ends_all_branches(node, holder):
                    return
            elif holder.kind in grammar.tries:
                if holder.child(*grammar.alternatives) is not None:
                    return
            elif not self._passes_on(node, holder, hard):
                return
            node = holder

    def _passes_on(self, node: Node, holder: Node, hard: bool) -> bool:
        """Does an end in a statement end the statement? A break ends no more than what is around it."""
        if holder.kind not in self.grammar.passing:
            return False
        return hard if holder.kind in self.grammar.statements else holder.start == node.start

    def _ends_all_branches(self, node: Node, holder: Node) -> bool:
        if node.kind not in self.grammar.statements:
            return False
        if self.value(holder) is not None:
            return True
        ended = self.ended_branches[id(holder)] = self.ended_branches.get(id(holder), 0) + 1
        return ended >= 2

    def _is_unused(self, node: Node, parent: Node) -> bool:
        """Is this a local function or a closure with a name that nothing mentions again?"""
        tree, start = self.tree, parent.start
        if node.kind in self.grammar.local_functions:
            start, named = node.start, _local_name(tree.source(node)[:400])
        else:
            if tree.text[node.end : parent.end].strip(" ;\n"):
                return False
            found = _BOUND.match(tree.text, parent.start)
            named = found[1] if found else ""
        if not named or parent.end - start > _FARTHEST_USE:
            return False
        function = next((around for around in node.ancestors() if around.kind in self.grammar.lists), parent)
        text = tree.text[
            max(function.start, node.start - _FARTHEST_USE) : min(function.end, node.end + _FARTHEST_USE)
        ]
        return not mentions(text, named, times=2)


def _never_begins(start: Tokens, condition: Tokens) -> bool:
    """Is the condition of a counting loop false before its first round?"""
    if "=" not in start or not condition:
        return constant(condition, {}) is False
    name, first = start[start.index("=") - 1], start[start.index("=") + 1 :]
    return constant([part for part in condition for part in (first if part == name else [part])], {}) is False


def _local_name(head: str) -> str:
    """The name of a function: the word before its first parameter list."""
    before = head.split("(", 1)[0].split("<", 1)[0]
    words = _WORD.findall(before)
    return words[-1] if words else ""
