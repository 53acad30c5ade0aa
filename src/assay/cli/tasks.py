"""Check tasks for mistakes before running agents on them, or show what a task comes to.

    assay tasks check TASKS…
    assay tasks show TASKS…
    assay tasks init TASKS…

Loads every task and reads it: does the verifier write a reward on every path, can a failed test reach it, do the
tests read what the instruction asks for, can the agent see or change the answer or the verifier, does the verifier
need a network that it doesn't have? With --run, Assay also runs the task: the oracle must get a reward of 1 and an
idle agent 0, each of --repeat times and with time to spare, and an empty or wrong output must not get 1.

A finding is a line: the task, the kind, the file with its line, and why. Notes, such as packages without versions,
don't count; --notes shows them. docs/howto/check-your-tasks.md lists all kinds.

'show' prints what was written or inferred: the verifier, the output's path, the limits and the environment. If an
instruction names several paths below /workspace, 'check' says which one is taken for the output: the first that
isn't there before the agent starts.

Init makes new task folders to write over: an instruction, a verifier, a solution, and nothing that 'check' finds.

Exit codes: 0 no problems found, 1 problems found, 2 a task can't be loaded or run. One bad task doesn't stop the
check of the others.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.task_folder import load_task, task_files
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.cli.options.common import add_isolation, add_verifier_environment, option, positive, warn
from assay.cli.options.tasks import add_task_choice, chosen_tasks
from assay.cli.output.table import clean, render_table
from assay.core.errors import AssayError, InputError
from assay.engine.machine import TrialSite
from assay.engine.run.try_task import attempt_findings
from assay.engine.tasks.describe_task import (
    EnvironmentDescription,
    OwnEnvironmentDescription,
    PhaseDescription,
    StepDescription,
    TaskDescription,
    describe_task,
    output_findings,
)
from assay.engine.tasks.prepare_task import prepare_task
from assay.engine.tasks.task import LoadedTask, with_verifier_environment
from assay.engine.tasks.task_lint import lint
from assay.engine.tasks.task_reading import LintFinding

Attempts = Callable[[LoadedTask], list[LintFinding]]


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "action", "what to do with the tasks", choices=["check", "show", "init"])
    option(
        parser,
        "tasks TASKS…",
        "a task folder, or a folder of task folders; with init: the name of a new task folder",
    )
    option(parser, "--run", "also run the oracle, an idle agent and wrong answers", dest="run_them")
    option(parser, "--repeat N", "with --run: how many times (default: 2)", positive, default=2)
    option(parser, "--notes", "with check: also print what doesn't count")
    option(parser, "--json", "print JSON: {'tasks': [...]}")
    add_task_choice(parser)
    add_isolation(parser)
    add_verifier_environment(parser)
    option(parser, "--no-image", "with --run: run on the host system even if a task's Dockerfile needs an image")


def run(args: argparse.Namespace) -> int:
    if args.action == "init":
        return _init(args.tasks)
    paths = [path for path, _ in chosen_tasks(args)]
    if args.action == "show":
        return _show(paths, as_json=args.json)
    if not args.run_them:
        return _check(paths, None, args)
    site = TrialSite(choose(args.isolation, warn), ThisHost())
    with DiskWorkshop(site.sandbox) as workshop:

        def attempts(task: LoadedTask) -> list[LintFinding]:
            task = with_verifier_environment(task, args.verifier_environment)
            return attempt_findings(site, workshop, prepare_task(task, site, no_image=args.no_image), args.repeat)

        return _check(paths, attempts, args)


def _init(folders: Sequence[str]) -> int:
    from assay.cli.help.examples import bundled  # noqa: PLC0415 - only for a new task

    existing = next((folder for folder in folders if os.path.lexists(folder)), None)
    if existing is not None:
        raise InputError(f"a new task must be a folder that doesn't exist yet, got {existing}")
    for folder in folders:
        shutil.copytree(bundled() / "tasks" / "capital", folder)
        print(f"{folder}: write instruction.md, tests/test.sh and solution/solve.sh anew")
        print(f"Then: assay tasks check {folder} --run")
    return 0


def _check(paths: list[str], attempts: Attempts | None, args: argparse.Namespace) -> int:
    """Check one task after the other, and print what is found as it is found. Returns the exit code."""
    checked = []
    for path in paths:
        checked.append(check_task(path, attempts))
        if not args.json:
            print_checked(checked[-1], notes=args.notes)
    if args.json:
        print(json.dumps({"tasks": [_task(task) for task in checked]}, indent=2))
    return max(task.code for task in checked)


def _show(paths: list[str], *, as_json: bool) -> int:
    """Print the description of every task that can be loaded. The exit code is 2 if one can't be."""
    shown, failed = [], False
    for path in paths:
        try:
            shown.append(describe_task(load_task(path)))
        except AssayError as error:
            print(f"assay: {clean(str(error))}", file=sys.stderr)
            failed = True
    if as_json:
        print(json.dumps({"tasks": [task.model_dump(mode="json") for task in shown]}, indent=2))
    elif shown:
        print("\n\n".join(part for task in shown for part in _parts(task)))
    return 2 if failed else 0


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
        for warning in task.warnings:
            # A field that looks like another one was meant to have an effect.
            kind = "mistyped-field" if "did you mean" in warning else "warning"
            findings.append(LintFinding(kind, "task", warning))
        if task.environment.broken is not None:
            findings.append(LintFinding("missing-file", "environment", task.environment.broken))
        if task.unsupported is not None:
            findings.append(LintFinding("unsupported", "task", task.unsupported))
        findings += [finding for step in task.steps for finding in output_findings(step)]
        findings += attempts(task) if attempts is not None else []
    except AssayError as error:
        return Checked(path, tuple(dict.fromkeys(findings)), str(error))
    return Checked(path, tuple(dict.fromkeys(findings)), None)


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


