"""Finds the tests and assertions that a change removed or weakened.

An assertion that left its test may have gone to another one: tests are split, merged, moved and parametrised. So
what is new anywhere in the changed tests is a pool from which each lost assertion may be made good, once.
"""

import re
from collections import Counter
from collections.abc import Sequence

from assay.detectors.test_code.assertion_pairs import (
    broken_rule,
    differences,
    implies,
    reworded,
    without_owner,
)
from assay.detectors.test_code.assertion_pool import Pool, Replacements
from assay.detectors.test_code.engine.demand import NO_ERROR
from assay.detectors.test_code.engine.scopes import RUNS
from assay.detectors.test_code.findings import (
    FilePair,
    Finding,
    Located,
    SuiteComparison,
    counts,
    never_runs,
    source_of,
)
from assay.detectors.test_code.matching import Matching, match_tests
from assay.detectors.test_code.model import Assertion, Strength
from assay.detectors.test_code.moved_demands import MovedDemands, kept_lines
from assay.detectors.test_code.removed_names import NO_NAMES, ChangedNames
from assay.detectors.test_code.removed_subjects import follows_a_renaming, subject_removed
from assay.detectors.test_code.swapped_expectations import swapped_expectation
from assay.formats.counting import counted

_ERROR = re.compile(r"\b(?:value|exception|message|msg|args|e|ex|exc\w*|err\w*|raised|caught)\b")


def compare_assertions(files: Sequence[FilePair], names: ChangedNames = NO_NAMES) -> SuiteComparison:
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
        self.texts = {file.path: file.after_text for file in pairs}
        self.names = names
        self.pool = Pool()
        self.rows = MovedDemands(pairs, self.pool.used)
        self.result = SuiteComparison()
        self._gained: dict[int, list[Assertion]] = {}
        self._lost: dict[int, list[Assertion]] = {}

    def compare(self) -> SuiteComparison:
        for before, after in self.matching.pairs:
            self._split(before, after)
        for fresh in self.matching.new:
            if not never_runs(fresh.test):
                counting = [each for each in fresh.test.assertions if counts(each)]
                self.pool.add(counting)
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
                self.pool.add(gained)
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
        if follows_a_renaming(finding, self.names) or subject_removed(file, before, finding, self.names.removed):
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
        """The demands of a removed test that no other test has."""
        lost = [each for each in self._lost[id(before.test)] if not self.pool.take_text(each)]
        return [each for each in lost if not self.rows.take(each)]

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
        """Findings on the assertions that a test lost, as far as it is worse."""
        lost = self._lost[id(before.test)]
        dead = [each for each in after.test.assertions if not counts(each)]
        others = Replacements(self._gained[id(before.test)], dead)
        source = source_of(self.texts.get(after.path, ""), after.test)
        kept = kept_lines(self.files[before.path].before_text, source)
        left = [each for each in lost if not self._made_good(each, kept, others)]
        return [finding for each in left if (finding := self._why(each, before, after, others)) is not None]

    def _made_good(self, lost: Assertion, kept: str, others: Replacements) -> bool:
        """Whether the same demand is made elsewhere. One about the same subject in this test is compared first."""
        if self.pool.take_same(lost):
            return True
        if without_owner(lost.subject) in others.subjects or lost.text in others.subjects:
            return False
        return self.pool.take_text(lost) or self.rows.take(lost, kept)

    def _why(self, lost: Assertion, before: Located, after: Located, others: Replacements) -> Finding | None:
        """The finding for an assertion that nothing replaces; None where something does."""
        alike = others.take_alike(lost)
        if alike is not None:
            self.pool.use(alike)
            rule = broken_rule(lost, alike)
            return self._finding(rule, before, after, lost, alike) if rule else None
        dead = others.dead_alike(lost)
        if dead is not None:
            return self._finding(_dead_rule(dead), before, after, lost, dead)
        if self._stands_in(lost, others) or _is_implied(lost, after):
            return None
        return self._finding("assertion-removed", before, after, lost, None)

    def _stands_in(self, lost: Assertion, others: Replacements) -> bool:
        """Whether another assertion says the same in other words; it does so once."""
        for each in others.rest(lost):
            if reworded(lost, each, self.names.old):
                others.use(each)
                self.pool.use(each)
                return True
        return False

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
    return (_only_runs(lost) and bool(counting)) or any(implies(each, lost) for each in counting)


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


def catches_the_message(before: Assertion, after: Sequence[Assertion]) -> bool:
    """Whether an error's text is asked in a handler now, in a test that says how often it asserts.

    ``expect(f).toThrow("too big")`` became ``expect.assertions(1)`` and ``expect(error.message).toContain(…)``.
    """
    wanted = before.expected or ""
    if ".toThrow" not in before.text or wanted[:1] not in ("'", '"') or not any(map(_counts_assertions, after)):
        return False
    return any(
        wanted[1:-1] in (each.expected or "")
        and not (each.expected or "").startswith("not ")
        and _ERROR.search(each.subject) is not None
        for each in after
        if each.strength >= Strength.SHAPE
    )


def _counts_assertions(assertion: Assertion) -> bool:
    return assertion.subject in ("expect.assertions", "expect.hasAssertions") and assertion.expected != "0"
