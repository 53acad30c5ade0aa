"""The result of comparing test code: findings, and over how much."""

from dataclasses import dataclass, field
from functools import lru_cache

from assay.detectors.test_code.model import Assertion, Strength, Test, TestCode


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that got worse. ``test`` is empty for what belongs to a whole file."""

    rule: str
    path: str
    line: int
    test: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file of tests before and after; None on the side where it is not there, whose text is empty then."""

    path: str
    old_path: str
    before: TestCode | None
    after: TestCode | None
    before_text: str = ""
    after_text: str = ""


@dataclass(slots=True)
class SuiteComparison:
    """The findings. ``explained`` has what went because its subject went; it does not count as worse.

    ``unasked`` has the findings among the others whose subject went, too, without anybody asking for that.
    ``compared`` counts tests and ``worse`` those of them with a finding.
    """

    findings: list[Finding] = field(default_factory=list)
    explained: list[Finding] = field(default_factory=list)
    unasked: list[Finding] = field(default_factory=list)
    compared: int = 0
    worse: int = 0


@dataclass(frozen=True, slots=True)
class Located:
    """A test and the file it is in."""

    path: str
    test: Test


def never_runs(test: Test) -> bool:
    """Whether something without a condition keeps the test from running or from counting."""
    return any(not skip.conditional for skip in test.skips)


def counts(assertion: Assertion) -> bool:
    """Whether an assertion can fail a test at all."""
    return assertion.reachable and not assertion.swallowed and assertion.strength > Strength.VACUOUS


def short_name(test: Test) -> str:
    return test.identity.rsplit(" > ", 1)[-1]


@lru_cache(maxsize=16)
def lines_of(text: str) -> list[str]:
    """The lines of a file, which are asked for test by test. The list is shared and must not be changed."""
    return text.split("\n")


def source_of(text: str, test: Test) -> str:
    """The lines of a test in the text of its file."""
    return "\n".join(lines_of(text)[test.line - 1 : test.end_line])
