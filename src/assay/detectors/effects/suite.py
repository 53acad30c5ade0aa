"""A project's tests as a command, run on a choice of files: which tests passed, and which don't any more."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from assay.core.outcome import MULTILINE, limits, limits_of
from assay.detectors.settings.files.own_tests import belongs_to_tests
from assay.detectors.settings.files.steering import steers_a_runner
from assay.evidence.workspace import CommandResult, Opened, Tree, Workspace, changed_paths
from assay.formats.path_patterns import plain_path
from assay.formats.runner_start import reason_in, why_not_started
from assay.formats.shell_command import MAX_TIMEOUT, check_command
from assay.formats.test_reports.model import Ended, uniform
from assay.formats.test_reports.read import failure_reasons, read_report
from assay.formats.test_reports.rule import ReportRule

TESTS_OF_BASELINE = ("@tests", "@runner")
"""What is put back so that the baseline's own tests run, as its own settings say."""

PATIENCE = 2
"""How many times the time of processors a run may last before waiting counts, too."""
# A command that sets the path itself would lose the folder that a setting of ours puts there.
_PYTHONPATH = re.compile(r"\bPYTHONPATH=([\w./:-]*)(?=\s)")
_AFTER_OURS = r"PYTHONPATH=\1${PYTHONPATH:+:$PYTHONPATH}"


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """How the tests ended. Without a report, nothing is known but the exit code."""

    passed: frozenset[str]
    others: frozenset[str]
    exit_code: int | None
    has_report: bool
    duration_sec: float
    why_not_started: str | None
    files: dict[str, bytes | None]
    opened: Opened
    spent_sec: float = 0.0
    cost_sec: float = 0.0
    """The length of the run, by which budgets count: a busy machine doesn't make it longer, unless it waits."""
    patience: int = 1
    """How many times that such runs may take on the clock."""
    timed_out: bool = False
    kept_as: str = ""
    failed: frozenset[str] = frozenset()
    reason: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """By test, why it failed, as far as the report says."""

    @property
    def says_something(self) -> bool:
        """Whether a later run can be compared with this one: some test passed, or all of them by the exit code."""
        return bool(self.passed) if self.has_report else self.exit_code == 0

    @property
    def has_result(self) -> bool:
        """Whether a test ended, or without a report, whether the command ended well."""
        return bool(self.passed or self.others) if self.has_report else self.exit_code == 0

    def problem(self) -> str:
        """Why it says nothing."""
        if self.why_not_started is not None:
            return self.why_not_started
        return "no test passed" if self.has_report else f"exit code {self.exit_code}"


@dataclass(frozen=True, slots=True)
class Suite:
    """How tests are run. ``setting`` are shell words before the command."""

    command: str
    timeout_s: float
    report: ReportRule | None

    def run(
        self,
        evidence: Workspace,
        tree: Tree,
        setting: str = "",
        collect: tuple[str, ...] = (),
        most: float | None = None,
        watch: bool = False,
        remember: bool = True,
        once: bool = False,
    ) -> SuiteResult:
        """Run the tests on a tree, or remember how they ended there.

        ``most`` is a shorter time limit; ``watch`` notes which files are opened. ``remember`` and ``once`` are
        those of ``Workspace.run``.
        """
        wanted = collect if self.report is None else (plain_path(self.report.path), *collect)
        limit = self.timeout_s if most is None else min(most, self.timeout_s)
        command = _PYTHONPATH.sub(_AFTER_OURS, self.command) if "PYTHONPATH" in setting else self.command
        ran = evidence.run(f"{setting}{command}", limit, tree, wanted, remember, watch, once)
        return self.read(ran)

    def passed_in(self, report: bytes | None) -> frozenset[str]:
        """The tests that passed by a report; none by one that is missing or can't be read."""
        try:
            ends = {} if self.report is None or report is None else read_report(self.report.format, report).tests
        except ValueError:
            ends = {}
        return frozenset(uniform(name) for name, end in ends.items() if end is Ended.PASSED)

    def read(self, ran: CommandResult) -> SuiteResult:
        took, cpu = ran.duration_sec, ran.duration_sec if ran.cpu_sec is None else ran.cpu_sec
        cost = min(took, max(cpu, PATIENCE * took - (PATIENCE + 1) * cpu))
        ends: dict[str, Ended] = {}
        reasons: dict[str, str] = {}
        data = None if self.report is None else ran.files.get(plain_path(self.report.path))
        if self.report is not None and data is not None:
            try:
                ends = {uniform(name): end for name, end in read_report(self.report.format, data).tests.items()}
                found = failure_reasons(self.report.format, data)
                reasons = {uniform(name): reason for name, reason in found.items()}
            except ValueError:
                data = None
        passed = frozenset(name for name, end in ends.items() if end is Ended.PASSED)
        return SuiteResult(
            passed=passed,
            others=frozenset(ends) - passed,
            exit_code=ran.end.exit_code,
            has_report=self.report is not None,
            duration_sec=ran.duration_sec,
            why_not_started=why_not_started(ran.end.exit_code, ran.output),
            files=ran.files,
            opened=ran.opened or Opened(),
            spent_sec=max(ran.spent_sec, cost) if ran.cpu_sec is None else cost,
            cost_sec=cost,
            patience=PATIENCE if ran.cpu_sec is not None and cost <= cpu else 1,
            timed_out=ran.end.timed_out,
            kept_as=ran.kept_as,
            failed=frozenset(name for name, end in ends.items() if end is Ended.FAILED),
            reason=reason_in(ran.end.exit_code, ran.output),
            reasons=reasons,
        )


@dataclass(frozen=True, slots=True)
class RunsTests:
    """The parameters of a scorer that runs the tests. Its other numbers must be within their limits, too."""

    command: str = field(metadata=MULTILINE)
    timeout_s: int = field(default=900, metadata=limits(1, MAX_TIMEOUT))
    report: ReportRule | None = None

    def __post_init__(self) -> None:
        check_command(self.command, self.timeout_s)
        for name, least, most in limits_of(fields(self)):
            if not least <= (value := getattr(self, name)) <= most:
                raise ValueError(f"{name} must be from {least:g} to {most:g}, got {value}")

    @property
    def suite(self) -> Suite:
        return Suite(self.command, self.timeout_s, self.report)


def lost(before: SuiteResult, after: SuiteResult, among: frozenset[str] | None = None) -> list[str]:
    """The tests that passed before and don't now. Without a report, all tests are one."""
    if not before.has_report:
        return ["the command"] if before.exit_code == 0 and after.exit_code != 0 else []
    return sorted((before.passed if among is None else before.passed & among) - after.passed)


def touches_tests(evidence: Workspace) -> bool:
    """Whether the agent changed a test, something that serves one, or something that tests are run with."""
    return any(belongs_to_tests(path) or steers_a_runner(path) for path in changed_paths(evidence))