def _task(task: Checked) -> dict[str, object]:
    """All findings, notes included."""
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


def _parts(task: TaskDescription) -> Iterator[str]:
    """A table for each step, and one for the environment."""
    strategy = "" if task.reward_strategy is None else f" · reward of steps: {task.reward_strategy}"
    yield f"{clean(task.name)} · {clean(task.path)} · sha256 {task.checksum[:12]}{strategy}"
    for step in task.steps:
        title = "the task" if step.name is None else f"step {step.name}"
        yield render_table((title, ""), _step_rows(step))
    yield render_table(("environment", ""), _environment_rows(task.environment))
    if task.warnings:
        yield "\n".join(f"warning: {clean(warning)}" for warning in task.warnings)


def _step_rows(step: StepDescription) -> Iterator[tuple[str, str]]:
    spec, output = step.verifier, step.output
    yield "verifier", spec.script
    yield "expected output", f"{spec.expected_output_path} (from {output.inferred_from})"
    if output.other_paths:
        yield "also named", ", ".join(output.other_paths)
    if output.inputs:
        yield "inputs", ", ".join(output.inputs)
    asked = [output.format or "", "schema" if output.schema_given else "", *output.sections]
    yield "output must be", ", ".join(filter(None, asked)) or "anything"
    yield "reward", spec.reward_path
    yield "details", spec.details_path or "none"
    yield "agent", _phase(step.agent_phase)
    yield "verifier runs", _phase(step.verifier_phase)
    if step.verifier_environment is not None:
        yield "verifier's own", _own_environment(step.verifier_environment)
    yield "solution", "yes" if step.has_solution else "none"
    if step.min_reward is not None:
        yield "stops below", str(step.min_reward)


def _own_environment(own: OwnEnvironmentDescription) -> str:
    limits = (("cpus", own.cpus), ("memory_mb", own.memory_mb), ("storage_mb", own.storage_mb))
    parts = [own.image or own.dockerfile or "the agent's image or system"]
    parts += [f"{name} {value:g}" for name, value in limits if value is not None]
    parts += [f"variables {', '.join(own.env)}"] if own.env else []
    parts += [f"artifacts {', '.join(own.artifacts)}"] if own.artifacts else []
    return "; ".join(parts)


def _phase(phase: PhaseDescription) -> str:
    limit = "no time limit" if phase.timeout_sec is None else f"at most {phase.timeout_sec:g} s"
    user = "" if phase.user is None else f", as user {phase.user}"
    names = f", variables {', '.join(phase.env)}" if phase.env else ""
    return f"{limit}, {'with' if phase.network else 'without'} network{user}{names}"


def _environment_rows(environment: EnvironmentDescription) -> Iterator[tuple[str, str]]:
    yield "working folder", environment.workdir
    yield "image", environment.image or environment.needs_image or "none needed"
    limits = {
        "CPUs": environment.cpus,
        "MB of memory": environment.memory_mb,
        "MB of disk": environment.storage_mb,
    }
    yield "limits", ", ".join(f"{value} {unit}" for unit, value in limits.items() if value is not None) or "none"
    if environment.env:
        yield "variables", ", ".join(environment.env)
