"""What never runs in JavaScript, and whose failure is dropped."""

import re
from itertools import islice

from assay.detectors.test_code.calls import Call, Names
from assay.detectors.test_code.conditions import truth
from assay.detectors.test_code.guarded import Conditions
from assay.detectors.test_code.javascript.names import Vocabulary
from assay.detectors.test_code.javascript.text import FUNCTIONS, LEXICON
from assay.detectors.test_code.tree import Node, Tree
from assay.detectors.test_code.uniform import words
from assay.detectors.test_code.word_sets import word_set

FAR = 200
"""How far up a search goes: nobody writes code that is nested more deeply."""

_EXITS = word_set("return_statement throw_statement break_statement continue_statement")
_LOOPS = word_set("for_statement for_in_statement while_statement do_statement")
_EACH = word_set("forEach map flatMap each eachSeries")
_EMPTY_LOOP = re.compile(r"(?:\bof|\bin)\s*+\(?\s*+\[\s*+\]\s*+\)?\s*+\)\s*+\Z")
_EMPTY_LIST = re.compile(r"\(?\s*+\[\s*+\]\s*+\)?\s*+\.\s*+(?:forEach|map|every|some|reduce|filter|flatMap)\s*+\Z")
_REPORTS = word_set("fail done reject next expect assert should")
_TIMERS = (("setTimeout",), ("setInterval",), ("window", "setTimeout"), ("global", "setTimeout"))
_WAITS = re.compile(r"\bdone\b|\bPromise\b|[tT]imers|\bawait\b|\bclock\b|\b(?:next|cb|callback|resolve|end)\(")
_HANDLERS = frozenset(("try_statement",))
_HANDS_ON = frozenset(("fail", "done", "reject", "next", "ifError"))
_PARTS = frozenset(("parenthesized_expression",))


class JavascriptRules:
    """The rules of ``flow`` for JavaScript."""

    sequences = frozenset(("", "statement_block", "switch_case", "switch_default"))
    clauses = frozenset(("switch_case", "switch_default"))
    branching = word_set("if_statement while_statement for_statement for_in_statement arguments")
    ending = _EXITS | {"call_expression"}

    def __init__(self, tree: Tree, vocabulary: Vocabulary, calls: dict[Node, Call]) -> None:
        self._tree = tree
        self._vocabulary = vocabulary
        self._calls = calls
        self._conditions: dict[Node, bool | None] = {}

    def condition(self, node: Node) -> bool | None:
        """Whether the condition of an if or a loop always or never holds."""
        if node not in self._conditions:
            head = node.child("parenthesized_expression")
            found = (
                words(self._tree, LEXICON, head.start, head.end)
                if head is not None and head.end - head.start < 2000
                else []
            )
            self._conditions[node] = truth(found, self._vocabulary.constants)
        return self._conditions[node]

    @property
    def conditions(self) -> Conditions:
        return Conditions(FUNCTIONS, self._is_lone_branch, self._asked, self._repeats)

    def _is_lone_branch(self, node: Node, parent: Node) -> bool:
        if parent.kind != "if_statement" or node.kind in _PARTS or node.kind == "else_clause":
            return False
        return parent.child("else_clause") is None and self.condition(parent) is None

    def _asked(self, branch: Node) -> list[str]:
        head = branch.child("parenthesized_expression")
        return [] if head is None else words(self._tree, LEXICON, head.start, min(head.end, head.start + 2000))

    def _repeats(self, node: Node) -> bool:
        if node.kind in _LOOPS:
            return True
        call = self._calls.get(node)
        return call is not None and call.names[-1:] != () and call.names[-1] in _EACH

    def never_runs(self, node: Node) -> bool:
        parent = node.parent
        if parent is None or node.kind in _PARTS:
            return False
        if parent.kind == "if_statement":
            return self.condition(parent) is (node.kind == "else_clause")
        if parent.kind == "while_statement":
            return self.condition(parent) is False
        if parent.kind in ("for_statement", "for_in_statement"):
            return node.kind == "statement_block" and self._empty_loop(parent, node)
        if parent.kind != "arguments" or node.kind not in FUNCTIONS:
            return False
        return self._empty_list(parent) or self._comes_too_late(parent)

    def _comes_too_late(self, arguments: Node) -> bool:
        """A timer that nothing waits for fires when its test is over."""
        call = self._calls.get(arguments.parent) if arguments.parent is not None else None
        if call is None or call.names not in _TIMERS:
            return False
        test = next((around for around in islice(arguments.ancestors(), FAR) if self._is_test(around)), None)
        return test is not None and _WAITS.search(self._tree.text, test.start, test.end) is None

    def _is_test(self, node: Node) -> bool:
        call = self._calls.get(node)
        return call is not None and call.names[:1] in (("it",), ("test",))

    def _empty_loop(self, loop: Node, body: Node) -> bool:
        head = self._tree.text[loop.start : body.start]
        if loop.kind == "for_in_statement":
            return _EMPTY_LOOP.search(head) is not None
        parts = head[head.find("(") + 1 : head.rfind(")")].split(";")
        return len(parts) == 3 and parts[1].strip() in ("false", "0", "!1", "!true")

    def _empty_list(self, arguments: Node) -> bool:
        call = self._calls.get(arguments.parent) if arguments.parent is not None else None
        if call is None or call.inner is not None:
            return False
        callee = self._tree.text[call.node.start : min(arguments.start, call.node.start + 100)]
        return callee[:1] in "([" and _EMPTY_LIST.match(callee) is not None

    def ends(self, node: Node) -> bool:
        if node.kind in _EXITS:
            return True
        call = self._calls.get(node)
        return call is not None and call.names in (("process", "exit"), ("process", "abort"), ("Deno", "exit"))

    def ends_parent(self, node: Node, parent: Node, ended: set[Node]) -> bool:
        if node.kind in ("break_statement", "continue_statement"):
            return False
        if parent.kind == "if_statement":
            return self._both_end(node, parent, ended)
        if parent.kind == "try_statement":
            return node.kind == "finally_clause" or parent.child("catch_clause") is None
        return parent.kind in (
            "else_clause",
            "finally_clause",
            "do_statement",
            "await_expression",
            "parenthesized_expression",
        )

    def _both_end(self, node: Node, parent: Node, ended: set[Node]) -> bool:
        if node.kind == "parenthesized_expression":
            return True
        always = self.condition(parent)
        if always is not None:
            return always is (node.kind != "else_clause")
        otherwise = parent.child("else_clause")
        first = next(
            (child for child in parent.children if child.kind not in ("parenthesized_expression", "else_clause")),
            None,
        )
        return otherwise is not None and otherwise in ended and first in ended

    def hoisted(self, node: Node) -> bool:
        return node.kind in ("function_declaration", "generator_function_declaration")


