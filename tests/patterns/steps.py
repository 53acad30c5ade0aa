"""Counts the steps that a regular expression takes, as an engine that goes back over its tracks takes them.

The answer depends on the pattern and the text alone, not on the machine. A loop with a limit counts as one of a
few rounds: a limit makes a pattern slower by a factor, but its time still grows with the text only.
"""

import re
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Sequence
from typing import Any

from tests.patterns.attack import LOOPS, takes

_FEW = 4
_MOST_STEPS = 300_000
_Then = Callable[[int], bool]
_Node = Callable[[int, _Then], bool]


class TooManyStepsError(Exception):
    """The pattern takes so many steps that no more are counted."""


def steps(pattern: re.Pattern[Any], text: str, methods: frozenset[str]) -> int:
    """The steps of all that is called on a pattern; a search goes on behind each match."""
    machine = _Machine(pattern, text)
    if "match" in methods:
        machine.end_of(0)
    if "fullmatch" in methods:
        machine.run(0, lambda end: end == len(text))
    if methods - {"match", "fullmatch"}:
        at = 0
        while at <= len(text):
            end = machine.end_of(at)
            at = at + 1 if end is None else max(end, at + 1)
    return machine.steps


def _first_end(node: _Node, start: int) -> int | None:
    ends: list[int] = []

    def keep(end: int) -> bool:
        ends.append(end)
        return True

    return ends[0] if node(start, keep) else None


class _Machine:
    def __init__(self, pattern: re.Pattern[Any], text: str) -> None:
        self.steps = 0
        self._text = text
        self._groups: dict[int, tuple[int, int]] = {}
        self._ignores_case = bool(pattern.flags & re.IGNORECASE)
        self._flags = pattern.flags
        self.run = self._sequence(list(parser.parse(pattern.pattern, pattern.flags)))

    def _step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise TooManyStepsError

    def end_of(self, start: int) -> int | None:
        self._groups.clear()
        return _first_end(self.run, start)

    def _sequence(self, items: Sequence[Any]) -> _Node:
        nodes = [self._node(kind, value) for kind, value in items]

        def run(at: int, then: _Then, number: int = 0) -> bool:
            if number == len(nodes):
                return then(at)
            return nodes[number](at, lambda end: run(end, then, number + 1))

        return run

    def _node(self, kind: Any, value: Any) -> _Node:
        if kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return self._letter(kind, value)
        if kind in LOOPS:
            return self._loop(kind, *value)
        if kind is op.SUBPATTERN:
            return self._group(value[0], self._sequence(list(value[3])))
        if kind is op.ATOMIC_GROUP:
            return self._atomic(self._sequence(list(value)))
        if kind is op.BRANCH:
            branches = [self._sequence(list(branch)) for branch in value[1]]
            return lambda at, then: any(branch(at, then) for branch in branches)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            return self._around(value[0], value[1], kind is op.ASSERT)
        if kind is op.AT:
            return lambda at, then: self._is_at(value, at) and then(at)
        if kind is op.GROUPREF:
            return self._again(value)
        raise NotImplementedError(kind)

    def _letter(self, kind: Any, value: Any) -> _Node:
        dot_takes_all = kind is op.ANY and self._flags & re.DOTALL
        known: dict[str, bool] = {}

        def run(at: int, then: _Then) -> bool:
            self._step()
            if at >= len(self._text):
                return False
            letter = self._text[at]
            if letter not in known:
                forms = {letter, letter.lower(), letter.upper()} if self._ignores_case else {letter}
                known[letter] = bool(dot_takes_all) or any(takes(kind, value, form) for form in forms)
            return known[letter] and then(at + 1)

        return run

    def _loop(self, kind: Any, low: int, high: int, items: Any) -> _Node:
        body = self._sequence(list(items))
        low, high = min(low, _FEW), high if high is op.MAXREPEAT else min(high, _FEW)

        def greedy(at: int, then: _Then, count: int = 0) -> bool:
            if count < high and body(at, lambda end: end > at and greedy(end, then, count + 1)):
                return True
            return count >= low and then(at)

        def lazy(at: int, then: _Then, count: int = 0) -> bool:
            if count >= low and then(at):
                return True
            return count < high and body(at, lambda end: end > at and lazy(end, then, count + 1))

        if kind is op.POSSESSIVE_REPEAT:
            return self._atomic(greedy)
        return lazy if kind is op.MIN_REPEAT else greedy

    def _atomic(self, node: _Node) -> _Node:
        def run(at: int, then: _Then) -> bool:
            end = _first_end(node, at)
            return end is not None and then(end)

        return run

    def _group(self, number: int | None, node: _Node) -> _Node:
        if number is None:
            return node

        def run(at: int, then: _Then) -> bool:
            def closed(end: int) -> bool:
                before = self._groups.get(number)
                self._groups[number] = (at, end)
                if then(end):
                    return True
                if before is None:
                    del self._groups[number]
                else:
                    self._groups[number] = before
                return False

            return node(at, closed)

        return run

    def _again(self, number: int) -> _Node:
        def run(at: int, then: _Then) -> bool:
            self._step()
            start, end = self._groups.get(number, (0, -1))
            said = self._text[start:end]
            return end >= 0 and self._text.startswith(said, at) and then(at + len(said))

        return run

    def _around(self, direction: int, items: Any, wanted: bool) -> _Node:
        node = self._sequence(list(items))
        width = items.getwidth()[0] if direction < 0 else 0

        def run(at: int, then: _Then) -> bool:
            self._step()
            seen = at >= width and node(at - width, lambda end: direction > 0 or end == at)
            return seen == wanted and then(at)

        return run

    def _is_at(self, place: Any, at: int) -> bool:
        self._step()
        text, lines = self._text, self._flags & re.MULTILINE
        if place in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
            left, right = (side.isalnum() or side == "_" for side in (text[at - 1 : at], text[at : at + 1]))
            return (left != right) == (place is op.AT_BOUNDARY)
        if place is op.AT_BEGINNING:
            return at == 0 or bool(lines and text[at - 1] == "\n")
        if place is op.AT_END:
            return at >= len(text) - text.endswith("\n") or bool(lines and text[at] == "\n")
        return at == (0 if place is op.AT_BEGINNING_STRING else len(text))
