"""Finds, for each test before a change, the same test after it.

By its identity in the same file first. What is left may have been renamed or moved: then its assertions tell, or
the shape of them, or at last a similar name. Look-ups go by index, so the cost grows with the assertions.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from assay.detectors.test_code.assertion_pairs import about_the_same
from assay.detectors.test_code.findings import FilePair, Located, short_name
from assay.detectors.test_code.model import Assertion, Strength, Test, TestCode

_COMMON = 30


@dataclass(slots=True)
class Matching:
    """``pairs`` has each test from before with what became of it; ``new`` those after that were none before.

    ``dead`` has, for a test that is gone, the thing of the same name that no runner collects any more.
    """

    pairs: list[tuple[Located, Located | None]] = field(default_factory=list)
    new: list[Located] = field(default_factory=list)
    dead: dict[int, Located] = field(default_factory=dict)


def match_tests(files: Iterable[FilePair]) -> Matching:
    """Pair the tests of all changed files."""
    found = Matching()
    gone: list[Located] = []
    fresh: list[Located] = []
    for file in files:
        _by_identity(file, found, gone, fresh)
    for key in (_texts, _moved):
        gone, fresh = _by_key(gone, fresh, key, found)
    gone, fresh = _by_overlap(gone, fresh, found)
    gone, fresh = _by_expectations(gone, fresh, found)
    found.pairs += [(each, None) for each in gone]
    found.new += fresh
    return found


def _by_identity(file: FilePair, found: Matching, gone: list[Located], fresh: list[Located]) -> None:
    before, after = _grouped(file.before), _grouped(file.after)
    for identity, tests in before.items():
        for test, same in _same_named(tests, after.pop(identity, [])):
            here = Located(file.old_path, test)
            if same is not None and (same.collected or not test.collected):
                found.pairs.append((here, Located(file.path, same)))
                continue
            if same is not None:
                found.dead[id(test)] = Located(file.path, same)
            if test.collected:
                gone.append(here)
    fresh += [Located(file.path, test) for tests in after.values() if (test := _one_of(tests)).collected]


def _grouped(code: TestCode | None) -> dict[str, list[Test]]:
    found: dict[str, list[Test]] = defaultdict(list)
    for test in code.tests if code is not None else ():
        found[test.identity].append(test)
    return found


def _same_named(before: list[Test], after: list[Test]) -> Iterable[tuple[Test, Test | None]]:
    """The tests of one name. As many as before are the same ones, in order; of more or fewer, only one may run."""
    if len(before) == len(after):
        return zip(before, after, strict=True)
    return [(_one_of(before), _one_of(after) if after else None)]


def _one_of(tests: list[Test]) -> Test:
    """Of several tests with one name, the last one that is collected: it may take the place of the others."""
    return next((test for test in reversed(tests) if test.collected), tests[-1])


Key = Callable[[Located], Hashable | None]


Features = Callable[[Located], list[Hashable]]
"""What a test has that another one may have, too; each only once."""
Enough = Callable[[int, Located, Located], bool]
"""Whether a test before and one after share so many features that they are the same test."""


def _texts(each: Located) -> Hashable | None:
    return tuple(sorted(assertion.text for assertion in each.test.assertions)) or None


def _moved(each: Located) -> Hashable | None:
    """The same name in another class or file, with as many assertions."""
    return short_name(each.test), len(each.test.assertions)


def _by_key(
    gone: list[Located], fresh: list[Located], key: Key, found: Matching
) -> tuple[list[Located], list[Located]]:
    waiting: dict[Hashable, list[Located]] = defaultdict(list)
    for each in reversed(fresh):
        waiting[key(each)].append(each)
    taken: set[int] = set()
    left: list[Located] = []
    for each in gone:
        signature = key(each)
        candidates = waiting.get(signature) if signature is not None else None
        if not candidates:
            left.append(each)
            continue
        chosen = candidates.pop()
        taken.add(id(chosen))
        found.pairs.append((each, chosen))
    return left, [each for each in fresh if id(each) not in taken]


def _by_overlap(gone: list[Located], fresh: list[Located], found: Matching) -> tuple[list[Located], list[Located]]:
    """The new test that shares most assertions, and at least half of them."""

    def texts(each: Located) -> list[Hashable]:
        return list({assertion.text for assertion in each.test.assertions})

    return _by_votes(gone, fresh, found, texts, lambda votes, old, _: votes * 2 >= len(texts(old)))


def _by_votes(
    gone: list[Located], fresh: list[Located], found: Matching, features: Features, enough: Enough
) -> tuple[list[Located], list[Located]]:
    """The new test that shares most features, if those are enough; of several, the first in the text."""
    index = _index(fresh, features)
    taken: set[int] = set()
    left: list[Located] = []
    for each in gone:
        shared = (number for feature in features(each) for number in index.get(feature, ()))
        votes = Counter(number for number in shared if number not in taken)
        best = min(votes, key=lambda number: (-votes[number], number), default=None)
        if best is not None and enough(votes[best], each, fresh[best]):
            taken.add(best)
            found.pairs.append((each, fresh[best]))
        else:
            left.append(each)
    return left, [each for number, each in enumerate(fresh) if number not in taken]


def _index(fresh: list[Located], features: Features) -> dict[Hashable, list[int]]:
    """The new tests with each feature; the first of them where it is common."""
    index: dict[Hashable, list[int]] = defaultdict(list)
    for number, each in enumerate(fresh):
        for feature in features(each):
            if len(index[feature]) < _COMMON:
                index[feature].append(number)
    return index


def _by_expectations(
    gone: list[Located], fresh: list[Located], found: Matching
) -> tuple[list[Located], list[Located]]:
    """The new test that expects the very same, one by one, of what is called otherwise or made elsewhere now."""
    waiting: dict[Hashable, list[Located]] = defaultdict(list)
    for each in fresh:
        waiting[_expected(each)].append(each)
    taken: set[int] = set()
    left: list[Located] = []
    for each in gone:
        candidates = waiting[_expected(each)][:_COMMON] if _expected(each) else []
        heir = next((new for new in candidates if id(new) not in taken and _same_subjects(each, new)), None)
        if heir is None:
            left.append(each)
            continue
        taken.add(id(heir))
        found.pairs.append((each, heir))
    return left, [each for each in fresh if id(each) not in taken]


def _expected(each: Located) -> tuple[str, ...]:
    return tuple(assertion.expected or "" for assertion in _telling(each.test))


def _same_subjects(before: Located, after: Located) -> bool:
    return all(map(about_the_same, _telling(before.test), _telling(after.test)))


def _telling(test: Test) -> list[Assertion]:
    """The assertions that expect something, in an order that does not depend on where they stand."""
    demands = [each for each in test.assertions if each.expected and each.strength > Strength.PRESENCE]
    return sorted(demands, key=lambda each: (each.expected or "", each.subject.lower()))
