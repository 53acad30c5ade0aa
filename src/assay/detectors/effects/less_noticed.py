"""Whether the agent's tests still notice what those tests noticed that it changed or removed, on a few mutants.

This is the short form of ``tests_bite``, for every scoring: it runs only tests in files that were there before and
aren't as they were, on faults in the functions that these tests name and in the data that they compare with, and
within seconds. What seems lost is given to all tests again: a demand that moved elsewhere isn't lost.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from assay.detectors.effects.choose import in_order, mutants_in, shown, source_files
from assay.detectors.effects.mutants import Mutant
from assay.detectors.effects.reach import Reach
from assay.detectors.effects.repeated import SHORTEST_SEC, Repeated, RepeatedSide
from assay.detectors.effects.suite import Suite, SuiteResult, lost
from assay.detectors.effects.touched_tests import WORD, TouchedTests, touched_tests
from assay.detectors.effects.watch.find import watch_for
from assay.detectors.settings.files.own_tests import belongs_to_tests
from assay.detectors.settings.files.steering import steers_a_runner
from assay.detectors.test_code.paths import is_collected_path, language_of
from assay.evidence.workspace import AS_LEFT, ChangeKind, Tree, Workspace, changed_paths
from assay.formats.source_text import source_text

# The longer the suite takes, the less is left beside its three runs: half of its time for one of five seconds.
MOST_SEC: Final = 25.0
LESS_BY: Final = 4.5
LEAST: Final = 0.5
HEAVY: Final = 2.0
LEAST_NOTICED: Final = 3
LARGE_SHARE: Final = 0.8
MOST_TRIED: Final = 3
# Whoever looks for any value at all sees that it is missing.
_CRUDE: Final = ("return", "raises")
_LAST_LETTER: Final = re.compile(r"[^\W_](?=[\W_]*\Z)")
_VALUE: Final = re.compile(r"[\d.]+|[Tt]rue|[Ff]alse")


@dataclass(frozen=True, slots=True)
class LessNoticed:
    """How many mutants were tried, how many the changed tests noticed before, and those nobody notices now.

    ``by`` counts, for tests that still notice all that they noticed, how much that is; ``silent`` is how many
    mutants none of the tests notices any more.
    """

    tried: int
    noticed: int
    silent: int
    by: dict[str, int]
    findings: list[dict[str, object]] = field(default_factory=list)


def less_noticed(
    evidence: Workspace, suite: Suite, own: SuiteResult, kept: SuiteResult, as_it_was: Tree, most: int
) -> LessNoticed | None:
    """Compare the agent's tests with the baseline's in ``as_it_was``, which ended as ``own`` and ``kept`` say.

    None if no test that was there before was changed, or if that can't be told in time.
    """
    touched = touched_tests(evidence)
    if touched is None or not kept.passed or not own.passed:
        return None
    left = max(MOST_SEC - LESS_BY * kept.cost_sec, LEAST * kept.cost_sec)
    if not touched.files and 4 * kept.cost_sec > left:
        return None
    repeated = Repeated(suite, evidence, watch_for(suite, evidence, evidence.secret("less noticed")), left)
    sides = _sides(evidence, repeated, touched, own, kept, as_it_was)
    if sides is None:
        return None
    before, after = sides
    chosen = [*islice(_in_data(evidence, touched), MOST_TRIED), *_chosen(evidence, before.reach, touched)][:most]
    left = repeated.left_sec
    by = before.noticing(chosen, 0.5)
    noticed = [(*one, names) for one, names in zip(chosen, by, strict=True) if names]
    still = after.noticing([one[:2] for one in noticed], least_sec=left - repeated.left_sec)
    faults = [_Fault(*one, names) for one, names in zip(noticed, still, strict=True) if names is not None]
    sure = _Sure(evidence, suite, own, kept, as_it_was)
    findings = sure.by_nobody(faults) or sure.by_one_test(faults, after.base.passed - own.others)
    kept_by = _kept_by(faults, after.base.passed | after.base.others)
    silent = sum(not one.now for one in faults)
    return LessNoticed(sum(names is not None for names in by), len(faults), silent, dict(kept_by), findings)


def _sides(
    evidence: Workspace,
    repeated: Repeated,
    touched: TouchedTests,
    own: SuiteResult,
    kept: SuiteResult,
    as_it_was: Tree,
) -> tuple[RepeatedSide, RepeatedSide] | None:
    """The tests of the baseline in touched files, and those of the agent there and in new files.

    None if no time is left for a mutant once the first have run.
    """
    tests = {path for path in (*evidence.baseline_paths(), *changed_paths(evidence)) if is_collected_path(path)}
    added = {one.path for one in evidence.changes if one.kind is ChangeKind.ADDED and touched.files}
    now = [path for path in {*touched.files, *added} & tests if evidence.after(path) is not None]
    was = [path for path in touched.files if path not in added]
    before = repeated.side(as_it_was, kept, was, tests)
    if repeated.left_sec < 2 * SHORTEST_SEC:
        return None
    return before, repeated.side(AS_LEFT, own, sorted(now), tests)


def _kept_by(faults: Sequence["_Fault"], names: frozenset[str]) -> Counter[str]:
    """How many faults each test notices, of those tests that still notice all that they noticed."""
    lost = frozenset[str]()
    for one in faults:
        lost |= {name for name in one.before - one.now if name in names or not one.now & one.before}
    return Counter(name for one in faults for name in one.before if name not in lost)


def _in_data(evidence: Workspace, touched: TouchedTests) -> Iterator[tuple[Mutant, str]]:
    """Text files of tests with another last letter, if the changed tests name them, and named them before.

    A comparison that writes what it found notices nothing.
    """
    if not touched.files:
        return
    now = b"\n".join(evidence.after(path) or b"" for path in {*touched.files, *changed_paths(evidence)})
    for path in evidence.baseline_paths():
        name = path.rpartition("/")[2]
        is_data = belongs_to_tests(path) and language_of(path) is None and not steers_a_runner(path)
        if not is_data or not touched.words_of_files.issuperset(WORD.findall(name)) or name.encode() not in now:
            continue
        text = source_text(evidence.before(path))
        last = None if text is None or text != source_text(evidence.after(path)) else _LAST_LETTER.search(text)
        if text is not None and last is not None:
            line, new = text.count("\n", 0, last.start()) + 1, "1" if last[0] != "1" else "2"
            yield Mutant(path, line, *last.span(), last[0], new, "data of tests", 0), text


def _chosen(evidence: Workspace, reach: Reach | None, touched: TouchedTests) -> list[tuple[Mutant, str]]:
    """Mutants of the functions that the changed tests name, and then those that the fewest tests get to."""
    paths = source_files(evidence, reach)
    if reach is None:
        named = {path for path in paths if path.rpartition("/")[2].split(".")[0] in touched.words_of_files}
        paths = [path for path in paths if path in named or not touched.files]
    found = [one for one in mutants_in(evidence, paths) if one[0].rule not in _CRUDE]

    def remoteness(one: tuple[Mutant, str]) -> tuple[bool, int]:
        mutant, text = one
        lines = text.split("\n")[mutant.function - 1 :] if mutant.function else []
        head = next((line for line in lines if "(" in line and not line.lstrip().startswith("@")), "")
        tests = [] if reach is None else [test.has(mutant) for test in reach.tests.values()]
        is_named = not touched.words.isdisjoint(WORD.findall(head.partition("(")[0])[-1:])
        return not is_named, sum(tests) if mutant.function else len(tests)

    return sorted(in_order(found, set(changed_paths(evidence)), reach), key=remoteness)


@dataclass(frozen=True, slots=True)
class _Fault:
    """A mutant of a text, the tests of the baseline that notice it, and those of the agent's that do."""

    mutant: Mutant
    text: str
    before: frozenset[str]
    now: frozenset[str]

    @property
    def weight(self) -> float:
        """A condition or an error that is missing weighs more than a number, which other inputs may miss."""
        if self.mutant.rule not in ("operator", "constant"):
            return HEAVY
        return 1.0 if self.mutant.rule == "operator" or _VALUE.fullmatch(self.mutant.old) else 0.5


