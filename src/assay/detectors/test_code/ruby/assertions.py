"""The assertions of a Ruby file, each with the scope it stands in."""

import re

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.chains import Link, chain
from assay.detectors.test_code.conditions import RUBY_FALSY, condition_demands
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.guarded import is_guarded
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.pending_assertions import Nesting, PendingAssertions
from assay.detectors.test_code.ruby import asserts, matchers
from assay.detectors.test_code.ruby.flow import RubyRules, handler
from assay.detectors.test_code.ruby.text import ruby_words
from assay.detectors.test_code.ruby.values import Values
from assay.detectors.test_code.scopes import Role, Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined

_TO = frozenset(("to", "not_to", "to_not", "should", "should_not"))


_EXPECTING = frozenset((("expect",), ("expect_any_instance_of",), ("is_expected",), ("are_expected",)))
_FAILING = frozenset(("raise", "fail", "flunk"))
_OPERATOR = re.compile(r"\s*(==|===|=~|>=|<=|>|<|!=)\s*")
_CUSTOM = re.compile(r"(?:expect|verify|check)_\w+\Z")
ASSERTING = frozenset(("call", "identifier"))
"""Kinds of nodes that may assert."""
_LONGEST = 20_000


class Assertions:
    """Collects assertions while the tree is walked, and hands them over when it is known what is swallowed."""

    def __init__(self, tree: Tree, values: Values, calls: dict[Node, Call], rules: RubyRules) -> None:
        self._tree = tree
        self._values = values
        self._calls = calls
        self._rules = rules
        self._pending = PendingAssertions(tree, values.named_values)
        self._nesting = Nesting()
        self.loud: set[Node] = set()

    def visit(self, node: Node, scope: Scope) -> None:
        call = self._calls.get(node)
        if call is not None:
            if call.outermost and scope.role is not Role.FILE and not self._nesting.is_too_deep(node):
                self._visit_call(call, scope)
            return
        if node.kind != "identifier" or node.parent in self._calls:
            return
        word = self._tree.source(node)
        if word in _FAILING:
            self._fails(node, scope)
        elif word == "pass" and scope.role is Role.TEST:
            self._add(node, scope, word, Demand(Strength.VACUOUS, ""))

    def _visit_call(self, call: Call, scope: Scope) -> None:
        names = call.names
        last = names[-1] if names else ""
        if call.inner is None and len(names) == 1 and last in _FAILING:
            self._fails(call.node, scope)
        elif call.root.names in _EXPECTING or (names[:1] == ("is_expected",) and last in _TO):
            self._expect(call, scope)
        elif "should" in names or last == "should_not":
            self._should(call, scope)
        elif asserts.is_expectation(last):
            self._must(call, last, scope)
        elif call.inner is None and len(names) == 1:
            self._plain_call(call, last, scope)

    def _plain_call(self, call: Call, name: str, scope: Scope) -> None:
        """A method that asserts by its name."""
        if asserts.is_assertion(name):
            self._assert(call, name, scope)
        elif _CUSTOM.match(name):
            self._custom(call, scope)

    def _expect(self, call: Call, scope: Scope) -> None:
        found = self._words(call.node)
        links = chain(found)
        last = links[-1].names[-1] if links and links[-1].names else ""
        if asserts.is_expectation(last):
            self._must(call, last, scope)
            return
        subject = links[0].argument(0) if links and links[0].names[-1:] not in (("to",), ("not_to",)) else []
        for link in links:
            word = next((name for name in link.names if name in _TO), None)
            if word is not None:
                matched = subject or ["subject"], link.argument(0), "not" in word
                for demand in matchers.demands_of(*matched, self._values.constants):
                    self._add(call.node, scope, joined(found), demand)
                return
        if call.root.names[0] == "expect" and not _is_kept(call.node):
            self._add(call.node, scope, joined(found), Demand(Strength.VACUOUS, joined(subject)))

    def _should(self, call: Call, scope: Scope) -> None:
        """``x.should eq 3``, ``x.should == 3`` and, inside of an example, ``should be_valid``."""
        found = self._words(call.node)
        links = chain(found)
        if not links or not links[-1].names:
            return
        names = links[-1].names
        word = next((name for name in names if name in ("should", "should_not")), "")
        subject = self._before(found, word)
        matcher = links[-1].argument(0)
        if not matcher:
            matcher = self._operator(call.node)
            found = [*found, *matcher[1:]]
        demand = matchers.demand_of(subject, matcher, word == "should_not", self._values.constants)
        self._add(call.node, scope, joined(found), demand)

    def _before(self, found: list[str], word: str) -> list[str]:
        at = found.index(word) if word in found else 0
        return found[: at - 1] if at > 1 else ["subject"]

    def _operator(self, node: Node) -> list[str]:
        """What follows ``x.should``: an operator and its right side, as a matcher."""
        match = _OPERATOR.match(self._tree.text, node.end)
        around = node.parent
        if match is None or around is None or around.kind != "binary":
            return []
        return ["be", match[1], *ruby_words(self._tree, match.end(), min(around.end, match.end() + _LONGEST))]

    def _assert(self, call: Call, name: str, scope: Scope) -> None:
        found = self._words(call.node)
        link = chain(found)[0] if found else Link(())
        demand = asserts.demand_of(name, link.arguments or [], self._values.constants)
        self._add(call.node, scope, joined(found), demand, function=name)

    def _must(self, call: Call, name: str, scope: Scope) -> None:
        found = self._words(call.node)
        links = chain(found)
        given = links[-1].arguments or [] if links else []
        subject = self._before(found, name)
        wrapped = chain(subject)
        if len(wrapped) == 1 and wrapped[0].names in (("_",), ("value",), ("expect",)) and wrapped[0].argument(0):
            subject = wrapped[0].argument(0)
        demand = asserts.expectation_demand(name, subject, given, self._values.constants)
        self._add(call.node, scope, joined(found), demand)

    def _custom(self, call: Call, scope: Scope) -> None:
        """``expect_valid(got)``: a method that asserts by its name, and is written elsewhere."""
        found = self._words(call.node)
        link = chain(found)[0]
        self._add(
            call.node,
            scope,
            joined(found),
            Demand(Strength.SHAPE, link.text(0) or "", link.text(1)),
            function=call.names[-1],
        )

    def _fails(self, node: Node, scope: Scope) -> None:
        """``raise "wrong" if got != 3`` asserts the opposite of its condition; in a rescue it makes it loud."""
        if node.dead:
            return
        rescue = handler(node)
        if rescue is not None:
            self.loud.add(rescue)
            return
        guard = node.parent
        if guard is not None and guard.kind == "then":
            guard = guard.parent
        if (
            guard is None
            or guard.kind not in ("if", "unless", "if_modifier", "unless_modifier")
            or scope.role is not Role.TEST
        ):
            return
        holds = guard.kind.startswith("unless")
        for found in condition_demands(self._rules.head(guard), self._values.constants, holds, RUBY_FALSY):
            text = f"{'unless' if holds else 'if'} {found.text} fail"
            self._pending.add(guard, scope, text, found.demand)

    def _add(self, node: Node, scope: Scope, text: str, demand: Demand, function: str = "") -> None:
        self._pending.add(node, scope, text, demand, function=function)
        rescue = handler(node)
        if rescue is not None and demand.strength >= Strength.SHAPE and not node.dead and "rror)" not in text:
            self.loud.add(rescue)

    def _words(self, node: Node) -> list[str]:
        self._nesting.enter(node.end)
        return ruby_words(self._tree, node.start, min(node.end, node.start + _LONGEST))

    def hand_over(self, functions: set[str]) -> None:
        """Put every assertion into its scope. ``functions`` are those of the file."""
        self._pending.hand_over(functions, lambda node: node.dead, self._is_guarded)

    def _is_guarded(self, node: Node) -> bool:
        return is_guarded(self._tree, node, self._rules.conditions)


def _is_kept(node: Node) -> bool:
    """Whether an expectation is given a name or handed on, so that it may be asked later."""
    return node.parent is not None and node.parent.kind in ("assignment", "argument_list")
