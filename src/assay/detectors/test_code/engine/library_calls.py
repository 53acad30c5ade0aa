"""The demands of a call by the libraries of its language."""

from collections.abc import Callable

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.brackets import last_opening
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import (
    without_negations,
)
from assay.detectors.test_code.engine.expressions.fluent import fluent_demands, matched
from assay.detectors.test_code.engine.expressions.literals import is_text
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.rules import Check, Kind, Rule, demand_of

MOST_LINKS = 50


class LibraryCalls:
    """Reads what calls of the language's assertion libraries demand."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        libraries = reading.language.libraries
        self._by_function: dict[str, list[tuple[Library, Rule | Check]]] = {}
        self.starters = {name for library in libraries for name in library.starters}
        self._middle = {name for library in libraries for name in library.asking}

    def demands(
        self, call: Call, names: tuple[str, ...], swap: Callable[[list[str]], list[str]]
    ) -> list[WrittenDemand] | None:
        """The demands of a call by the language's libraries; None for a call that has none."""
        step: Call | None = call
        for _ in range(MOST_LINKS):
            if step is None:
                break
            if step.names and step.names[-1] in self.starters:
                return self._fluent(call, step.names[-1], swap)
            if not self._middle.isdisjoint(step.names):
                return self._fluent(call, next(name for name in step.names if name in self._middle), swap)
            step = step.inner
        for asked in (call, call.root):
            root = self._known(names[-1]) if names and asked.inner is None else []
            if not root and asked.names:
                root = self._known(asked.names[-1])
            found = self._function(asked, names, root, swap) if root else None
            if found is not None:
                return found
        return None

    def _known(self, name: str) -> list[tuple[Library, Rule | Check]]:
        """The libraries that have a function of this name, and what it demands."""
        if name not in self._by_function:
            asked = [(library, library.rule(name)) for library in self._reading.language.libraries]
            self._by_function[name] = [(library, rule) for library, rule in asked if rule is not None]
        return self._by_function[name]

    def _fluent(self, call: Call, word: str, swap: Callable[[list[str]], list[str]]) -> list[WrittenDemand] | None:
        reading = self._reading
        words = swap(reading.words_of(call.node))
        links = reading.chain(words)
        for library in reading.language.libraries:
            if word in library.starters or word in library.asking:
                found = fluent_demands(library, words, links, reading.facts)
                if found is not None:
                    return found
        return None

    def _function(
        self,
        call: Call,
        names: tuple[str, ...],
        known: list[tuple[Library, Rule | Check]],
        swap: Callable[[list[str]], list[str]],
    ) -> list[WrittenDemand] | None:
        reading = self._reading
        for library, rule in known:
            if not reading.is_received(call, names, library.receivers):
                continue
            words = swap(reading.words_of(call.node))
            link = reading.chain(words)[-1]
            link = self._reading.without_handle(link)
            if library.trimmed is not None:
                link = library.trimmed(link)
            if link.name in library.asked and link.given > 1:
                found = matched(library, link, reading.facts)
                return [each._replace(text=library.head + each.text) for each in found]
            text = (
                library.head + link.written(link.names[-1:])
                if library.trimmed is not None
                else without_message(words, link, rule)
            )
            demand = self._idiom(rule, link, call) or demand_of(rule, link, reading.facts)
            return [WrittenDemand(text, demand)]
        return None

    def _idiom(self, rule: Rule | Check, link: Link, call: Call) -> Demand | None:
        """The demand of a condition that is handed over, in an idiom of the language."""
        own = self._reading.language.quirks.condition
        if own is None or not isinstance(rule, Rule) or rule.kind not in (Kind.HOLDS, Kind.FAILS):
            return None
        words, wanted = without_negations(link.argument(rule.subject), rule.kind is Kind.HOLDS)
        found = own(self._reading, words, wanted, call.node) if words else None
        return found.demand if found is not None else None


_MESSAGES = frozenset(("msg", "message", "err_msg", "reason", "verbose"))


def without_message(words: list[str], link: Link, rule: Rule | Check) -> str:
    """The assertion without its message."""
    if not isinstance(rule, Rule):
        return _without_messages(words, link)
    if rule.kind in (Kind.REACHED, Kind.EXACT, Kind.SHAPE, Kind.NO_SHAPE) or link.given <= rule.needs:
        return joined(words)
    kept = [
        each
        for at, each in enumerate(link.arguments or ())
        if at < rule.needs or (len(each) > 1 and each[1] in (":", "="))
    ]
    return f"{joined(words[: last_opening(words)])}({', '.join(joined(each) for each in kept)})"


def _without_messages(words: list[str], link: Link) -> str:
    """An assertion without what it only says when it fails, as far as a label or its place tells that."""
    given = link.arguments or []
    kept = [each for each in given if not (len(each) > 2 and each[1] == "=" and each[0] in _MESSAGES)]
    if len(kept) == 3 and len(kept[2]) == 1 and is_text(kept[2][0]):
        kept = kept[:2]
    if len(kept) == len(given):
        return joined(words)
    return f"{joined(words[: last_opening(words)])}({', '.join(joined(each) for each in kept)})"
