"""The assertions of a Go file, each with the scope it stands in."""

import re
from dataclasses import replace
from itertools import islice

from assay.detectors.test_code.calls import Call, Names
from assay.detectors.test_code.case_rows import rows_of
from assay.detectors.test_code.chains import Link, chain
from assay.detectors.test_code.conditions import comparison, condition_demands, number
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.go import gomega, testify
from assay.detectors.test_code.go.flow import FAR, GoRules
from assay.detectors.test_code.go.text import CASES, FUNCTIONS, words_of
from assay.detectors.test_code.go.values import PACKAGES, Values
from assay.detectors.test_code.guarded import is_guarded
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.pending_assertions import Nesting, PendingAssertions
from assay.detectors.test_code.scopes import Role, Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined

_FAILS = frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))


_MAKERS = frozenset(("Require", "Assert", "New"))
_ERROR = re.compile(r"(?:\w*[eE]rr|.*\.Err\(\)|\w*[eE]rror)\Z")
_CUSTOM = re.compile(
    r"(?=\w*+\Z)(?:\w*[a-z])?(?:assert|require|expect|verify|check|must|equal|compare|diff)", re.IGNORECASE
)
_LONGEST = 20_000


class Assertions:
    """Collects assertions while the tree is walked, and hands them over when it is known what is swallowed."""

    def __init__(self, tree: Tree, values: Values, calls: dict[Node, Call], rules: GoRules) -> None:
        self._tree = tree
        self._values = values
        self._calls = calls
        self._rules = rules
        self._pending = PendingAssertions(tree, values.named_values)
        self._nesting = Nesting()
        self._guards: set[Node] = set()
        self._gone_through: set[Node] = set()
        self.panics: set[Node] = set()

    def visit(self, node: Node, scope: Scope, owners: set[str]) -> None:
        call = self._calls.get(node)
        if call is None or not call.outermost or scope.role is Role.FILE or not call.names:
            return
        if not self._nesting.is_too_deep(node):
            self._visit_call(call, scope, owners)

    def _visit_call(self, call: Call, scope: Scope, owners: set[str]) -> None:
        last = call.names[-1]
        if last in _FAILS and self._is_handle(call, owners):
            self._guard(call, scope)
        elif _ends_in(call.root.names, gomega.STARTS):
            self._gomega(call, scope)
        elif testify.plain_name(last) in testify.METHODS or last == "Check":
            self._testify(call, owners, scope)
        elif call.inner is None and _CUSTOM.match(last):
            self._custom(call, scope)

    def _custom(self, call: Call, scope: Scope) -> None:
        """``checkEqual(t, got, want)``: a function that asserts by its name and is handed the ``t``."""
        found = self._words(call.node)
        given = chain(found)[-1].arguments or []
        if not given or joined(given[0]) not in self._values.handles:
            return
        texts = [joined(part) for part in given[1:3]] + ["", ""]
        self._pending.add(
            call.node,
            scope,
            joined(found),
            Demand(Strength.SHAPE, texts[0], texts[1] or None),
            function=call.names[-1],
        )

    def _is_handle(self, call: Call, owners: set[str]) -> bool:
        if call.inner is not None:
            return call.inner.names[-1:] in (("T",), ("GinkgoT",))
        return len(call.names) > 1 and (call.names[0] in self._values.handles or call.names[0] in owners)

    def _gomega(self, call: Call, scope: Scope) -> None:
        words = self._words(call.node)
        self._pending.add(call.node, scope, joined(words), gomega.demand_of(chain(words)))

    def _testify(self, call: Call, owners: set[str], scope: Scope) -> None:
        base = call.root.names[0] if call.root.names else ""
        through = call.inner is not None and _ends_in(call.inner.names, _MAKERS)
        known = len(call.names) > 1 and base in self._values.helpers | owners | self._values.handles
        if not through and not known:
            return
        words = self._words(call.node)
        link = chain(words)[-1]
        if through:
            given, fake = link.arguments or [], "testing.T" in joined(words[:12])
        elif base in PACKAGES:
            given, fake = self._without_handle(link)
        else:
            given, fake = link.arguments or [], False
        demand = self._testified(testify.plain_name(call.names[-1]), given)
        self._pending.add(call.node, scope, joined(words), demand, lost=fake)

    def _testified(self, method: str, given: list[list[str]]) -> Demand:
        if method in ("Assert", "Check") and len(given) > 1:
            return testify.checker_demand(given)
        if method == "Check":
            return testify.condition(given[0] if given else [], True, self._values.constants)
        return testify.demand_of(method, given, self._values.constants)

    def _without_handle(self, link: Link) -> tuple[list[list[str]], bool]:
        """The arguments without the ``t``, and whether that ``t`` is a fake one."""
        given = link.arguments or []
        if not given:
            return given, False
        first = joined(given[0])
        if "testing.T" in first or first in self._values.fake_names:
            return given[1:], True
        is_handle = first in self._values.handles or first.endswith(".T()") or first == "GinkgoT()"
        return (given[1:] if is_handle else given), False

    def _guard(self, call: Call, scope: Scope) -> None:
        """``if got != want { t.Errorf(…) }`` asserts the opposite of its condition."""
        branch = call.node
        for around in islice(call.node.ancestors(), FAR):
            if around.kind == "if_statement":
                self._if(around, branch, scope)
                return
            if around.kind in CASES or around.kind in FUNCTIONS:
                break
            branch = around
        text = joined(self._words(call.node))
        self._pending.add(call.node, scope, text, Demand(Strength.SHAPE, "reached"))
        self.panics.update(islice((around for around in call.node.ancestors() if around.kind in FUNCTIONS), 1))

    def _if(self, guard: Node, branch: Node, scope: Scope) -> None:
        holds = branch is not guard.child("block")
        if guard in self._guards and not holds:
            return
        self._guards.add(guard)
        init = self._init(guard)
        for found in condition_demands(self._rules.head(guard), self._values.constants, holds):
            demand = self._demand_of(found.text, found.demand, init, holds)
            text = f"if {found.text} {'' if holds else 'fail'}".rstrip()
            # The condition itself runs whenever the statement does.
            self._pending.add(guard, scope, text, demand)

    def _init(self, guard: Node) -> list[str]:
        """What is assigned right before the condition: ``diff := cmp.Diff(want, got)``."""
        first = guard.child("short_var_declaration")
        block = guard.child("block")
        if first is None or block is None or first.start > block.start:
            return []
        return words_of(self._tree.source(first)[:_LONGEST])

    def _demand_of(self, text: str, demand: Demand, init: list[str], holds: bool) -> Demand:
        """What Go's own idioms mean."""
        words = words_of(text)
        while words[:1] == ["!"]:
            words, holds = words[1:], not holds
        called = testify.called_equality(words)
        if called is not None:
            return called if holds else replace(called, strength=min(called.strength, Strength.SHAPE))
        tolerance = _tolerance(words)
        if tolerance is not None and not holds:
            strength = demand.strength if demand.strength is Strength.VACUOUS else Strength.CLOSE
            return replace(demand, strength=strength, tolerance=tolerance)
        if demand.expected == "nil" and _ERROR.match(demand.subject):
            return replace(demand, strength=_error_strength(words, holds))
        if demand.expected == '""' and "Diff" in init:
            return _of_diff(init, demand)
        return demand

    def _words(self, node: Node) -> list[str]:
        self._nesting.enter(node.end)
        return words_of(self._tree.text[node.start : min(node.end, node.start + _LONGEST)])

    def hand_over(self, functions: set[str]) -> None:
        """Put every assertion into its scope. ``functions`` are those of the file."""
        self._pending.hand_over(functions, lambda node: node.dead, self._is_guarded, then=self._loops)

    def _is_guarded(self, node: Node) -> bool:
        return is_guarded(self._tree, node, self._rules.conditions)

    def _loops(self, node: Node, scope: Scope) -> None:
        """A test that loops over a table runs once for each of its rows, and each row says what it wants."""
        # The outer test has as many cases, whether its loop makes subtests of them or not.
        outer = scope.parent if scope.parent is not None and scope.parent.role is Role.TEST else None
        owner = scope
        for around in islice(node.ancestors(), FAR):
            if around.kind in FUNCTIONS:
                if around.kind != "func_literal" or outer is None:
                    return
                owner = outer
            if around.kind == "for_statement" and scope.role is Role.TEST and not around.dead:
                self._count_rows(around, owner)

    def _count_rows(self, loop: Node, owner: Scope) -> None:
        if owner.rows == 1:
            owner.rows = self._rules.loop_count(loop) or 1
        self._rows(loop, owner)

    def _rows(self, loop: Node, scope: Scope) -> None:
        table = self._rules.table(loop)
        if table is None or loop in self._gone_through:
            return
        self._gone_through.add(loop)
        rows, line = self._values.rows(table) or [], self._tree.line(table.start)
        scope.assertions.extend(rows_of(line, rows, self._values.fields(table)))


def _ends_in(names: Names, words: frozenset[str]) -> bool:
    return names[-1:] != () and names[-1] in words


def _error_strength(words: list[str], holds: bool) -> Strength:
    """That there is no error is the least one can ask; that there is one is a property."""
    wanted = comparison(words)
    absent = wanted is not None and (wanted.operator == "==") is holds
    return Strength.PRESENCE if absent else Strength.SHAPE


def _of_diff(init: list[str], demand: Demand) -> Demand:
    """``diff := cmp.Diff(want, got); diff != ""`` compares what it makes the difference of."""
    link = chain(init[init.index(":=") + 1 :] if ":=" in init else init)[-1]
    return Demand(demand.strength, link.text(1) or demand.subject, link.text(0))


def _tolerance(words: list[str]) -> float | None:
    """``math.Abs(got - want) > 1e-9`` fails outside a tolerance."""
    compared = comparison(words)
    if compared is None or compared.operator not in (">", ">="):
        return None
    absolute = compared.left[:4] == ["math", ".", "Abs", "("] or compared.left[:2] == ["abs", "("]
    return number(compared.right) if absolute else None
