"""Finds the tests and assertions that a change removed or weakened.

An assertion that left its test may have gone to another one: tests are split, merged, moved and parametrised. So
what is new anywhere in the changed tests is a pool from which each lost assertion may be made good, once.
"""

from collections import Counter
from collections.abc import Sequence

from assay.detectors.test_code.assertion_pairs import (
    broken_rule,
    differences,
    reworded,
    without_owner,
)
from assay.detectors.test_code.assertion_pool import Pool, Replacements
from assay.detectors.test_code.engine.demand import NO_ERROR
from assay.detectors.test_code.engine.scopes import RUNS
from assay.detectors.test_code.findings import (
    Comparison,
    FilePair,
    Finding,
    Located,
    counts,
    never_runs,
)
from assay.detectors.test_code.helper_calls import HelperCalls
from assay.detectors.test_code.matching import Matching, match_tests
from assay.detectors.test_code.messages import catches_the_message
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.parametrised import Parametrised
from assay.detectors.test_code.removed_names import NO_NAMES, ChangedNames
from assay.detectors.test_code.removed_subjects import subject_removed
from assay.detectors.test_code.swapped_expectations import swapped_expectation
from assay.formats.counting import counted


def compare_assertions(files: Sequence[FilePair], names: ChangedNames = NO_NAMES) -> Comparison:
    """Compare the tests of all changed files. ``names`` are those that the change took out of the code."""
    matching = match_tests(files)
    by_path = {file.old_path: file for file in files}
    return _Weakening(matching, names, files, by_path).compare()


class _Weakening:
    """One comparison."""

    def __init__(
        self,
        matching: Matching,
        names: ChangedNames,
        pairs: Sequence[FilePair],
        files: dict[str, FilePair],
    ) -> None:
        self.matching = matching
        self.files = files
        self.names = names
        self.calls = HelperCalls(files.values())
        self.pool = Pool()
        self.tables = Parametrised(pairs, self.pool.used)
        self.result = Comparison()
        self._gained: dict[int, list[Assertion]] = {}
        self._lost: dict[int, list[Assertion]] = {}

    def compare(self) -> Comparison:
        for before, after in self.matching.pairs:
            self._split(before, after)
        for fresh in self.matching.new:
            if not never_runs(fresh.test):
                counting = [each for each in fresh.test.assertions if counts(each)]
                self.pool.add(counting, counting, fresh.test.cases)
        for before, after in self.matching.pairs:
            self._one(before, after)
        self.result.findings.sort(key=lambda each: (each.path, each.line, each.rule))
        return self.result

    def _split(self, before: Located, after: Located | None) -> None:
        """Fill the pool with what each test gained before looking for what it lost."""
        lost = [each for each in before.test.assertions if counts(each)]
        gained: list[Assertion] = []
        if after is not None:
            whole = [each for each in after.test.assertions if counts(each)]
            lost, gained = differences(lost, whole)
            if not never_runs(after.test) and gained:
                self.pool.add(gained, whole, after.test.cases)
        self._lost[id(before.test)], self._gained[id(before.test)] = lost, gained

    def _one(self, before: Located, after: Located | None) -> None:
        if before.test.collected:
            self.result.compared += 1
        found = self._gone(before) if after is None else self._kept(before, after)
        file = self.files[before.path]
        explained = [each for each in found if self._is_explained(each, file, before)]
        worse = [each for each in found if each not in explained]
        self.result.explained += explained
        # The cases of a parametrised test often lose one and the same demand.
        self.result.findings += dict.fromkeys(worse)
        self.result.worse += bool(worse)

    def _is_explained(self, finding: Finding, file: FilePair, before: Located) -> bool:
        if subject_removed(file, before, finding, self.names.removed):
            return True
        if subject_removed(file, before, finding, self.names.unasked):
            self.result.unasked.append(finding)
        return False

    def _gone(self, before: Located) -> list[Finding]:
        """A test that no longer runs. Its assertions may have moved to other tests."""
        test = before.test
        if never_runs(test) or (not test.assertions and self._is_group(before)):
            return []
        lost = self._lost_for_good(before)
        if not lost and any(counts(each) for each in test.assertions):
            return []
        shown = "; ".join(each.text for each in (lost or test.assertions)[:3])
        dead = self.matching.dead.get(id(test))
        if dead is not None:
            return [
                Finding("test-not-collected", dead.path, dead.test.line, test.identity, shown, "is not collected")
            ]
        return [Finding("test-removed", before.path, test.line, test.identity, shown, "")]

    def _is_group(self, before: Located) -> bool:
        """Whether a test only holds others, which are compared for themselves."""
        file = self.files[before.path].before
        inside = f"{before.test.identity} > "
        return file is not None and any(each.identity.startswith(inside) for each in file.tests)

    def _lost_for_good(self, before: Located) -> list[Assertion]:
        """What a test that is gone demanded and no other test does."""
        lost = [each for each in self._lost[id(before.test)] if not self.pool.take_text(each)]
        if lost and self.tables.heir(before, lost) is not None:
            return []
        return [each for each in lost if not self._as_a_case(each, before)]

    def _kept(self, before: Located, after: Located) -> list[Finding]:
        found: list[Finding] = []
        if after.test.collected and not before.test.collected:
            # Nobody ran it before.
            return found
        if self._lost[id(before.test)]:
            found = self._worse(before, after)
        elif (pair := swapped_expectation(self.files[before.path], before.test, after.test)) is not None:
            found = [self._finding("expectation-rewritten", before, after, *pair)]
        fewer = _fewer_cases(before, after)
        if fewer is None:
            return found
        others = [each for each in found if each.rule != "assertion-removed"]
        return found if len(others) == len(found) and _written_out(before) else [*others, fewer]

    def _worse(self, before: Located, after: Located) -> list[Finding]:
        """What became of the assertions that a test lost, as far as it is worse."""
        lost = self._lost[id(before.test)]
        dead = [each for each in after.test.assertions if not counts(each)]
        others = Replacements(self._gained[id(before.test)], dead)
        left = [each for each in lost if not self._made_good(each, before, others)]
        left = self.calls.left(before, after, left)
        return [finding for each in left if (finding := self._why(each, before, after, others)) is not None]

    def _made_good(self, lost: Assertion, before: Located, others: Replacements) -> bool:
        """Whether the same demand is made elsewhere. One about the same subject in this test is compared first."""
        if self.pool.take_same(lost) or self.tables.takes(before, lost):
            return True
        if without_owner(lost.subject) in others.subjects or lost.text in others.subjects:
            return False
        return self.pool.take_text(lost) or self._as_a_case(lost, before)

    def _as_a_case(self, lost: Assertion, before: Located) -> bool:
        """Whether a parametrised test makes the same demand. Cases that are written out are in their table."""
        cases = before.test.cases
        return not (cases == 1 and self.tables.told(before)) and self.pool.take_shape(lost, cases or 1)

    def _why(self, lost: Assertion, before: Located, after: Located, others: Replacements) -> Finding | None:
        """The finding for an assertion that nothing replaces; None where something does."""
        alike = others.take_alike(lost)
        if alike is not None and (alike.text == lost.text or not self._is_template(alike, after)):
            self.pool.use(alike)
            rule = broken_rule(lost, alike)
            return self._finding(rule, before, after, lost, alike) if rule else None
        dead = others.dead_alike(lost)
        if dead is not None:
            return self._finding(_dead_rule(dead), before, after, lost, dead)
        if self._stands_in(lost, after, others) or _is_implied(lost, after):
            return None
        return self._finding("assertion-removed", before, after, lost, None)

    def _stands_in(self, lost: Assertion, after: Located, others: Replacements) -> bool:
        """Whether another assertion says the same in other words; it does so once."""
        for each in others.rest(lost):
            if reworded(lost, each) and not self._is_template(each, after):
                others.use(each)
                self.pool.use(each)
                return True
        return False

    def _is_template(self, assertion: Assertion, after: Located) -> bool:
        return (after.path, assertion.line) in self.tables.templates

    def _finding(
        self, rule: str, before: Located, after: Located, lost: Assertion, now: Assertion | None
    ) -> Finding:
        line = now.line if now is not None else after.test.line
        return Finding(rule, after.path, line, before.test.identity, _told(lost), _told(now))


