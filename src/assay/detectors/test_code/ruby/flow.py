"""What never runs in Ruby, and whose failure is dropped."""

import re
from itertools import islice

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.conditions import RUBY_FALSY, truth
from assay.detectors.test_code.guarded import Conditions
from assay.detectors.test_code.ruby.text import BLOCKS, ruby_words, words_of
from assay.detectors.test_code.ruby.values import LOOPS, Values
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import simplified

FAR = 200
METHODS = frozenset(("method", "singleton_method"))
_EXITS = frozenset(("return", "break", "next"))
_LEAVING = frozenset(("raise", "exit", "abort", "exit!", "throw"))
_KEYWORD = {
    "if_modifier": "if",
    "unless_modifier": "unless",
    "rescue_modifier": "rescue",
    "while_modifier": "while",
    "until_modifier": "until",
}
_PATTERNS = {kind: re.compile(rf"\b{word}\b") for kind, word in _KEYWORD.items()}
_NEGATIVE = frozenset(("unless", "unless_modifier", "until", "until_modifier"))
_BROAD = re.compile(
    r"\b(?:Exception|StandardError|Assertion\w*|ExpectationNotMetError|AssertionFailedError|Object)\b"
)
_CLAUSES = frozenset(("rescue", "ensure", "else", "exceptions", "method_parameters"))
_LONGEST = 2000


class RubyRules:
    """The rules of ``flow`` for Ruby."""

    sequences = (
        frozenset(("", "begin", "then", "else", "ensure", "rescue", "when", "class", "module")) | BLOCKS | METHODS
    )
    clauses = frozenset(("else", "rescue", "ensure", "when", *METHODS, "class", "module"))
    branching = frozenset(("if", "unless", "elsif", "while", "until", "call", *_KEYWORD))
    ending = _EXITS | {"call", "identifier"}

    def __init__(self, tree: Tree, calls: dict[Node, Call], values: Values) -> None:
        self._tree = tree
        self._calls = calls
        self._values = values
        self._conditions: dict[Node, bool | None] = {}
        self._keywords: dict[Node, int] = {}

    def keyword(self, node: Node) -> int:
        """Where the keyword of a modifier stands: the first that is in none of its parts."""
        if node not in self._keywords:
            first = node.children[0] if node.children else None
            at = first.end if first is not None and first.start == node.start else node.start
            self._keywords[node] = self._find(_PATTERNS[node.kind], node, at)
        return self._keywords[node]

    def _find(self, pattern: re.Pattern[str], node: Node, at: int) -> int:
        for child in node.children:
            match = pattern.search(self._tree.text, at, child.start) if child.start > at else None
            if match is not None:
                return match.start()
            at = max(at, child.end)
        match = pattern.search(self._tree.text, at, node.end)
        return match.start() if match is not None else node.end

    def head(self, node: Node) -> list[str]:
        """The words of a condition."""
        if node.kind in _KEYWORD:
            start, end = self.keyword(node) + len(_KEYWORD[node.kind]), node.end
        else:
            body = node.child("then", "else", "elsif")
            start = node.start + (0 if node.kind == "conditional" else len(node.kind))
            end = body.start if body is not None else node.end
        found = ruby_words(self._tree, start, min(end, start + _LONGEST))
        if node.kind == "conditional" and "?" in found:
            found = found[: found.index("?")]
        return simplified(found)

    def condition(self, node: Node) -> bool | None:
        """Whether the branch behind a condition always or never runs."""
        if node not in self._conditions:
            always = truth(self.head(node), self._values.constants, RUBY_FALSY)
            self._conditions[node] = always if always is None or node.kind not in _NEGATIVE else not always
        return self._conditions[node]

    @property
    def conditions(self) -> Conditions:
        return Conditions(METHODS | BLOCKS, self._is_lone_branch, self.head, self._repeats)

    def _is_lone_branch(self, node: Node, parent: Node) -> bool:
        if parent.kind in ("if_modifier", "unless_modifier"):
            return node.start < self.keyword(parent) and self.condition(parent) is None
        if parent.kind not in ("if", "unless") or node.kind != "then":
            return False
        return parent.child("else", "elsif") is None and self.condition(parent) is None

    def _repeats(self, node: Node) -> bool:
        if node.kind in ("while", "until", "for"):
            return True
        call = self._calls.get(node)
        return call is not None and call.names[-1:] != () and call.names[-1] in LOOPS

    def never_runs(self, node: Node) -> bool:
        parent = node.parent
        if parent is None:
            return False
        if parent.kind in ("if", "unless", "elsif"):
            if node.kind not in ("then", "else", "elsif"):
                return False
            return self.condition(parent) is (node.kind != "then")
        if parent.kind in _KEYWORD and parent.kind != "rescue_modifier":
            return node.start < self.keyword(parent) and self.condition(parent) is False
        if parent.kind in ("while", "until"):
            return self._line_condition(parent) is False
        return node.kind in BLOCKS and self._loops_over_nothing(parent)

    def _line_condition(self, node: Node) -> bool | None:
        """The condition of a loop is on its first line."""
        if node not in self._conditions:
            line = self._tree.text[node.start + 5 : min(node.end, node.start + 500)].split("\n", 1)[0]
            always = truth(words_of(line.strip().removesuffix(" do")), self._values.constants, RUBY_FALSY)
            self._conditions[node] = always if always is None or node.kind == "while" else not always
        return self._conditions[node]

    def _loops_over_nothing(self, node: Node) -> bool:
        call = self._calls.get(node)
        if call is None or call.inner is not None:
            return False
        first = node.children[0]
        if first.kind not in ("array", "hash") or first.start != node.start:
            return len(call.names) == 2 and call.names[1] in LOOPS and self._values.loop(node, call.names[0]) == 0
        return self._values.loop(node, "") == 0

    def ends(self, node: Node) -> bool:
        if node.kind in _EXITS:
            return True
        call = self._calls.get(node)
        if call is not None:
            return (
                call.inner is None and call.names[:1] != () and call.names[0] in _LEAVING and len(call.names) == 1
            )
        return node.kind == "identifier" and self._tree.source(node) in _LEAVING and not self._called(node)

    def _called(self, node: Node) -> bool:
        """Whether a word is the name of a call that is a node itself, or of a hash's key."""
        parent = node.parent
        return parent is not None and (parent in self._calls or parent.kind == "argument_list")

    def ends_parent(self, node: Node, parent: Node, ended: set[Node]) -> bool:
        if node.kind in ("break", "next"):
            return False
        if parent.kind in ("if_modifier", "unless_modifier"):
            return node.start < self.keyword(parent) and self.condition(parent) is True
        if parent.kind in ("if", "unless"):
            branches = [child for child in parent.children if child.kind in ("then", "else", "elsif")]
            always = self.condition(parent)
            if always is not None:
                return always is (node.kind == "then")
            return len(branches) > 1 and all(branch in ended for branch in branches)
        return False

    def hoisted(self, node: Node) -> bool:
        return node.kind in METHODS or node.kind in ("rescue", "ensure", "else", "method_parameters")


