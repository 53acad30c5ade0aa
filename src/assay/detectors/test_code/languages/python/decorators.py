"""What decorators that are functions of the same file do to their tests: never run them, drop their failures."""

from typing import NamedTuple

from assay.detectors.test_code.engine.declarations import Mark
from assay.detectors.test_code.engine.expressions.syntax_parts import Part
from assay.detectors.test_code.engine.scopes import Role, Scope
from assay.detectors.test_code.engine.source_file import Reading
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node

_NEVER_RUN = "code that is never reached"


class _Effect(NamedTuple):
    never: bool
    swallows: bool


class Decorators:
    """The functions of one file, by their names."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._functions = {
            each.name: each.node for each in reading.scopes if each.role is Role.FUNCTION and each.node is not None
        }
        self._effects: dict[str, _Effect] = {}

    def put_around(self, scope: Scope, marks: list[Mark]) -> None:
        """Apply the effect of each mark that is a function of the file to a test."""
        for mark in marks:
            if len(mark.link.names) == 1 and mark.name in self._functions and mark.link.arguments is None:
                if mark.name not in self._effects:
                    self._effects[mark.name] = self._effect(self._functions[mark.name])
                self._mark(scope, self._effects[mark.name])

    def _mark(self, scope: Scope, effect: _Effect) -> None:
        node = scope.node
        if effect.never and node is not None:
            scope.skips.append(Skip("disabled", scope.line, _NEVER_RUN))
        for each in self._reading.tree.within(node.start, node.end) if node is not None else ():
            each.dead = each.dead or effect.never
            each.swallowed = each.swallowed or effect.swallows

    def _effect(self, node: Node) -> _Effect:
        reading = self._reading
        named = reading.language.heads.function.match(reading.tree.text, node.start)
        takes = reading.parameters(named["takes"])[:1] if named is not None else ()
        inside = reading.tree.within(node.start + 1, node.end)
        calls = [
            each for each in inside if each.part is Part.CALL and takes and reading.calls[each].names == takes
        ]
        returns = [reading.words_of(each)[1:] for each in inside if each.part is Part.RETURN]
        handed = any(takes[0] in words for words in returns if takes)
        swallows = any(each.swallowed and reading.function_around(each) is not node for each in calls)
        return _Effect(not calls and not handed, swallows)