def _told(assertion: Assertion | None) -> str:
    """The text, and what a name in it stands for where that is what changed."""
    if assertion is None:
        return ""
    shown = assertion.text
    if (
        assertion.expected
        and len(assertion.expected) < 200
        and assertion.expected not in shown
        and " " not in assertion.expected
        and assertion.expected.lower() not in ("true", "false")
    ):
        shown += f" [{assertion.expected}]"
    return shown


def _is_implied(lost: Assertion, after: Located) -> bool:
    """Whether what the test demands now demands the lost assertion, too."""
    counting = [each for each in after.test.assertions if counts(each)]
    if catches_the_message(lost, counting):
        return True
    return _only_runs(lost) and bool(counting)


def _only_runs(assertion: Assertion) -> bool:
    """Whether the test demanded no more than that nothing goes wrong: any demand is more."""
    quiet = assertion.text == RUNS or assertion.expected in (NO_ERROR, "nil")
    return quiet and assertion.strength is Strength.PRESENCE


def _dead_rule(assertion: Assertion) -> str:
    if not assertion.reachable:
        return "assertion-unreachable"
    return "assertion-swallowed" if assertion.swallowed else "assertion-vacuous"


def _fewer_cases(before: Located, after: Located) -> Finding | None:
    was, now = before.test.cases, after.test.cases
    if was is None or now is None or now >= was:
        return None
    cases = counted(was, "case"), counted(now, "case")
    return Finding("cases-removed", after.path, after.test.line, before.test.identity, *cases)


def _written_out(before: Located) -> bool:
    """Whether the reader filled the cases in, so that each of them was compared for itself."""
    cases = before.test.cases or 1
    made = Counter(each.line for each in before.test.assertions)
    return bool(made) and min(made.values()) >= cases
