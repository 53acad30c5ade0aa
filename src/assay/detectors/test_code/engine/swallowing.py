"""Whose failure is dropped: what is tried and caught, run in a thread that nobody waits for, or silenced."""

import re
from functools import cached_property
from itertools import islice

from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.parts import FUNCTIONS, Part
from assay.detectors.test_code.engine.expressions.values import BINDING
from assay.detectors.test_code.engine.language import NEVER
from assay.detectors.test_code.engine.reading import FAR, TALKS, Reading
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node

_FARTHEST = 20_000
_MOST_BODY = 5_000
_MADE = re.compile(r"(?:new\s)?\s*+(\w++)")
_LONGEST_HEAD = 2_000
_TOUCHED = re.compile(
    r"(?<![\w$@])([\w$@]++)\s*+(?:[-+|]?=(?![=>~])|\+\+|<<|\.(?:push|add|append|Add|store|set|send|put)\s*\()"
)
_TALKS = TALKS | {"Thread", "t", "it"}
_ASKING = frozenset({Part.CALL, Part.GIVEN, Part.SWITCH, Part.OTHER})
_NEAR = 5
_ANSWERING = frozenset({Part.TRY, Part.CALL})
_AWAY = frozenset({Part.RETURN, Part.BREAK})
_LEAVING = _AWAY | {Part.THROW}
HANDLERS = frozenset({Part.CATCH, Part.FINALLY})


