"""The assertions of a file, each with the scope it stands in, while it is not known yet what is swallowed."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, takewhile

from assay.detectors.test_code.engine.bound import NOTHING_BOUND, Bound, put_in
from assay.detectors.test_code.engine.demand import FAILURES, Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.conditions import condition_demands
from assay.detectors.test_code.engine.expressions.parts import BRANCHING, FUNCTIONS, Part
from assay.detectors.test_code.engine.expressions.sides import receiver_of
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.guarded import Guard, InPlace, guard_of, is_cut_off
from assay.detectors.test_code.engine.library_calls import LibraryCalls
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.rows import rounds
from assay.detectors.test_code.engine.rules import demand_of
from assay.detectors.test_code.engine.scopes import CodeScope, Role, Written
from assay.detectors.test_code.engine.swallowing import in_catch, is_strong
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.tree import Node

_DEEPEST = 4
_THEN = (("catch",), ("then",), ("finally",))
"""What may follow a promise that asserts."""
_LONGEST_TRIED = 1000
_SAYS_EQUAL = re.compile(r"^(?!.*(?:[nN]ot|[aA]lmost|[cC]lose)).*[eE]qual")
_TYPE = re.compile(r"\b(?:\w++(?:\.|::|\\))*+[A-Z]\w*+")
_STOPS = FUNCTIONS | {Part.CASE, Part.CATCH, Part.LOOP, Part.EACH}
_THROUGH = frozenset({Part.BLOCK, Part.STATEMENT, Part.ELSE})
_STATEMENT_PARTS = frozenset(
    {Part.FILE, Part.BLOCK, Part.STATEMENT, Part.IF, Part.ELSE, Part.LOOP, Part.EACH, Part.CASE, Part.ONCE}
)


Again = Callable[[Callable[[list[str]], list[str]]], "list[WrittenDemand] | None"]
"""Asks once more, with other words for what is written."""


def _as_it_is(words: list[str]) -> list[str]:
    return words


@dataclass(slots=True)
class _Pending:
    node: Node
    scope: CodeScope
    text: str
    demand: Demand
    lost: bool = False
    function: str = ""
    """A function whose name says that it asserts. Where it is in the same file, what it asserts counts instead."""
    again: "Again | None" = None
    place: int = 0
    least: bool = False
    """Whether it counts only where nothing else is asserted."""
    words: Sequence[str] = ()


class Asserting:
    """Collects assertions while the tree is walked, and hands them over when it is known what is swallowed."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: list[_Pending] = []
        self._guards: set[Node] = set()
        self._ends: list[int] = []
        self._asked_at: list[tuple[int, Strength]] | None = None
        self.strong: set[Node] = set()
        self._libraries = LibraryCalls(reading)

    def visit(self, node: Node, scope: CodeScope) -> None:
        if scope.role is Role.FILE:
            return
        if node.part is Part.CALL:
            call = self._reading.calls[node]
            if call.outermost and not self._is_too_deep(node):
                self._visit_call(call, scope)
        elif node.part is Part.THROW:
            self._throws(node, scope)
        elif node.part is Part.ASSERT:
            self._assert_statement(node, scope)

    def _is_too_deep(self, node: Node) -> bool:
        """Each assertion is read whole, deep ones again and again."""
        while self._ends and self._ends[-1] <= node.start:
            self._ends.pop()
        return len(self._ends) >= _DEEPEST

    def _visit_call(self, call: Call, scope: CodeScope) -> None:
        reading, language = self._reading, self._reading.language
        whole = call
        while call.inner is not None and call.names in _THEN:
            call = call.inner
        own = language.quirks.asserted
        written = own(reading, call, scope) if own is not None else None
        if written is None:
            names = reading.names(call)
            if self._fails(call, names):
                self.fail(call.node, scope)
                return
            again = partial(self._libraries.demands, call, names)
            written = again(_as_it_is)
        else:
            again = None
        if written is not None:
            if written:
                self._ends.append(call.node.end)
            lost = language.quirks.lost is not None and language.quirks.lost(reading, call)
            for place, each in enumerate(written):
                dropped = lost or (each.demand.promise and self._is_dropped(whole))
                name = self._own_name(call)
                self.add(
                    call.node, scope, each.text, each.demand, lost=dropped, function=name, again=again, place=place
                )
        elif call.inner is None and call.names and language.custom.match(call.names[-1]):
            self._custom(call, scope)
        elif call.names and call.names[-1] in language.least:
            self._at_least(call, scope)

    def _own_name(self, call: Call) -> str:
        """The name under which a function of this file may take the place of a library's."""
        receivers = self._reading.language.heads.receivers
        names = call.root.names
        if not names or (call.inner is not None and names[-1] not in self._libraries.starters):
            return ""
        return names[-1] if len(names) == 1 or names[0] in receivers else names[0]

    def _fails(self, call: Call, names: tuple[str, ...]) -> bool:
        language = self._reading.language
        last = (call.names if call.inner is not None else names)[-1:]
        if not last or last[0] not in language.fails:
            return False
        receivers = language.fail_receivers
        if receivers is None:
            return True
        before = names[0] if len(names) > 1 else (call.root.names[-1] if call.inner is not None else "")
        return before in receivers or before in self._reading.handles

    def _custom(self, call: Call, scope: CodeScope) -> None:
        """``checkEqual(t, got, want)``: a function that asserts by its name, and is written elsewhere."""
        words = self._reading.words_of(call.node)
        whole = self._reading.chain(words)[-1]
        link = self._reading.without_handle(whole)
        if self._reading.handles and link is whole:
            return
        strength = Strength.EXACT if _SAYS_EQUAL.search(call.names[-1]) else Strength.SHAPE
        demand = Demand(strength, link.text(0) or "", link.text(1))
        self.add(call.node, scope, joined(words), demand, function=call.names[-1])

    def _at_least(self, call: Call, scope: CodeScope) -> None:
        """``f(1).unwrap()``: a value is got at, which must be there."""
        words = self._reading.words_of(call.node)
        rule = self._reading.language.least[call.names[-1]]
        demand = demand_of(rule, self._reading.chain(words)[-1], self._reading.facts, receiver_of(words))
        self.add(call.node, scope, joined(words), demand, least=True)

    def _assert_statement(self, node: Node, scope: CodeScope) -> None:
        """``assert x == 3``: the words after the first, without the message."""
        words = self._reading.words_of(node)[1:]
        if words[:1] == ["False"] and self._is_awaited(node, scope):
            return
        for separator in (":", ","):
            words = split(words, separator)[0] if words else words
        again = partial(self._asserts, words, node)
        for place, found in enumerate(again(_as_it_is)):
            self.add(node, scope, found.text, found.demand, again=again, place=place)

    def _asserts(
        self, words: list[str], node: Node, swap: Callable[[list[str]], list[str]]
    ) -> list[WrittenDemand]:
        found = self._conditions(swap(words), True, node)
        return [each._replace(text=f"assert {each.text}") for each in found]

    def _conditions(self, words: list[str], wanted: bool, node: Node) -> list[WrittenDemand]:
        """The demands of a condition, an idiom of the language first."""
        reading = self._reading
        words = reading.following.returned(words)
        own = reading.language.quirks.condition
        idiom = None if own is None else lambda part, holds: own(reading, part, holds, node)
        return condition_demands(words, wanted, reading.values.constants, reading.language.logic, idiom)

    def _throws(self, node: Node, scope: CodeScope) -> None:
        """``if (got !== 3) throw …`` asserts the opposite of its condition."""
        around = node.parent
        while around is not None and around.part in _THROUGH and around.part is not Part.ELSE:
            around = around.parent
        if in_catch(node) or self._is_awaited(node, scope):
            return
        if around is None or around.part not in BRANCHING:
            return
        if scope.role in (Role.TEST, Role.FUNCTION):
            self._guard(around, node, scope)

    def _is_awaited(self, node: Node, scope: CodeScope) -> bool:
        """Whether what fails is there in case nothing was raised: then an error is demanded."""
        own, block = self._reading.language.quirks.awaited, node.parent
        tried = block.parent if block is not None else None
        if own is None or tried is None or tried.part is not Part.TRY or block.part is Part.FINALLY:  # type: ignore[union-attr]
            return False
        found = own(self._reading, node, tried)
        if found is not None:
            self.add(tried, scope, found.text, found.demand)
        return found is not None

    def fail(self, node: Node, scope: CodeScope) -> None:
        """``if got != want { t.Errorf(…) }`` asserts the opposite of its condition."""
        if in_catch(node) or self._is_awaited(node, scope):
            return
        for around in islice(node.ancestors(), FAR):
            if around.part in BRANCHING:
                self._guard(around, node, scope)
                return
            if around.part is Part.TRY and around.part_child(Part.CATCH) is not None:
                self._expect_error(around, node, scope)
                return
            if around.part in _STOPS:
                break
        self.add(node, scope, self._reading.text(node), Demand(Strength.SHAPE, "reached"))
        self._reading.panics.add(self._reading.function_around(node))

    def _expect_error(self, tried: Node, node: Node, scope: CodeScope) -> None:
        """A failure at the end of a try body says that an error must come before it."""
        reading = self._reading
        clause = tried.part_child(Part.CATCH)
        body = clause.part_child(Part.BLOCK) if clause is not None else None
        end = body.start if body is not None else (clause.end if clause is not None else 0)
        kinds = (
            _TYPE.findall(reading.tree.text[clause.start : min(end, clause.start + _LONGEST_TRIED)])
            if clause is not None
            else []
        )
        block = tried.part_child(Part.BLOCK)
        bracket = 1 if block is not None and reading.tree.text[block.start] in "{:" else 0
        start = block.start + bracket if block is not None else tried.start
        subject = joined(reading.words(max(start, node.start - _LONGEST_TRIED), node.start))
        kind = kinds[0] if kinds else ""
        strength = Strength.SHAPE if kind in ("", *reading.language.broad) else Strength.EXACT
        self.add(node, scope, reading.text(node), Demand(strength, subject, kind or None))

    def _guard(self, guard: Node, node: Node, scope: CodeScope) -> None:
        found = self._reading.branches(guard)
        if found is None or guard in self._guards:
            return
        self._guards.add(guard)
        otherwise = any(each.start <= node.start < each.end for each in found.otherwise)
        wanted = otherwise is not found.unless
        words, own = self._reading.asked(guard), self._reading.language.quirks.condition
        if own is None or own(self._reading, words, wanted, guard) is None:
            words = put_in(words, self._reading.head_bound(guard))
        again = partial(self._guarded, words, wanted, guard)
        for place, each in enumerate(again(_as_it_is)):
            # The condition itself runs whenever the statement does.
            self.add(guard, scope, each.text, each.demand, again=again, place=place)

    def _guarded(
        self, words: list[str], wanted: bool, guard: Node, swap: Callable[[list[str]], list[str]]
    ) -> list[WrittenDemand]:
        found = self._conditions(swap(words), wanted, guard)
        return [each._replace(text=f"if {each.text} {'' if wanted else 'fail'}".rstrip()) for each in found]

    def add(
        self,
        node: Node,
        scope: CodeScope,
        text: str,
        demand: Demand,
        *,
        lost: bool = False,
        function: str = "",
        again: Again | None = None,
        place: int = 0,
        least: bool = False,
    ) -> None:
        words = self._reading.words_of(node) if again is not None else ()
        self._found.append(_Pending(node, scope, text, demand, lost, function, again, place, least, words))
        if is_strong(demand.strength, text) and not node.dead:
            self.strong.add(node)

    def _is_dropped(self, call: Call) -> bool:
        """Whether a promise is made and nobody waits for it."""
        parent = call.node.parent
        if call.names[-1:] and call.names[-1] in self._reading.language.waits:
            return False
        return parent is not None and parent.part in _STATEMENT_PARTS

    def hand_over(self) -> None:
        """Put every assertion into its scope."""
        scopes = self._reading.scopes
        functions = {scope.name for scope in scopes if scope.role is Role.FUNCTION and scope.name}
        # A class of the file may be called like the library's.
        functions |= {each.name for each in scopes if each.node is not None and each.node.part is Part.CLASS}
        for found in self._found:
            own = found.function in functions and found.demand.strength is not Strength.VACUOUS
            if not found.function or not own:
                self._write(found)

    def _write(self, found: _Pending) -> None:
        """Put an assertion into its scope to be asked with what parameters stand for."""
        if found.least:
            found.scope.least.extend(self._ask(found, False, NOTHING_BOUND))
            return
        fails = found.demand.subject in FAILURES
        guard = Guard(False, []) if fails else guard_of(self._reading, found.node, self._in_place_of(found.demand))
        asked = partial(self._ask, found, guard.guarded)
        around = rounds(self._reading, found.node)
        found.scope.written.append(Written(found.node, asked, guard.chosen, around))
        found.scope.rows = max(found.scope.rows, len(around))

    def _in_place_of(self, demand: Demand) -> InPlace:
        """Whether another branch fails, or asks for as much."""
        if self._asked_at is None:
            self._asked_at = sorted((each.node.start, each.demand.strength) for each in self._found)

        def in_place(branch: Node) -> bool:
            first = bisect_left(self._asked_at or [], (branch.start,))
            inside = takewhile(lambda each: each[0] < branch.end, islice(self._asked_at or [], first, None))
            if any(strength >= demand.strength for _, strength in inside):
                return True
            within = self._reading.tree.within(branch.start, branch.end)
            return any(
                (each.part is Part.THROW or self._is_failing(each)) and not _is_guarded(each, branch)
                for each in within[:FAR]
            )

        return in_place

    def _is_failing(self, node: Node) -> bool:
        call = self._reading.calls.get(node)
        return call is not None and self._fails(call, self._reading.names(call))

    def _ask(self, found: _Pending, guarded: bool, bound: Bound) -> list[Assertion]:
        written = [WrittenDemand(found.text, found.demand)]
        if bound and found.again is not None and not bound.keys().isdisjoint(found.words):
            anew = found.again(partial(put_in, bound=bound)) or written
            several = found.place == 0 and len(anew) > 1
            written = anew if several else anew[found.place : found.place + 1] or written
        node = found.node
        reachable = not (node.dead or is_cut_off(self._reading, node))
        asked = []
        for text, each in written:
            demand = replace(each, strength=each.strength.weaker) if guarded else each
            demand = self._reading.following.settled(demand, node, bound)
            asked.append(
                Assertion(
                    self._reading.line(node), text, demand.strength, demand.subject, demand.expected,
                    demand.tolerance, reachable, node.swallowed or found.lost,
                )
            )  # fmt: skip
        return asked


def _is_guarded(node: Node, branch: Node) -> bool:
    """Whether a condition inside of a branch decides on a node in it."""
    around = takewhile(lambda each: each is not branch, islice(node.ancestors(), FAR))
    return branch.part not in BRANCHING and any(each.part in BRANCHING for each in around)