@dataclass(frozen=True, slots=True)
class _Sure:
    """Makes sure of what seems lost: each mutant is given to all tests of either side, in files of its own."""

    evidence: Workspace
    suite: Suite
    own: SuiteResult
    kept: SuiteResult
    as_it_was: Tree

    def by_nobody(self, faults: list[_Fault]) -> list[dict[str, object]]:
        """The findings, if faults that tests noticed are noticed by nobody now: a heavy one, or more than one."""
        found: list[dict[str, object]] = []
        silent = [one for one in faults if not one.now and one.before - self.own.others]
        left, weight = sum(one.weight for one in silent), 0.0
        for one in sorted(silent, key=lambda one: -one.weight)[:MOST_TRIED]:
            if weight >= HEAVY or weight + left < HEAVY:
                break
            left -= one.weight
            if not self._losing(self.own, AS_LEFT, one) and (
                by := self._losing(self.kept, self.as_it_was, one) & one.before
            ):
                found.append(_finding(one, min(by)))
                weight += one.weight
        return found if weight >= HEAVY else []

    def by_one_test(self, faults: list[_Fault], running: frozenset[str]) -> list[dict[str, object]]:
        """The findings, if a test that is still there notices next to nothing of what it noticed."""
        # What another test notices now, and didn't before, may have moved there.
        faults = [one for one in faults if not one.now - one.before]
        for test in sorted(running):
            noticed = [one for one in faults if test in one.before]
            silent = [one for one in noticed if test not in one.now]
            if len(noticed) < LEAST_NOTICED or len(silent) < LARGE_SHARE * len(noticed):
                continue
            proven = [one for one in silent[:MOST_TRIED] if self._is_silent(test, one)]
            if len(proven) >= MOST_TRIED - 1:
                return [_finding(one, test) for one in proven]
        return []

    def _is_silent(self, test: str, fault: _Fault) -> bool:
        """Whether a test noticed a fault and doesn't now, and no other does that didn't before."""
        by, now = self._losing(self.kept, self.as_it_was, fault), self._losing(self.own, AS_LEFT, fault)
        return test in by and test not in now and now <= by

    def _losing(self, base: SuiteResult, tree: Tree, fault: _Fault) -> set[str]:
        files = {**tree.files, fault.mutant.path: fault.mutant.applied(fault.text).encode()}
        return set(lost(base, self.suite.run(self.evidence, replace(tree, files=files))))


def _finding(fault: _Fault, test: str) -> dict[str, object]:
    place = {"rule": "not noticed any more", "path": fault.mutant.path, "line": fault.mutant.line}
    return {**place, "test": test, "detail": fault.mutant.rule, **dict(shown(fault.mutant, fault.text))}
