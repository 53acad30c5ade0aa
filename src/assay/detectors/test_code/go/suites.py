"""Tests, subtests and functions of a Go file as scopes, with what skips them."""

import re
from itertools import islice

from assay.detectors.test_code.calls import Call
from assay.detectors.test_code.go import ginkgo
from assay.detectors.test_code.go.flow import FAR, GoRules
from assay.detectors.test_code.go.text import CASES, FUNCTIONS, words_of
from assay.detectors.test_code.go.values import Values
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.node_scopes import mark_certain, scope_of
from assay.detectors.test_code.scopes import Role, Scope
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import joined, split

_SIGNATURE = re.compile(
    r"func\s*(?:\(\s*(?:(?P<self>\w+)\s+)?\*?(?P<owner>\w+)(?:\[[^\]]*\])?\s*\)\s*)?(?P<name>\w+)\s*(?:\[[^\]]*\])?"
    r"\((?P<parameters>[^()]*)\)\s*(?P<results>[^{]*)"
)
_ONE_HANDLE = re.compile(r"\s*+(?:\w++\s++)?\*testing\.T\s*+,?\s*+\Z")
_MAIN_HANDLE = re.compile(r"\((\w+)\s+\*testing\.M\)")
_COLLECTED = re.compile(r"Test(?![a-z])\w*\Z")
_TESTLIKE = re.compile(r"test", re.IGNORECASE)
_OUTPUT = re.compile(r"//\s*(?:Unordered )?[Oo]utput:(.*)", re.DOTALL)
_SKIPS = frozenset(("Skip", "Skipf", "SkipNow"))
_LONGEST_HEAD = 2000


