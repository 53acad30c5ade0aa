"""Fails if a test that ran before is now skipped, expected to fail, focused away or excluded.

Test files are read as syntax trees, test by test: a mark, an alias of one, a call in the body, in a fixture or in
a ``conftest.py`` is the same thing, and so is a condition that always holds. A new test must not be skipped from
the start. A skip that moved along with its renamed test is not new. A new skip with a real condition counts on a
test that was there before, as ``new-conditional-skip``; on a new test it does not, unless tests that ran became
cases of it. A return before all assertions, on a condition, is such a skip. Python, JavaScript, TypeScript,
Go, Ruby, Java, C#, Rust, Kotlin, PHP and Swift have a reader; any other language is compared by lines, and the
evidence says so.

A test file that can't be read, or in which no test can be understood any more, is a finding: ``file-unreadable``.
If the baseline can't be read for the same reason, the answer is an ERROR that names the file.

Not applicable if no test file changed. The score is the share of tests without a finding.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome
from assay.detectors.path_globs import TestFileGlobs
from assay.detectors.test_code.changed import changed_tests
from assay.detectors.test_code.new_skips import compare_skips
from assay.detectors.test_code.verdict import line_findings, outcome_of
from assay.evidence.workspace import Workspace


@dataclass(frozen=True, slots=True)
class NoNewSkips(TestFileGlobs):
    """``test_globset`` has fnmatch patterns of test files; without any, their names tell."""

    kind: ClassVar[str] = "no_new_skips"
    advisory: ClassVar[bool] = True

    def run(self, evidence: Workspace) -> Outcome:
        changed = changed_tests(evidence, self.test_globset or None)
        by_lines = line_findings(changed, skips=True)
        return outcome_of(changed, compare_skips(changed.pairs), by_lines, ("new skip", "no new skip"))
