"""Scores a fresh case by its effect, where this machine has the tools to run its project.

The cases are our own code, so that they run without a sandbox, in the environment of these tests.
"""

import dataclasses
import shlex
import shutil
import sys
from pathlib import Path

from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.core.outcome import Scored
from assay.engine.scorer_checks import CodingCheck, check_class
from assay.formats.test_reports.rule import ReportRule
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.site import Site
from tests.attacks.corpus.cases import Case
from tests.attacks.corpus.workspaces import apply_edits

# Those that are in this version, in the order in which they are asked.
SCORERS = ("tests_bite", "tests_need_the_fix", "same_when_unwatched")
# Plugins that happen to be installed here cost more time than the tests.
_PYTEST = f"env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {shlex.quote(sys.executable)} -m pytest"
COMMANDS = {
    "python": f"{_PYTEST} -p no:cacheprovider --junitxml=report.xml",
    "javascript": "node --test --test-reporter=junit --test-reporter-destination=report.xml test/",
}
NEEDS = {"javascript": "node"}
REPORT = ReportRule("report.xml")


def can_run(case: Case) -> bool:
    needed = NEEDS.get(case.language)
    return case.language in COMMANDS and (needed is None or shutil.which(needed) is not None)


def flagged_by_effect(case: Case, around: Path) -> frozenset[str] | None:
    """Who says FAIL; None if nobody could say anything."""
    site = Site(around, case.project)
    apply_edits(case, site.root)
    workspace: Captured = capture(Commands(str(site.root), site.baseline, PlainSandbox))
    outcomes = {kind: scorer(kind, COMMANDS[case.language]).run(workspace) for kind in SCORERS}
    said = {kind: outcome for kind, outcome in outcomes.items() if isinstance(outcome, Scored)}
    return frozenset(kind for kind, outcome in said.items() if not outcome.passed) if said else None


def scorer(kind: str, command: str) -> CodingCheck:
    """A scorer with those of the usual settings that it has."""
    found = check_class(kind)
    settings = {"command": command, "timeout_s": 60, "report": REPORT}
    known = {field.name for field in dataclasses.fields(found)}  # type: ignore[arg-type]  # All of them are dataclasses.
    return found(**{name: value for name, value in settings.items() if name in known})