def mark_swallowed(tree: Tree, rules: RubyRules, loud: set[Node], tests: set[Node]) -> None:
    """Set ``swallowed`` on what runs where its failure is rescued and dropped. ``loud`` rescues drop nothing."""
    if not tree.has(frozenset(("rescue", "rescue_modifier", "ensure"))):
        return
    quiet = {node for node in tree.nodes if _drops(tree, node, loud)}
    for node in tree.nodes[1:]:
        if node.parent is not None:
            inherited = node.parent.swallowed and node not in tests
            node.swallowed = _is_rescued(node, node.parent, rules, quiet) or inherited


def _is_rescued(node: Node, parent: Node, rules: RubyRules, quiet: set[Node]) -> bool:
    if parent in quiet and node.kind not in _CLAUSES:
        return True
    return parent.kind == "rescue_modifier" and node.start < rules.keyword(parent)


def _drops(tree: Tree, node: Node, loud: set[Node]) -> bool:
    """Whether a body has a rescue that says nothing, or returns in the end whatever happened."""
    for child in node.children:
        if child.kind == "rescue" and child not in loud and _broad(tree, child):
            return True
        if child.kind == "ensure" and child.child("return") is not None:
            return True
    return False


def _broad(tree: Tree, rescue: Node) -> bool:
    """Whether a rescue takes any error there is: it names none, or one that all others are kinds of."""
    named = rescue.child("exceptions")
    return named is None or _BROAD.search(tree.source(named)) is not None


def handler(node: Node) -> Node | None:
    """The rescue that a node stands in, within its method or block."""
    for around in islice(node.ancestors(), FAR):
        if around.kind == "rescue":
            return around
        if around.kind in METHODS or around.kind in BLOCKS:
            return None
    return None
