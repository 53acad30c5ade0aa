"""The findings on tasks, as lines for people or as JSON for programs."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.adapters.task_files import task_files
from assay.adapters.task_folder import load_task
from assay.cli.table import clean
from assay.core.errors import AssayError
from assay.engine.describe_task import output_findings
from assay.engine.task import Task
from assay.engine.task_lint import lint
from assay.engine.task_reading import LintFinding

Attempts = Callable[[Task], list[LintFinding]]


@dataclass(frozen=True, slots=True)
class Checked:
    """One task: its findings, and why it can't be loaded or run."""

    path: str
    findings: tuple[LintFinding, ...]
    error: str | None

    @property
    def code(self) -> int:
        """The exit code: 2 for an error, 1 for a problem, 0 for notes."""
        mistaken = any(not finding.is_note for finding in self.findings)
        return 2 if self.error is not None else 1 if mistaken else 0


def check_task(path: str, attempts: Attempts | None) -> Checked:
    """Read a task, and let ``attempts`` run it."""
    findings: list[LintFinding] = []
    try:
        task = load_task(path)
        findings += [finding for step in task.steps for finding in lint(task_files(task, step))]
        findings += [LintFinding(_rule_of(warning), "task", warning) for warning in task.warnings]
        if task.environment.broken is not None:
            findings.append(LintFinding("missing-file", "environment", task.environment.broken))
        if task.unsupported is not None:
            findings.append(LintFinding("unsupported", "task", task.unsupported))
        findings += [finding for step in task.steps for finding in output_findings(step)]
        findings += attempts(task) if attempts is not None else []
    except AssayError as error:
        return Checked(path, tuple(dict.fromkeys(findings)), str(error))
    return Checked(path, tuple(dict.fromkeys(findings)), None)


def _rule_of(warning: str) -> str:
    """A field that looks like another one was meant to have an effect."""
    return "mistyped-field" if "did you mean" in warning else "warning"


def print_checked(checked: Checked, *, notes: bool) -> None:
    """A line for each finding. Notes are counted, or shown if asked for."""
    if checked.error is not None:
        print(f"assay: {clean(checked.error)}", file=sys.stderr)
    path = clean(checked.path)
    for finding in checked.findings:
        if notes or not finding.is_note:
            kind = f"note: {finding.rule}" if finding.is_note and finding.rule != "note" else finding.rule
            print(f"{path}: {kind}: {clean(finding.place)}: {clean(finding.why)}")
    if checked.code == 0:
        count = sum(finding.is_note for finding in checked.findings)
        said = f" ({count} {'note' if count == 1 else 'notes'}; --notes shows {'it' if count == 1 else 'them'})"
        print(f"{path}: nothing found{said if count and not notes else ''}")


def checked_json(tasks: Sequence[Checked]) -> str:
    """All findings, notes included."""
    return json.dumps({"tasks": [_task(task) for task in tasks]}, indent=2)


def _task(task: Checked) -> dict[str, object]:
    findings = [
        {
            "kind": finding.rule,
            "level": "note" if finding.is_note else "problem",
            "file": finding.file,
            "line": finding.line,
            "why": finding.why,
        }
        for finding in task.findings
    ]
    return {"path": task.path, "findings": findings, "error": task.error}
