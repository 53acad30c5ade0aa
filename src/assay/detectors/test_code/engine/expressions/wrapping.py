"""Effects of a file's functions on the tests and blocks they are put around: skip them, drop their failures."""

import re
from dataclasses import replace
from typing import NamedTuple

from assay.detectors.test_code.engine.expressions.parts import BRANCHING, Part
from assay.detectors.test_code.engine.marks import Mark
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import CodeScope, Role
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node

_NEVER_RUN = "code that is never reached"
_UNNAMED = re.compile(r"@?lambda \*{0,2}(\w++)[^:]*+:(.*)\Z", re.DOTALL)


class _Effect(NamedTuple):
    never: bool
    swallows: bool
    skip: Skip | None


class Wrapping:
    """The functions of one file, by their names."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._functions = {
            each.name: each.node for each in reading.scopes if each.role is Role.FUNCTION and each.node is not None
        }
        self._effects: dict[tuple[str, bool], _Effect] = {}

    def put_around(self, scope: CodeScope, marks: list[Mark]) -> None:
        """Let marks that are functions of the file do to a test what they do."""
        for mark in marks:
            unnamed = _UNNAMED.match(mark.text)
            if unnamed is not None:
                self._mark(scope, never=not re.search(rf"\b{unnamed[1]}\b", unnamed[2]), swallows=False)
            elif len(mark.link.names) == 1 and mark.name in self._functions:
                effect = self._effect(mark.name, mark.link.arguments is not None)
                self._mark(scope, effect.never, effect.swallows)
                if effect.skip is not None:
                    scope.skips.append(replace(effect.skip, line=mark.line, text=mark.text))

    def _mark(self, scope: CodeScope, never: bool, swallows: bool) -> None:
        if never and scope.node is not None:
            scope.skips.append(Skip("disabled", scope.line, _NEVER_RUN))
        node = scope.node
        for each in self._reading.tree.within(node.start, node.end) if node is not None else ():
            each.dead = each.dead or never
            each.swallowed = each.swallowed or swallows

    def _effect(self, name: str, called: bool) -> _Effect:
        """Worked out once for each function, however many tests are under it."""
        if (name, called) not in self._effects:
            node = self._functions[name]
            self._effects[name, called] = self._work_out(node, self._inner(node) if called else node)
        return self._effects[name, called]

    def _inner(self, node: Node) -> Node:
        """A function that is called to make the one which takes the test has that one in it."""
        body = node.part_child(Part.BLOCK)
        inner = [each for each in body.children if each.part is Part.FUNCTION] if body is not None else []
        holds = inner[-1].part_child(Part.BLOCK) if inner else None
        makes = holds is not None and any(each.part in (Part.FUNCTION, Part.RETURN) for each in holds.children)
        return inner[-1] if makes else node

    def _work_out(self, whole: Node, node: Node) -> _Effect:
        reading = self._reading
        named = reading.language.heads.function.match(reading.tree.text, node.start)
        takes = reading.parameters(named["takes"]) if named is not None else ()
        inside = reading.tree.within(node.start + 1, node.end)
        calls = [
            each for each in inside if each.part is Part.CALL and takes and reading.calls[each].names == takes[:1]
        ]
        returns = [reading.words_of(each)[1:] for each in inside if each.part is Part.RETURN]
        handed = bool(takes) and any(takes[0] in words for words in returns)
        swallows = any(each.swallowed and reading.function_around(each) is not node for each in calls)
        return _Effect(not calls and not handed, swallows, self._skip(whole))

    def _skip(self, node: Node) -> Skip | None:
        """The skip that a function puts on what it takes, by a mark or by a call."""
        reading, skipping = self._reading, self._reading.language.skipping
        words = reading.words_of(node)
        named = [word for at, word in enumerate(words) if at and words[at - 1] == "."]
        asked = [skipping.asked[word].kind for word in named if word in skipping.asked]
        kinds = [*(skipping.marks[word] for word in named if word in skipping.marks), *asked]
        inside = [
            each for each in reading.scopes if each.node is not None and node.start <= each.node.start < node.end
        ]
        own = [skip.kind for each in inside for skip in each.skips]
        kind = next((each for each in (*kinds, *own) if each), None)
        asks = (
            bool(asked)
            or "if" in words
            or any(each.part in BRANCHING for each in reading.tree.within(node.start, node.end))
        )
        return Skip(kind, 0, "", asks) if kind is not None else None

    def drops(self, name: str) -> bool:
        """Whether a function drops the failures of the block that it gives way to."""
        node = self._functions.get(name)
        inside = self._reading.tree.within(node.start, node.end) if node is not None else ()
        return any(each.kind == "Yield" and each.swallowed for each in inside)
