"""The assertions of a Go file, each with the scope it stands in."""

import re
from dataclasses import replace
from itertools import islice

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.case_rows import rows_of
from assay.detectors.test_code.chains import Link, chain
from assay.detectors.test_code.conditions import comparison, demands, number
from assay.detectors.test_code.found import Found, Nesting
from assay.detectors.test_code.go import gomega, testify
from assay.detectors.test_code.go.flow import FAR, GoRules
from assay.detectors.test_code.go.text import CASES, FUNCTIONS, words_of
from assay.detectors.test_code.go.values import PACKAGES, Values
from assay.detectors.test_code.judged import Judged
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.scopes import Role, Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined

_FAILS = frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))
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
        self._found: list[Found] = []
        self._nesting = Nesting()
        self._guards: set[Node] = set()
        self._gone_through: set[Node] = set()
        self.panics: set[Node] = set()

    def visit(self, node: Node, scope: Scope, owners: set[str]) -> None:
        call = self._calls.get(node)
        if call is None or not call.outermost or scope.role is Role.FILE or not call.names:
            return
        if self._nesting.is_too_deep(node):
            return
        root, last = call.root.names, call.names[-1]
        if last in _FAILS and self._is_handle(call, owners):
            self._guard(call, scope)
        elif root[-1:] and root[-1] in gomega.STARTS:
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
        self._add(call.node, scope, joined(found), Judged(Strength.SHAPE, texts[0], texts[1] or None))
        self._found[-1].function = call.names[-1]

    def _is_handle(self, call: Call, owners: set[str]) -> bool:
        if call.inner is not None:
            return call.inner.names[-1:] in (("T",), ("GinkgoT",))
        return len(call.names) > 1 and (call.names[0] in self._values.handles or call.names[0] in owners)

    def _gomega(self, call: Call, scope: Scope) -> None:
        words = self._words(call.node)
        self._add(call.node, scope, joined(words), gomega.judge(chain(words)))

    def _testify(self, call: Call, owners: set[str], scope: Scope) -> None:
        base = call.root.names[0] if call.root.names else ""
        method = testify.plain_name(call.names[-1])
        through = call.inner is not None and call.inner.names[-1:] in (("Require",), ("Assert",), ("New",))
        if not through and (
            len(call.names) < 2 or base not in self._values.helpers | owners | self._values.handles
        ):
            return
        words = self._words(call.node)
        link = chain(words)[-1]
        given, fake = (
            self._without_handle(link) if not through and base in PACKAGES else (link.arguments or [], False)
        )
        if method in ("Assert", "Check") and len(given) > 1:
            judged = testify.judge_checker(given)
        elif method == "Check":
            judged = testify.condition(given[0] if given else [], True, self._values.constants)
        else:
            judged = testify.judge(method, given, self._values.constants)
        fake = fake or (through and "testing.T" in joined(words[:12]))
        self._add(call.node, scope, joined(words), judged, fake)

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
        self._add(call.node, scope, text, Judged(Strength.SHAPE, "reached"))
        self.panics.update(islice((around for around in call.node.ancestors() if around.kind in FUNCTIONS), 1))

    def _if(self, guard: Node, branch: Node, scope: Scope) -> None:
        holds = branch is not guard.child("block")
        if guard in self._guards and not holds:
            return
        self._guards.add(guard)
        init = self._init(guard)
        for found in demands(self._rules.head(guard), self._values.constants, holds):
            judged = self._judge(found.text, Judged(found.strength, found.subject, found.expected), init, holds)
            text = f"if {found.text} {'' if holds else 'fail'}".rstrip()
            # The condition itself runs whenever the statement does.
            self._found.append(Found(guard, scope, text, judged))

    def _init(self, guard: Node) -> list[str]:
        """What is assigned right before the condition: ``diff := cmp.Diff(want, got)``."""
        first = guard.child("short_var_declaration")
        block = guard.child("block")
        if first is None or block is None or first.start > block.start:
            return []
        return words_of(self._tree.source(first)[:_LONGEST])

    def _judge(self, text: str, judged: Judged, init: list[str], holds: bool) -> Judged:
        """What Go's own idioms mean."""
        words = words_of(text)
        while words[:1] == ["!"]:
            words, holds = words[1:], not holds
        called = testify.called_equality(words)
        if called is not None:
            return called if holds else replace(called, strength=min(called.strength, Strength.SHAPE))
        tolerance = _tolerance(words)
        if tolerance is not None and not holds:
            strength = judged.strength if judged.strength is Strength.VACUOUS else Strength.CLOSE
            return replace(judged, strength=strength, tolerance=tolerance)
        if judged.expected == "nil" and _ERROR.match(judged.subject):
            wanted = comparison(words)
            absent = wanted is not None and (wanted.operator == "==") is holds
            return replace(judged, strength=Strength.PRESENCE if absent else Strength.SHAPE)
        if judged.expected == '""' and "Diff" in init:
            link = chain(init[init.index(":=") + 1 :] if ":=" in init else init)[-1]
            return Judged(judged.strength, link.text(1) or judged.subject, link.text(0))
        return judged

    def _add(self, node: Node, scope: Scope, text: str, judged: Judged, fake: bool = False) -> None:
        self._found.append(Found(node, scope, text, judged, fake))

    def _words(self, node: Node) -> list[str]:
        self._nesting.enter(node.end)
        return words_of(self._tree.text[node.start : min(node.end, node.start + _LONGEST)])

    def hand_over(self, functions: set[str]) -> None:
        """Put every assertion into its scope. ``functions`` are those of the file."""
        for found in self._found:
            if found.function not in functions:
                found.judged = self._values.written.settled(found.judged, found.node)
                found.put(self._tree, not found.node.dead)
                self._loops(found.node, found.scope)

    def _loops(self, node: Node, scope: Scope) -> None:
        """A test that loops over a table runs once for each of its rows, and each row says what it wants."""
        in_subtest = False
        for around in islice(node.ancestors(), FAR):
            if around.kind in FUNCTIONS:
                if around.kind != "func_literal" or scope.parent is None or scope.parent.role is not Role.TEST:
                    return
                in_subtest = True
            if around.kind == "for_statement" and scope.role is Role.TEST and not around.dead:
                # The outer test has as many cases, whether its loop makes subtests of them or not.
                owner = scope.parent if in_subtest and scope.parent is not None else scope
                if owner.rows == 1:
                    owner.rows = self._rules.loop_count(around) or 1
                self._rows(around, owner)

    def _rows(self, loop: Node, scope: Scope) -> None:
        table = self._rules.table(loop)
        if table is None or loop in self._gone_through:
            return
        self._gone_through.add(loop)
        rows, line = self._values.rows(table) or [], self._tree.line(table.start)
        scope.assertions.extend(rows_of(line, rows, self._values.fields(table)))


def _tolerance(words: list[str]) -> float | None:
    """``math.Abs(got - want) > 1e-9`` fails outside a tolerance."""
    compared = comparison(words)
    if compared is None or compared.operator not in (">", ">="):
        return None
    absolute = compared.left[:4] == ["math", ".", "Abs", "("] or compared.left[:2] == ["abs", "("]
    return number(compared.right) if absolute else None