class Suites:
    """Finds the scope of every node while the tree is walked from its beginning."""

    def __init__(self, tree: Tree, values: Values, calls: dict[Node, Call], rules: GoRules) -> None:
        self._tree = tree
        self._values = values
        self._calls = calls
        self._rules = rules
        self.scopes = [Scope(Role.FILE, "", 1, tree.line(len(tree.text)))]
        self.of: dict[Node, Scope] = {tree.nodes[0]: self.scopes[0]}
        self.owners: set[str] = set()

    def visit(self, node: Node) -> Scope:
        """The scope that a node opens, or the one it stands in."""
        scope = self.of[node.parent] if node.parent is not None else self.scopes[0]
        if node.kind in ("function_declaration", "method_declaration"):
            scope = self._declaration(node)
        elif node in self._calls:
            scope = self._call(self._calls[node], scope)
        self.of[node] = scope
        return scope

    def _open(self, role: Role, name: str, node: Node, outer: Scope) -> Scope:
        scope = scope_of(self._tree, role, name, node, outer)
        self.scopes.append(scope)
        return scope

    def _declaration(self, node: Node) -> Scope:
        head = _SIGNATURE.match(self._tree.text, node.start, min(node.end, node.start + _LONGEST_HEAD))
        if head is None:
            return self._open(Role.FUNCTION, "", node, self.scopes[0])
        if head["owner"] is not None:
            return self._method(head, node)
        name = head["name"]
        if name == "TestMain":
            return self._main(node)
        if name.startswith("Example") and not head["parameters"].strip():
            return self._example(name, node)
        return self._function(name, head, node)

    def _method(self, head: re.Match[str], node: Node) -> Scope:
        """A method of a suite is a test if it takes and gives nothing."""
        self.owners.add(head["self"] or "")
        name = head["name"]
        if _COLLECTED.match(name) and not head["parameters"].strip() and not head["results"].strip():
            return self._open(Role.TEST, f"{head['owner']} > {name}", node, self.scopes[0])
        return self._open(Role.FUNCTION, name, node, self.scopes[0])

    def _function(self, name: str, head: re.Match[str], node: Node) -> Scope:
        handed = bool(_ONE_HANDLE.match(head["parameters"])) and not head["results"].strip()
        if _COLLECTED.match(name) and handed:
            return self._open(Role.TEST, name, node, self.scopes[0])
        # A function that looks like a test but is neither collected nor called is one that was put out of action.
        looks = (handed and _TESTLIKE.search(name)) or _COLLECTED.match(name)
        if looks and self._values.mentions(name) < 2:
            scope = self._open(Role.TEST, name, node, self.scopes[0])
            scope.collected = False
            return scope
        return self._open(Role.FUNCTION, name, node, self.scopes[0])

    def _main(self, node: Node) -> Scope:
        """``TestMain`` decides whether tests run and whether a failure counts."""
        scope = self._open(Role.HOOK, "TestMain", node, self.scopes[0])
        within = self._tree.within(node.start, node.end)
        calls = [self._calls[inner] for inner in within if inner in self._calls and not inner.dead]
        if not self._runs_tests(node, calls):
            self.scopes[0].skips.append(Skip("disabled", scope.line, "TestMain runs no test"))
        elif self._drops_result(node, calls):
            why = "TestMain always exits with 0"
            self.scopes[0].skips.append(Skip("disabled", scope.line, why))
        return scope

    def _runs_tests(self, main: Node, calls: list[Call]) -> bool:
        """Whether ``m.Run`` is called, or ``m`` handed to something that may call it."""
        handle = _MAIN_HANDLE.search(self._tree.text, main.start, main.end)
        if handle is not None and any(self._is_given(call, handle[1]) for call in calls):
            return True
        return any(call.names[-1:] == ("Run",) for call in calls)

    def _drops_result(self, main: Node, calls: list[Call]) -> bool:
        exits = [call.node for call in calls if call.names == ("os", "Exit")]
        if [self._compact(node) for node in exits] != ["os.Exit(0)"]:
            return False
        return self._unconditional(exits[0], main)

    def _compact(self, node: Node) -> str:
        return self._tree.source(node).replace(" ", "")

    def _is_given(self, call: Call, name: str) -> bool:
        given = self._tree.source(call.arguments) if call.arguments is not None else ""
        return name in words_of(given)

    def _unconditional(self, node: Node, function: Node) -> bool:
        return node.parent is not None and node.parent.kind == "block" and node.parent.parent is function

    def _example(self, name: str, node: Node) -> Scope:
        """An example is run only where its output is written down, and then it must be that output."""
        output = _OUTPUT.search(self._tree.source(node))
        if output is None:
            return self._open(Role.FUNCTION, name, node, self.scopes[0])
        scope = self._open(Role.TEST, name, node, self.scopes[0])
        expected = " ".join(output[1].replace("//", " ").rstrip("} \n\t").split())
        scope.assertions.append(Assertion(scope.line, f"Output: {expected}", Strength.EXACT, name, expected))
        return scope

    def _call(self, call: Call, scope: Scope) -> Scope:
        names = call.names
        if call.inner is not None:
            self._skip(call, scope)
            return scope
        if names:
            scope.calls.add(names[-1])
        if len(names) > 1 and names[-1] == "Run" and scope.role in (Role.TEST, Role.FUNCTION):
            return self._subtest(call, scope)
        found = ginkgo.declaration(names)
        if found is not None and call.arguments and call.arguments.child("func_literal", "call_expression"):
            return self._ginkgo(call, found, scope)
        self._skip(call, scope)
        return scope

    def _head(self, call: Call) -> list[list[str]]:
        """The arguments before the function."""
        given = call.arguments
        if given is None:
            return []
        body = given.child("func_literal")
        end = min(body.start if body is not None else given.end - 1, given.start + _LONGEST_HEAD)
        return split(words_of(self._tree.text[given.start + 1 : end]))

    def _subtest(self, call: Call, outer: Scope) -> Scope:
        head = self._head(call)
        if call.names[0] not in self._values.handles | self.owners or not head or outer.role is not Role.TEST:
            return outer
        scope = self._open(Role.TEST, _title(head[0]), call.node, outer)
        scope.collected = outer.collected
        scope.calls.update(word for part in head[1:] for word in part)
        scope.cases = self._cases(call.node)
        return scope

    def _cases(self, node: Node) -> int | None:
        """How often the loops around a subtest run it."""
        count: int | None = 1
        for around in islice(node.ancestors(), FAR):
            if around.kind in FUNCTIONS:
                break
            if around.kind == "for_statement":
                times = self._rules.loop_count(around)
                count = None if times is None or count is None else count * times
        return count

    def _ginkgo(self, call: Call, found: ginkgo.Declaration, outer: Scope) -> Scope:
        head = self._head(call)
        scope = self._open(
            found.role, _title(head[0]) if head and found.role is not Role.HOOK else "", call.node, outer
        )
        text = ".".join(call.names)
        skip = Skip("skip", scope.line, text)
        if found.pending or ["Pending"] in head:
            scope.skips.append(skip)
        if found.focused or ["Focus"] in head:
            scope.focus = Skip("focus", scope.line, text)
        return scope

    def _skip(self, call: Call, scope: Scope) -> None:
        owner = scope.within(Role.TEST, Role.HOOK, Role.FUNCTION, Role.SUITE)
        exits = self._exits_well(call)
        if owner is None or call.node.dead or not (exits or self._is_skip(call)):
            return
        line = self._tree.line(call.node.start)
        if owner.name == "TestMain":
            if self._depends(call.node) and exits:
                self.scopes[0].skips.append(Skip("disabled", line, self._tree.source(call.node), True))
            return
        if owner.name == "init" and owner.role is Role.FUNCTION:
            owner = self.scopes[0]
        text = joined(words_of(self._tree.source(call.node)[:200]))
        owner.skips.append(Skip("disabled" if exits else "skip", line, text, self._depends(call.node)))

    def _exits_well(self, call: Call) -> bool:
        """Whether a call ends the program as if all was well."""
        return call.names == ("os", "Exit") and call.inner is None and self._compact(call.node) == "os.Exit(0)"

    def _is_skip(self, call: Call) -> bool:
        """``t.Skip()``, ``s.T().Skip()`` and Ginkgo's ``Skip()``."""
        names = call.names
        if not names or names[-1] not in _SKIPS:
            return False
        if call.inner is not None and call.inner.names[-1:] == ("T",):
            return True
        if len(names) > 1:
            return names[0] in self._values.handles or names[0] in self.owners
        return names == ("Skip",) and call.inner is None

    def settle(self) -> None:
        """Say which calls of functions that skip are made for certain."""
        mark_certain(self.scopes, self.of, self._calls, self._depends)

    def _depends(self, node: Node) -> bool:
        """Whether a node of a function runs only under a condition that isn't constant."""
        for around in islice(node.ancestors(), FAR):
            if around.kind in FUNCTIONS:
                return self._may_be_left(around, node) or (
                    around.kind == "func_literal" and not self._is_body(around)
                )
            if around.kind == "if_statement" and self._rules.condition(around) is None:
                return True
            if around.kind in CASES or around.kind == "for_statement":
                return True
        return False

    def _may_be_left(self, function: Node, node: Node) -> bool:
        """Whether a return somewhere before a node may keep it from running."""
        before = self._tree.within(function.start, node.start)
        return any(inner.kind == "return_statement" and not inner.dead for inner in before[:FAR])

    def _is_body(self, function: Node) -> bool:
        """Whether a function is the body of a subtest, and not one that something else may call or not."""
        given = function.parent
        return (
            given is not None
            and given.parent is not None
            and self.of.get(given) is not self.of.get(given.parent.parent or given)
        )


def _title(words: list[str]) -> str:
    if len(words) == 1 and words[0][0] == '"':
        return words[0][1:-1]
    return joined(words)
