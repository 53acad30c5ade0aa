"""Record which tests pass on the baseline, so that each of them must pass after the agent's work."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.checks.command import Command
from assay.core.check import Check
from assay.core.errors import InputError
from assay.core.grading import PlacedCheck
from assay.core.outcome import Outcome
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.test_runners import TESTS
from assay.evidence.workspace import Workspace

# A name with an address in memory is another one in every run.
_ADDRESS = re.compile(r"0x[0-9a-f]{6,16}")


class Recorder:
    """Runs checks, and keeps the names of the tests that passed by the report of each command."""

    def __init__(self) -> None:
        self._passed: dict[int, tuple[str, ...]] = {}

    def __call__(self, check: Check[Workspace], evidence: Workspace) -> Outcome:
        if not isinstance(check, Command):
            return check.run(evidence)
        outcome, self._passed[id(check)] = check.observed(evidence)
        return outcome

    def passed(self, check: Check[Workspace]) -> tuple[str, ...]:
        return tuple(name for name in self._passed.get(id(check), ()) if not _ADDRESS.search(name))


def with_recorded_tests(
    scenario: Scenario,
    checks: Sequence[PlacedCheck[Workspace]],
    recorder: Recorder,
    details: Mapping[str, object],
    origin: str,
) -> list[PlacedCheck[Workspace]]:
    """The checks, those with ``tests`` with what passed. ``details`` say by name how a command ended.

    Raises ``InputError`` if nothing passed and nothing is to be fixed: such a scorer would demand nothing.
    """
    found: list[PlacedCheck[Workspace]] = []
    for number, (scorer, one) in enumerate(zip(scenario.scorers, checks, strict=True)):
        check = one.check
        if TESTS not in scorer.config or not isinstance(check, Command) or check.report is None:
            found.append(one)
            continue
        names = recorder.passed(check)
        if not names and not check.report.expected:
            place, why = f"{origin}: scorers[{number}].tests", details.get(scorer.name)
            raise InputError(f"{place}: at least one test must pass on the baseline, got none ({why})")
        report = replace(check.report, recorded=names)
        found.append(PlacedCheck(one.placement, replace(check, report=report)))
    return found


def tests_to_pass(scenario: Scenario) -> dict[str, tuple[int, int]]:
    """By the name of a scorer, how many tests passed on the baseline, and how many more are named."""
    reports = {scorer.name: scorer.config.get("report") for scorer in scenario.scorers}
    return {
        name: (len(report["recorded"]), len(report.get("expected", ())))
        for name, report in reports.items()
        if isinstance(report, dict) and report.get("recorded")
    }
