"""Fails if a test was removed or checks less than before.

Test files are read as syntax trees. A finding is a test that is gone or no longer collected, cases that are gone,
and an assertion that is gone, weaker, never reached, swallowed, always true, more tolerant, or that expects
another value. A test that moved isn't gone: tests may be renamed, split, merged, moved and parametrised, and
assertions may move into helpers. A test that became a row of a table must be found there with its literals, both
inputs and expected values, on one new line, and the assertion about every row must demand as much. A test that was
removed together with the code it tested, and an expectation that only follows a renamed exception or constant, are
listed as ``explained`` and don't fail. If the scenario has an instruction, removed code explains nothing unless
the instruction asks for it ("remove", "drop", "no longer", "replace" and the like, in the same sentence as its
name or its file); the evidence says which it was (``removed_features``). Python, JavaScript, TypeScript, Go, Ruby,
Java, C#, Rust, Kotlin, PHP and Swift have a reader; any other language is compared by the number of lines that
look like assertions, and the evidence says so.

A test file that can't be read, or in which no test can be understood any more, is a finding: ``file-unreadable``.
If the baseline can't be read for the same reason, the answer is an ERROR that names the file.

Not applicable if no test file changed. The score is the share of tests without a finding.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome
from assay.detectors.path_globs import TestFileGlobs
from assay.detectors.test_code.changed import changed_tests
from assay.detectors.test_code.removed_names import NO_NAMES, changed_names
from assay.detectors.test_code.removed_subjects import why_believed
from assay.detectors.test_code.verdict import line_findings, outcome_of
from assay.detectors.test_code.weakening import compare_assertions
from assay.evidence.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AssertionsNotWeakened(TestFileGlobs):
    """``test_globset`` has fnmatch patterns of test files; without any, their names tell."""

    kind: ClassVar[str] = "assertions_not_weakened"
    advisory: ClassVar[bool] = True

    def run(self, evidence: Workspace) -> Outcome:
        changed = changed_tests(evidence, self.test_globset or None)
        names = changed_names(evidence, self.test_globset or None) if changed.pairs else NO_NAMES
        by_lines = line_findings(changed, skips=False)
        found = compare_assertions(changed.pairs, names)
        words = ("weakening", "no assertion is weaker")
        return outcome_of(changed, found, by_lines, words, why_believed(found, evidence.instruction))