class Swallowing:
    """Marks what is swallowed in one file."""

    def __init__(self, reading: Reading, strong: set[Node]) -> None:
        self._reading = reading
        self._strong = strong
        self._hands = reading.language.catching.handing is not NEVER

    def mark(self) -> None:
        reading, silences = self._reading, self._reading.language.quirks.silences
        quiet: set[Node] = set()
        if not self._may_swallow():
            return
        for node in reading.tree.nodes[1:]:
            parent = node.parent
            if parent is None:
                continue
            inherited = parent.swallowed and node not in reading.tests
            node.swallowed = node.swallowed or inherited or parent in quiet or self._is_dropped(node, parent)
            if silences is not None and not node.dead and silences(reading, node):
                # Only what comes after it in the same block is meant.
                quiet.add(parent)

    def _may_swallow(self) -> bool:
        """Whether there is anything in this file that drops failures."""
        reading, catching = self._reading, self._reading.language.catching
        if reading.language.quirks.silences is not None or self._hands:
            return True
        if reading.tree.has_part(Part.TRY, Part.CATCH) or any(node.swallowed for node in reading.tree.nodes):
            return True
        if catching.losing and reading.tree.has_part(Part.OTHER):
            return True
        telling = {"catch", *(each.rpartition(".")[2] for each in catching.losing)}
        return any(call.names and call.names[-1] in telling for call in reading.calls.values())

    def _is_dropped(self, node: Node, parent: Node) -> bool:
        """Whether the failures of a node are dropped where it stands."""
        if parent.part in _ANSWERING and (self._is_tried(node, parent) or self._before_catch(node, parent)):
            return True
        if node.part in FUNCTIONS and self._is_lost(node):
            return True
        return self._hands and node.part is Part.CLOSURE and self._is_unheard(node)

    @cached_property
    def _loud(self) -> set[Node]:
        """The handlers of errors that let a failure through, and the final clauses that return."""
        reading = self._reading
        loud: set[Node] = set()
        calls = reading.language.catching.loud | reading.language.fails
        skips = reading.language.skipping.throws
        for node in reading.tree.nodes:
            if node.dead or (node.part is Part.THROW and skips.match(reading.tree.text, node.start, node.end)):
                continue
            call = reading.calls.get(node)
            reports = call is not None and call.names[-1:] != () and call.names[-1] in calls
            if node.part in _LEAVING or node in self._strong or reports:
                handler = handler_of(node)
                if handler is not None and (node.part in _AWAY) is (handler.part is Part.FINALLY):
                    loud.add(handler)
        return loud

    @cached_property
    def _losing(self) -> list[Call]:
        """The calls that drop the failures of what they are handed, in the order of the text."""
        losing = self._reading.language.catching.losing
        found = [call for call in self._reading.calls.values() if call.names and call.names[-1] in losing]
        return sorted(found, key=lambda call: call.node.start)

    def _is_tried(self, node: Node, parent: Node) -> bool:
        """Is this in the body of a try whose failures are dropped?"""
        if parent.part is not Part.TRY or node.part in HANDLERS or node.part is Part.ELSE:
            return False
        return any(
            self._drops(parent, clause) if clause.part is Part.CATCH else clause in self._loud
            for clause in parent.children
            if clause.part in HANDLERS and clause.start >= node.start
        )

    def _drops(self, tried: Node, clause: Node) -> bool:
        """Does a handler drop the failure that it caught?"""
        tree, catching = self._reading.tree, self._reading.language.catching
        handler = clause.part_child(Part.BLOCK)
        body_start = handler.start if handler is not None else clause.end
        head = tree.text[clause.start : min(body_start, clause.start + _LONGEST_HEAD)]
        if not catching.assertions.search(head) and (self._expects(tried) or not catching.much.search(head)):
            return False
        if clause in self._loud:
            return False
        return not self._remembers(tried, tree.text[body_start : min(clause.end, body_start + _FARTHEST)], head)

    def _expects(self, tried: Node) -> bool:
        """Whether a body fails at its end: the old way to expect an error."""
        fails = self._reading.language.fails
        within = self._reading.tree.within(tried.start, min(tried.end, tried.start + _MOST_BODY))
        return any(
            call is not None and call.names[-1:] != () and call.names[-1] in fails
            for call in map(self._reading.calls.get, within)
        )

    def _remembers(self, tried: Node, handler: str, head: str) -> bool:
        """Does a handler keep what it caught in something that is looked at later, or return it?"""
        text = self._reading.tree.text
        caught = re.findall(r"[\w$]+", head)[-1:]
        if caught and re.search(rf"\breturn\b[^;\n]{{0,400}}\b{re.escape(caught[0])}\b", handler):
            return True
        touched = set(_TOUCHED.findall(handler)) - _TALKS - set(caught)
        before = text[max(0, tried.start - _FARTHEST) : tried.start]
        after = text[tried.end : tried.end + _FARTHEST]
        return any(mentions(after, name) or mentions(before, name, times=2) for name in touched)

    def _before_catch(self, node: Node, parent: Node) -> bool:
        """Whether a promise's failure ends in a ``.catch`` that does nothing."""
        call = self._reading.calls.get(parent)
        if call is None or call.names[-1:] != ("catch",) or node is call.arguments or call.arguments is None:
            return False
        handler = call.arguments.part_child(Part.CLOSURE)
        if handler is not None:
            return handler not in self._loud
        given = self._reading.tree.text[call.arguments.start + 1 : call.arguments.end - 1].strip()
        return given.rpartition(".")[2] not in self._reading.language.catching.loud

    def _is_lost(self, node: Node) -> bool:
        """Whether a closure runs where nothing hears of its failure."""
        losing = self._reading.language.catching.losing
        if node.part is Part.FUNCTION and losing:
            return self._is_handed_to_losing(node)
        if node.part is not Part.CLOSURE or not losing:
            return False
        for around in islice(node.ancestors(), 3):
            name = next((each for each in self._said(around) if each in losing), None)
            if name is None:
                continue
            whole = self._test_around(around)
            return losing[name].search(self._reading.tree.text, whole.start, whole.end) is None
        return False

    def _said(self, node: Node) -> list[str]:
        """The runner of a closure: a call's names, or the word of ``go func() {…}`` and ``new Thread(…)``."""
        call = self._reading.calls.get(node)
        if call is not None:
            return [".".join(call.names[at:]) for at in (-1, -2)] if call.names else []
        made = _MADE.match(self._reading.tree.text, node.start) if node.part is Part.OTHER else None
        return [made[1]] if made is not None else []

    def _is_unheard(self, closure: Node) -> bool:
        """Whether the failure of a closure is the result of a call that is thrown away."""
        reading, catching = self._reading, self._reading.language.catching
        calls = (reading.calls.get(each) for each in islice(closure.ancestors(), _NEAR))
        if not any(call is not None and catching.handing.fullmatch(".".join(call.names)) for call in calls):
            return False
        statement = next((each for each in islice(closure.ancestors(), FAR) if each.part not in _ASKING), None)
        if statement is None:
            return False
        text = reading.tree.text
        after = text[closure.end : min(statement.end, closure.end + _FARTHEST)]
        if statement.part is Part.STATEMENT:
            return catching.heard.search(after) is None
        named = BINDING.match(text, statement.start) if statement.part is Part.BINDING else None
        if named is None:
            return False
        rest = text[statement.end : statement.end + _FARTHEST]
        return named[1] == "_" or catching.unheard.search(after) is not None or not mentions(rest, named[1])

    def _test_around(self, node: Node) -> Node:
        """The test that a node stands in, or else the outermost function."""
        whole = node
        for around in islice(node.ancestors(), FAR):
            if around in self._reading.tests:
                return around
            whole = around if around.part in FUNCTIONS else whole
        return whole

    def _is_handed_to_losing(self, function: Node) -> bool:
        """Whether a function inside of another is handed to what drops its failures."""
        reading, losing = self._reading, self._reading.language.catching.losing
        around = reading.function_around(function)
        named = reading.language.heads.function.match(reading.tree.text, function.start)
        if around is None or named is None:
            return False
        for call in self._losing:
            last, inside = call.names[-1], function.end <= call.node.start < around.end
            if inside and named["name"] in reading.words_of(call.node):
                return losing[last].search(reading.tree.text, around.start, around.end) is None
        return False


def handler_of(node: Node) -> Node | None:
    """The handler of errors that a node stands in, or the function."""
    return next(
        (each for each in islice(node.ancestors(), FAR) if each.part in HANDLERS or each.part in FUNCTIONS), None
    )


def in_catch(node: Node) -> bool:
    """Whether a node handles an error that something else raised."""
    handler = handler_of(node)
    return handler is not None and handler.part is Part.CATCH


def is_strong(strength: Strength, text: str) -> bool:
    """Whether an assertion would fail for most errors: a handler that makes it drops nothing."""
    return strength >= Strength.SHAPE and "rror)" not in text


def mentions(text: str, name: str, times: int = 1) -> bool:
    """Does a name stand in a text at least so often, as a word of its own?"""
    found = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return len(list(islice(found, times))) == times
