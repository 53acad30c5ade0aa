"""Finds code that can't run, or may or may not: after a return, in a branch that is never taken.

One pass over the nodes in the order of the text: what ends a list is met before what it keeps from running.
"""

import re
from collections.abc import Mapping
from itertools import islice

from assay.detectors.test_code.engine.expressions.parts import ALTERNATIVES, BRANCHING, LISTS, LOOPS, Part
from assay.detectors.test_code.engine.expressions.truth import truth
from assay.detectors.test_code.engine.expressions.values import first_name
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.tree import Node

_NEAREST = 120
_LONGEST_HEAD = 600
_FARTHEST_USE = 20_000
_PASSING = frozenset({Part.ONCE, Part.ELSE, Part.FINALLY, Part.STATEMENT, Part.HEAD, Part.OTHER, Part.RETURN})
_LEAVING = frozenset({Part.RETURN, Part.THROW})
_CHOOSING = BRANCHING | LOOPS
_TELLING = _LEAVING | {Part.FUNCTION, Part.CLOSURE, Part.BREAK, Part.CALL}
_WORD = re.compile(r"[\w$]+")
_THROWN_AWAY = re.compile(r"(?:(?<!\w)_\s*+=|\bvoid)[ \t]*+\Z")
_METHOD = re.compile(r"(?:\.|->|::)\s*(\w+)\s*\(?\s*(?:async\s+)?\Z")
_EMPTY = re.compile(r"(?<![\w\])])\[\s*\]\)?\s*\Z")


