"""The new assertions of the changed tests. Each may replace one lost assertion."""

from collections import defaultdict
from collections.abc import Hashable

from assay.detectors.test_code.assertion_pairs import (
    demand_key,
    kin,
    wider,
    without_owner,
)
from assay.detectors.test_code.model import Assertion

_TRIED = 20


class Pool:
    """New assertions by what they mean and by their text."""

    def __init__(self) -> None:
        self.used: set[int] = set()
        self._by_key: dict[Hashable, list[Assertion]] = defaultdict(list)

    def add(self, gained: list[Assertion]) -> None:
        """Put in what a test gained."""
        for each in gained:
            self._by_key[demand_key(each)].append(each)
            self._by_key[each.text].append(each)
            for key in kin(each):
                self._by_key[key].append(each)

    def take_text(self, lost: Assertion) -> bool:
        if self.take_same(lost) or self._take(lost.text, lost):
            return True
        return any(self._take(key, lost) for key in kin(lost))

    def take_same(self, lost: Assertion) -> bool:
        return self._take(demand_key(lost), lost)

    def use(self, assertion: Assertion) -> None:
        """Take an assertion out that already stands for another one in its own test."""
        self.used.add(id(assertion))

    def _take(self, key: Hashable, lost: Assertion) -> bool:
        waiting = self._by_key.get(key, [])
        while waiting and id(waiting[-1]) in self.used:
            waiting.pop()
        if not waiting or wider(lost, waiting[-1]) or waiting[-1].strength < lost.strength:
            return False
        self.used.add(id(waiting.pop()))
        return True


class Replacements:
    """A test's gains and the things in it that count for nothing, to compare with its losses."""

    def __init__(self, gained: list[Assertion], dead: list[Assertion]) -> None:
        self._gained = _Shelf(gained)
        self._dead = _Shelf(dead)
        subjects = {without_owner(each.subject) for each in gained if each.subject}
        self.subjects = subjects | {each.text for each in gained}

    def take_alike(self, lost: Assertion) -> Assertion | None:
        """One with the same text, else one about the same thing."""
        found = self._gained.find(lost)
        if found is not None:
            self._gained.used.add(id(found))
        return found

    def dead_alike(self, lost: Assertion) -> Assertion | None:
        return self._dead.find(lost)

    def rest(self, lost: Assertion) -> list[Assertion]:
        """The remaining ones worth trying one by one: those that expect the same, and the next few."""
        return [*self._gained.expecting(lost.expected), *self._gained.next_few()]

    def use(self, assertion: Assertion) -> None:
        self._gained.used.add(id(assertion))


class _Shelf:
    """Assertions by text and by subject."""

    def __init__(self, assertions: list[Assertion]) -> None:
        self.used: set[int] = set()
        self._by: dict[Hashable, list[Assertion]] = defaultdict(list)
        for each in reversed(assertions):
            self._by["text", each.text].append(each)
            self._by["expected", each.expected].append(each)
            if each.subject:
                self._by["subject", without_owner(each.subject)].append(each)
        self._unused = list(reversed(assertions))

    def find(self, like: Assertion) -> Assertion | None:
        for key in (("text", like.text), ("subject", without_owner(like.subject))):
            waiting = self._without_used(self._by.get(key, []))
            if waiting:
                return waiting[-1]
        return None

    def expecting(self, expected: str | None) -> list[Assertion]:
        return self._few(self._by.get(("expected", expected), []))

    def next_few(self) -> list[Assertion]:
        return self._few(self._unused)

    def _few(self, waiting: list[Assertion]) -> list[Assertion]:
        last = self._without_used(waiting)[-_TRIED:]
        return [each for each in reversed(last) if id(each) not in self.used]

    def _without_used(self, waiting: list[Assertion]) -> list[Assertion]:
        while waiting and id(waiting[-1]) in self.used:
            waiting.pop()
        return waiting
