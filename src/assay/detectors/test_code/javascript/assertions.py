"""The assertions of a JavaScript file, each with the scope it stands in."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.chains import Link, chain
from assay.detectors.test_code.conditions import condition_demands
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.guarded import is_guarded
from assay.detectors.test_code.javascript import asserts, matchers
from assay.detectors.test_code.javascript.flow import JavascriptRules, guarded_off, in_catch, is_short_circuited
from assay.detectors.test_code.javascript.names import Vocabulary
from assay.detectors.test_code.javascript.text import LEXICON, words_of
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.pending_assertions import Nesting, PendingAssertions
from assay.detectors.test_code.scopes import Role, Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined, words

_TAIL = re.compile(r"(?:\s*[?!]?\.\s*[\w$]+)*")
_THEN = (("catch",), ("then",), ("finally",))
_STATEMENTS = frozenset(("", "statement_block", "if_statement", "else_clause", "for_statement", "for_in_statement",
                         "switch_case", "switch_default", "while_statement", "do_statement"))  # fmt: skip
_FAILS = (
    ("fail",),
    ("assert", "fail"),
    ("t", "fail"),
    ("expect", "fail"),
    ("expect", "unreachable"),
    ("done", "fail"),
)
_LOCATORS = re.compile(
    r"to(?:Be(?:Visible|Hidden|Enabled|Disabled|Checked|Attached|Editable|Focused|InViewport)|"
    r"Have(?:Text|URL|Title|Count|Value|Attribute|Class|CSS|Screenshot)|ContainText|Pass)\b"
)
_CUSTOM = re.compile(r"(?:expect|assert|verify)[A-Z_]\w*\Z")
ASSERTING = frozenset(("call_expression", "throw_statement"))
"""Kinds of nodes that may assert."""
_LONGEST = 20_000
_LONGEST_KEPT = 500


@lru_cache(maxsize=4096)
def _expect_alone(source: str) -> tuple[str, Demand, bool]:
    """An assertion that nothing around it changes. Most stand in a file both before and after a change."""
    return _expect_words(words_of(source), {})


def _expect_words(found: list[str], constants: Mapping[str, str]) -> tuple[str, Demand, bool]:
    links = chain(found)
    subject = links[0].argument(0) if links else []
    return joined(found), matchers.demand_of(subject, links[1:], constants), len(links) > 1


class Assertions:
    """Collects assertions while the tree is walked, and hands them over when it is known what is swallowed."""

    def __init__(
        self, tree: Tree, vocabulary: Vocabulary, calls: dict[Node, Call], rules: JavascriptRules
    ) -> None:
        self._tree = tree
        self._vocabulary = vocabulary
        self._calls = calls
        self._rules = rules
        self._pending = PendingAssertions(tree, vocabulary.named_values)
        self._playwright = "@playwright/test" in vocabulary.modules
        self._nesting = Nesting()
        self.strong: set[Node] = set()

    def visit(self, node: Node, scope: Scope) -> None:
        if scope.role is Role.FILE:
            return
        call = self._calls.get(node)
        if call is not None:
            if call.outermost and not self._nesting.is_too_deep(node):
                self._visit_call(call, scope)
        elif node.kind == "throw_statement":
            self._guard(node, scope)

    def _visit_call(self, call: Call, scope: Scope) -> None:
        outer = call
        while call.inner is not None and call.names in _THEN:
            call = call.inner
        names = self._vocabulary.resolve(call.root.names)
        if names in _FAILS:
            self._guard(call.node, scope)
        elif names[:1] == ("expect",):
            self._expect(call, outer, names, scope)
        elif self._is_assert(names):
            self._assert(call, outer, names, scope)
        elif "should" in names or call.inner is not None:
            self._other(call, outer, scope)
        elif names and _CUSTOM.match(names[-1]):
            self._custom(call, outer, scope)

    def _is_assert(self, names: tuple[str, ...]) -> bool:
        """AVA, tape and node:test hand the assertions to the test: ``t.is``, ``t.assert.equal``."""
        if names[:1] == ("assert",) or names[:2] == ("sinon", "assert"):
            return True
        return len(names) > 1 and names[0] in ("t", "tt", "tap") and names[-1] in asserts.METHODS

    def _expect(self, call: Call, outer: Call, names: tuple[str, ...], scope: Scope) -> None:
        if names[1:] in (("assertions",), ("hasAssertions",)):
            self._count(call, names[1], scope)
            return
        if names[1:] not in ((), ("soft",), ("poll",), ("element",)):
            return
        end = call.node.end
        if call is outer:
            tail = _TAIL.match(self._tree.text, end)
            end = tail.end() if tail is not None else end
        text, demand, matched = self._read_expect(call.node.start, end)
        if not matched and self._parent_kind(outer) not in _STATEMENTS:
            return
        if "expect" in self._vocabulary.stubs:
            demand = replace(demand, strength=Strength.VACUOUS)
        self._add(call, outer, demand, scope, text)

    def _read_expect(self, start: int, end: int) -> tuple[str, Demand, bool]:
        source = self._tree.text[start:end]
        constants = self._vocabulary.constants
        by_itself = len(source) < _LONGEST_KEPT and "/" not in source and "`" not in source
        if by_itself and not any(name in source for name in constants):
            self._nesting.enter(end)
            return _expect_alone(source)
        return _expect_words(self._words(start, end), constants)

    def _count(self, call: Call, word: str, scope: Scope) -> None:
        """``expect.assertions(0)`` demands that nothing is asserted."""
        found = self._words(call.node.start, call.node.end)
        given = chain(found)[-1]
        strength = Strength.PRESENCE if word == "hasAssertions" else Strength.SHAPE
        strength = Strength.VACUOUS if given.argument(0) == ["0"] else strength
        self._add(call, call, Demand(strength, "expect." + word, given.text(0)), scope, joined(found))

    def _assert(self, call: Call, outer: Call, names: tuple[str, ...], scope: Scope) -> None:
        if call.inner is not None or call.arguments is None:
            return
        method = names[-1] if len(names) > 1 else ""
        method = "" if method == "strict" else method
        if method not in asserts.METHODS:
            return
        found = self._words(call.node.start, call.node.end)
        link = chain(found)[-1]
        demand = asserts.demand_of(method, link, self._vocabulary.constants)
        if "assert" in self._vocabulary.stubs and names[0] == "assert":
            demand = replace(demand, strength=Strength.VACUOUS)
        self._add(call, outer, demand, scope, joined(found))

    def _other(self, call: Call, outer: Call, scope: Scope) -> None:
        """``x.should.equal(3)``, ``cy.get(x).should("eq", 3)`` and ``request(app).get(path).expect(200)``."""
        if not self._mentions(call):
            return
        found = self._words(call.node.start, call.node.end)
        links = chain(found)
        for index, link in enumerate(links):
            if link.names[-1:] == ("expect",) and index and link.arguments:
                expected = ", ".join(joined(part) for part in link.arguments)
                self._add(call, outer, Demand(Strength.EXACT, "response", expected), scope, joined(found))
            elif _is_cypress(link):
                self._add(call, outer, self._cypress(links[:index], link), scope, joined(found))
            elif "should" in link.names and link.names[-1] != "should":
                subject = _before_should(links, index)
                demand = matchers.demand_of(subject, links[index:], self._vocabulary.constants)
                self._add(call, outer, demand, scope, joined(found))
                return

    def _custom(self, call: Call, outer: Call, scope: Scope) -> None:
        """``expectValid(got)``: a function that asserts by its name, and is written elsewhere."""
        found = self._words(call.node.start, call.node.end)
        link = chain(found)[-1]
        self._add(
            call,
            outer,
            Demand(Strength.SHAPE, link.text(0) or "", link.text(1)),
            scope,
            joined(found),
            function=call.names[-1],
        )

    def _mentions(self, call: Call) -> bool:
        """Whether one of a chain's calls is a word that asserts."""
        step: Call | None = call
        for _ in range(50):
            if step is None:
                return False
            if "should" in step.names or step.names[-1:] == ("expect",):
                return True
            step = step.inner
        return False

    def _cypress(self, before: list[Link], link: Link) -> Demand:
        name = link.argument(0)[0][1:-1]
        rest = Link((name.rpartition(".")[2],), (link.arguments or [])[1:])
        subject = [part.names[-1] for part in before if part.names] or ["cy"]
        demand = matchers.matcher(rest.names[-1], subject, rest, self._vocabulary.constants)
        return matchers.negate(demand, rest.names[-1]) if name.startswith("not.") else demand

    def _guard(self, node: Node, scope: Scope) -> None:
        """``if (got !== 3) throw …`` asserts the opposite of its condition."""
        parent = node.parent
        around = parent.parent if parent is not None and parent.kind == "statement_block" else parent
        if around is None or around.kind != "if_statement" or scope.role not in (Role.TEST, Role.FUNCTION):
            return
        if in_catch(node):
            return
        head = around.child("parenthesized_expression")
        if head is None or head.end - head.start > _LONGEST:
            return
        for found in condition_demands(
            self._words(head.start + 1, head.end - 1), self._vocabulary.constants, holds=False
        ):
            # The guard itself runs; only its branch depends on the condition.
            self._pending.add(around, scope, f"if {found.text} fail", found.demand)

    def _add(self, call: Call, outer: Call, demand: Demand, scope: Scope, text: str, function: str = "") -> None:
        node = call.node
        promise = demand.promise or (self._playwright and _LOCATORS.search(text) is not None)
        lost = promise and self._parent_kind(outer) in _STATEMENTS
        self._pending.add(node, scope, text, demand, lost=lost, function=function)
        if demand.strength >= Strength.SHAPE and "rror)" not in text and not node.dead:
            self.strong.add(node)

    def _parent_kind(self, call: Call) -> str:
        return call.node.parent.kind if call.node.parent is not None else ""

    def _words(self, start: int, end: int) -> list[str]:
        self._nesting.enter(end)
        return words(self._tree, LEXICON, start, min(end, start + _LONGEST))

    def hand_over(self, functions: set[str]) -> None:
        """Put every assertion into its scope. ``functions`` are those of the file."""
        self._pending.hand_over(functions, self._never_runs, self._is_guarded)

    def _is_guarded(self, node: Node) -> bool:
        return is_guarded(self._tree, node, self._rules.conditions) or is_short_circuited(self._tree, node)

    def _never_runs(self, node: Node) -> bool:
        return node.dead or guarded_off(self._tree, self._vocabulary, node)


def _is_cypress(link: Link) -> bool:
    """``.should("eq", 3)``: the matcher is a text."""
    return link.names[-1:] == ("should",) and bool(link.arguments) and link.argument(0)[0][:1] == '"'


def _before_should(links: list[Link], index: int) -> list[str]:
    """What ``should`` is asked of: the names before it in its link, or the links before that."""
    names = links[index].names
    at = names.index("should")
    if at:
        return [".".join(names[:at])]
    return [name for part in links[:index] for name in part.names] or ["it"]