class Flow:
    """Marks the nodes of one file as dead or conditional."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._ended_branches: dict[Node, int] = {}
        self._empty_loops: dict[Node, bool] = {}
        own = reading.language.quirks.left_out
        self._left_out: Mapping[Node, bool | None] = own(reading) if own is not None else {}

    def mark(self) -> None:
        for node in self._reading.tree.nodes[1:]:
            parent = node.parent
            if parent is None:
                continue
            node.dead = node.dead or parent.dead or (parent.ended and node.part is not Part.FUNCTION)
            node.conditional = parent.conditional or parent.part in ALTERNATIVES
            if parent.part in _CHOOSING or node in self._left_out:
                self._choose(node, parent)
            if not node.dead and node.part in _TELLING:
                self._tell(node, parent)

    def _choose(self, node: Node, parent: Node) -> None:
        """Decide about a node by its branch, loop or build."""
        if parent.part in BRANCHING:
            self._enter_branch(node, parent)
        elif parent.part in LOOPS:
            self._enter_loop(node, parent)
        if node in self._left_out:
            node.dead = node.dead or self._left_out[node] is True
            node.conditional = True

    def _tell(self, node: Node, parent: Node) -> None:
        """Decide about a node by itself, or about what follows it."""
        if node.part is Part.FUNCTION:
            node.dead = self._is_never_named(node)
        elif node.part is Part.CLOSURE:
            node.dead = self._on_nothing(node) or self._is_unused(node, parent)
        elif node.part is Part.BREAK:
            self._end(node, hard=False)
        elif node.part in _LEAVING or (node.part is Part.CALL and self._exits(node)):
            self._end(node, hard=True)

    def _enter_branch(self, node: Node, parent: Node) -> None:
        """A branch runs always, never or now and then."""
        found = self._reading.branches(parent)
        if found is None or not self._is_body(node, found.body_from, found.then):
            return
        value = self._reading.decided(parent)
        otherwise = node in found.otherwise
        if value is None:
            node.conditional = True
        else:
            node.dead = node.dead or value is otherwise

    @staticmethod
    def _is_body(node: Node, body_from: int, then: Node | None) -> bool:
        """Whether a node is a branch and no part of the condition. In ``x if y`` the body comes first."""
        if then is not None and then.start < body_from:
            return node is then
        return node.start >= body_from and node.part is not Part.HEAD

    def _enter_loop(self, node: Node, parent: Node) -> None:
        found = self._reading.branches(parent)
        if found is None or not self._is_body(node, found.body_from, found.then):
            return
        node.conditional = True
        if parent not in self._empty_loops:
            self._empty_loops[parent] = self._never_runs(parent, found.start, found.end)
        node.dead = node.dead or self._empty_loops[parent]

    def _never_runs(self, loop: Node, start: int, end: int) -> bool:
        reading = self._reading
        empty = reading.language.quirks.empty
        if empty is not None and empty(reading, loop):
            return True
        head = reading.tree.text[max(start, end - _LONGEST_HEAD) : end].rstrip().removesuffix("do").rstrip()
        if loop.part is Part.EACH:
            return reading.language.nothing.search(head) is not None or self._over_nothing(head)
        words = reading.words(start, end)
        inside = words[words.index("(") + 1 : -1] if "(" in words and words[-1] == ")" else words[1:]
        pieces = _semicolons(reading.tree.text[start:end], reading)
        if len(pieces) == 3:
            return _never_begins(pieces[0], pieces[1])
        while inside and inside[-1] == "{":
            inside = inside[:-1]
        value = truth(inside or words, reading.values.constants, reading.language.logic.falsy)
        turned = loop.kind.startswith("until")
        return value is turned if value is not None else False

    def _over_nothing(self, head: str) -> bool:
        """Whether a loop goes over a name that is bound to an empty list and never filled."""
        head = head.rstrip("{ ")
        words = _WORD.findall(head)
        name = words[-1] if words else ""
        reading = self._reading
        if name not in reading.values.lists or not head.rstrip(") ").endswith(name):
            return False
        start, end = reading.values.lists[name]
        written = reading.tree.text[start:end].rstrip("; ")
        nothing = (
            written in ("[]", "{}", "()") or reading.language.nothing.search(written[:_LONGEST_HEAD]) is not None
        )
        return nothing and reading.values.mentions(name) == 2

    def _exits(self, node: Node) -> bool:
        call = self._reading.calls.get(node)
        if call is None or call.inner is not None:
            return False
        language = self._reading.language
        return (
            call.names in language.exits or language.ending.match(self._reading.tree.text, node.start) is not None
        )

    def _end(self, node: Node, hard: bool) -> None:
        """Nothing after this statement runs, nor after those around it that always come to it."""
        while (holder := node.parent) is not None and node not in self._left_out:
            if holder.part in LISTS:
                if holder.part is Part.CASE and node.part is Part.CASE:
                    return
                holder.ended = True
                if holder.part is Part.CASE or holder.part is Part.FILE:
                    return
            elif holder.part in BRANCHING:
                if not self._ends_all_branches(node, holder):
                    return
            elif holder.part is Part.TRY:
                caught = node.part is not Part.FINALLY and holder.part_child(Part.CATCH) is not None
                if caught and (node.part is not Part.ELSE or self._may_be_caught(holder)):
                    return
            elif holder.part not in _PASSING or (holder.part is Part.ONCE and not hard):
                return
            node = holder

    def _may_be_caught(self, tried: Node) -> bool:
        """Whether anything in a try could be caught. Then what follows one that is left otherwise is for that."""
        body = tried.part_child(Part.BLOCK)
        if body is None or not any(
            each.part is Part.CALL for each in self._reading.tree.within(body.start, body.end)
        ):
            return False
        self._reading.left.add(tried)
        return True

    def _ends_all_branches(self, node: Node, holder: Node) -> bool:
        found = self._reading.branches(holder)
        if found is None or not self._is_body(node, found.body_from, found.then):
            return found is not None and node.start < found.body_from
        value = self._reading.decided(holder)
        if value is not None:
            return value is not (node in found.otherwise)
        ended = self._ended_branches[holder] = self._ended_branches.get(holder, 0) + 1
        return ended >= 2 and len(found.otherwise) == 1

    def _on_nothing(self, closure: Node) -> bool:
        """A closure for each element of something that has none: ``[].forEach(() => …)``."""
        before = self._reading.tree.text[max(0, closure.start - _NEAREST) : closure.start]
        found = _METHOD.search(before)
        if found is None or found[1] not in self._reading.language.repeating:
            return False
        receiver = before[: found.start()]
        nothing = self._reading.language.nothing.search(receiver) or _EMPTY.search(receiver)
        return nothing is not None or self._over_nothing(receiver)

    def _is_never_named(self, function: Node) -> bool:
        """Is this a function inside of another that nothing mentions again?"""
        around = self._reading.function_around(function)
        if around is None or around.end - around.start > _FARTHEST_USE:
            return False
        named = self._reading.language.heads.function.match(self._reading.tree.text, function.start)
        # What makes an object may have no name: Swift's ``init``.
        return named is not None and named["name"] is not None and not self._is_named_again(named["name"], around)

    def _is_unused(self, closure: Node, parent: Node) -> bool:
        """Is this a closure with a name that nothing mentions again?"""
        if parent.part is not Part.BINDING or self._reading.function_around(closure) is None:
            return False
        tree = self._reading.tree
        if tree.text[closure.end : parent.end].strip(" ;\n)"):
            return False
        around = self._reading.function_around(parent)
        name = first_name(tree.text[parent.start : closure.start])
        if not name or around is None or around.end - around.start > _FARTHEST_USE:
            return False
        return not self._is_named_again(name, around)

    def _is_named_again(self, name: str, around: Node) -> bool:
        """Whether a name stands in a node at least twice, as a word of its own, and not to be thrown away."""
        text = self._reading.tree.text[around.start : around.end]
        found = re.finditer(rf"(?<![\w$]){re.escape(name)}(?![\w$])(?P<called>\()?", text)
        used = (
            each
            for each in found
            if each["called"] or _THROWN_AWAY.search(text[max(0, each.start() - 20) : each.start()]) is None
        )
        return len(list(islice(used, 2))) == 2


def _semicolons(head: str, reading: Reading) -> list[list[str]]:
    """The parts of ``for (start; condition; step)``."""
    text = head.strip()
    opened = text.find("(")
    inside = text[opened + 1 : text.rfind(")")] if opened >= 0 and text.endswith(")") else text.partition(" ")[2]
    return [reading.words_in(part.strip()) for part in inside.split(";")] if inside.count(";") == 2 else []


def _never_begins(start: list[str], condition: list[str]) -> bool:
    """Is the condition of a counting loop false before its first round?"""
    sign = next((word for word in ("=", ":=") if word in start), "")
    if not sign or not condition:
        return truth(condition) is False if condition else False
    name, first = start[start.index(sign) - 1], start[start.index(sign) + 1 :]
    return truth([part for word in condition for part in (first if word == name else [word])]) is False