def guarded_off(tree: Tree, vocabulary: Vocabulary, node: Node) -> bool:
    """Whether a short circuit keeps an expression from running: ``false && expect(x)…``."""
    before = tree.text[max(0, node.start - 120) : node.start].rstrip()
    if before[-2:] not in ("&&", "||") and before[-1:] != "?":
        return False
    parent = node.parent
    start = max(parent.start if parent is not None else 0, node.start - 120)
    lines = tree.text[start : node.start].rsplit("\n", 1)[-1]
    found = words(tree, LEXICON, node.start - len(lines), node.start)
    while found and found[0] in ("{", "}", "await", "return", "=>", "("):
        found = found[1:]
    always = truth(found[:-1], vocabulary.constants) if found else None
    return always is (found[-1] == "||") if found and always is not None else False


def is_short_circuited(tree: Tree, node: Node) -> bool:
    """Whether an expression runs only if another one says so: ``ready() && expect(x)…``."""
    return tree.text[max(0, node.start - 80) : node.start].rstrip().endswith(("&&", "||"))


def mark_swallowed(tree: Tree, calls: dict[Node, Call], strong: set[Node], tests: set[Node]) -> None:
    """Set ``swallowed`` on what runs where its failure is caught and dropped.

    ``strong`` are assertions that would fail for most errors: a handler that makes one drops nothing.
    """
    if not tree.has(_HANDLERS) and not any(call.names[-1:] == ("catch",) for call in calls.values()):
        return
    loud = _loud_handlers(tree, calls, strong)
    for node in tree.nodes[1:]:
        parent = node.parent
        if parent is None:
            continue
        own = _in_quiet_try(node, parent, loud) or _before_quiet_catch(node, parent, calls, loud, tree)
        node.swallowed = own or (parent.swallowed and node not in tests)


def _loud_handlers(tree: Tree, calls: dict[Node, Call], strong: set[Node]) -> set[Node]:
    """The handlers of errors that let a failure through, and the final clauses that return."""
    loud: set[Node] = set()
    for node in tree.nodes:
        if node.dead:
            continue
        call = calls.get(node)
        reports = call is not None and call.inner is None and _reports(call.names)
        if node.kind in ("throw_statement", "return_statement") or node in strong or reports:
            handler = _handler(node)
            if handler is not None and (node.kind == "return_statement") is (handler.kind == "finally_clause"):
                loud.add(handler)
    return loud


def _reports(names: Names) -> bool:
    """Whether a call hands an error on: ``done(e)``, ``assert.ifError(e)``; not ``console.error(e)``."""
    return names[-1:] != () and (
        names[-1] in _HANDS_ON or (names[-1] == "error" and names[0] in ("t", "tt", "assert"))
    )


def _handler(node: Node) -> Node | None:
    for around in islice(node.ancestors(), FAR):
        if around.kind in ("catch_clause", "finally_clause") or around.kind in FUNCTIONS:
            return around
    return None


def in_catch(node: Node) -> bool:
    """Whether a node handles an error that something else raised."""
    handler = _handler(node)
    return handler is not None and handler.kind == "catch_clause"


def _in_quiet_try(node: Node, parent: Node, loud: set[Node]) -> bool:
    if parent.kind != "try_statement" or node.kind != "statement_block":
        return False
    caught, final = parent.child("catch_clause"), parent.child("finally_clause")
    return (caught is not None and caught not in loud) or (final is not None and final in loud)


def _before_quiet_catch(node: Node, parent: Node, calls: dict[Node, Call], loud: set[Node], tree: Tree) -> bool:
    """Whether a promise's failure ends in a ``.catch`` that does nothing."""
    call = calls.get(parent)
    if call is None or call.names[-1:] != ("catch",) or node is call.arguments or call.arguments is None:
        return False
    handler = call.arguments.child(*FUNCTIONS)
    if handler is not None:
        return handler not in loud
    given = tree.text[call.arguments.start + 1 : call.arguments.end - 1].strip()
    return given.rpartition(".")[2] not in _REPORTS
