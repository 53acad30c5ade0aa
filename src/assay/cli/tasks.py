"""Check tasks for mistakes before running agents on them, or show what a task comes to.

    assay tasks check TASKS…
    assay tasks show TASKS…

Loads every task and reads its verifier: does it exist, does it write a reward on every path, can the agent see or
change it, does it use the solution, does it download anything without a pinned version? With --run, Assay also
runs the task: the oracle must get a reward of 1 and an idle agent 0, each of --repeat times.

'show' prints what was written or inferred: the verifier, the output's path, the limits and the environment. If an
instruction names several paths below /workspace, 'check' says which one is taken for the output: the first that
isn't there before the agent starts.

Exit codes: 0 no problems found, 1 problems found, 2 a task can't be loaded or run. One bad task doesn't stop the
check of the others.
"""

import argparse
import json
import sys
from collections.abc import Callable

from assay.adapters.sandbox.backends import choose
from assay.adapters.task_files import task_files
from assay.adapters.task_folder import load_task
from assay.adapters.this_host import ThisHost
from assay.adapters.workshop import DiskWorkshop
from assay.cli.arguments import add_isolation, positive, warn
from assay.cli.table import clean
from assay.cli.task_choice import add_task_choice, chosen_tasks
from assay.cli.task_show import task_text
from assay.core.errors import AssayError
from assay.engine.describe_task import NOTE, describe_task, output_findings
from assay.engine.job_plan import Agent
from assay.engine.prepare_task import prepare_task
from assay.engine.site import Site
from assay.engine.task import Task
from assay.engine.task_lint import lint
from assay.engine.task_reading import LintFinding
from assay.engine.try_task import try_task


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["check", "show"], help="what to do with the tasks")
    parser.add_argument("tasks", metavar="TASKS", nargs="+", help="a task folder, or a folder of task folders")
    parser.add_argument(
        "--run", dest="run_them", action="store_true", help="also run the oracle and an idle agent"
    )
    parser.add_argument(
        "--repeat", type=positive, default=1, metavar="N", help="with --run: how many times (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="with show: print JSON: {'tasks': [...]}")
    add_task_choice(parser)
    add_isolation(parser)
    parser.add_argument(
        "--no-image",
        action="store_true",
        help="with --run: run on the host system even if a task's Dockerfile needs an image",
    )


def run(args: argparse.Namespace) -> int:
    paths = [path for path, _ in chosen_tasks(args)]
    if args.action == "show":
        return _show(paths, as_json=args.json)
    if not args.run_them:
        return max(_check(path) for path in paths)
    site = Site(choose(args.isolation, warn), ThisHost())
    with DiskWorkshop(site.sandbox) as workshop:

        def attempt(task: Task) -> list[LintFinding]:
            return _try(prepare_task(task, site, no_image=args.no_image), site, workshop, args.repeat)

        return max(_check(path, attempt) for path in paths)


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
        print("\n\n".join(map(task_text, shown)))
    return 2 if failed else 0


def _check(path: str, attempt: Callable[[Task], list[LintFinding]] = lambda _: []) -> int:
    """The exit code for one task. ``attempt`` runs the task and returns its findings."""
    findings: list[LintFinding] = []
    failed = False
    try:
        task = load_task(path)
        findings += [finding for step in task.steps for finding in lint(task_files(task, step))]
        findings += [LintFinding("warning", "task", warning) for warning in task.warnings]
        if task.environment.broken is not None:
            findings.append(LintFinding("missing-file", "environment", task.environment.broken))
        findings += [finding for step in task.steps for finding in output_findings(step)]
        findings += attempt(task)
    except AssayError as error:
        print(f"assay: {clean(str(error))}", file=sys.stderr)
        failed = True
    for finding in dict.fromkeys(findings):
        print(f"{clean(path)}: {finding.rule}: {clean(finding.place)}: {clean(finding.why)}")
    mistaken = any(finding.rule != NOTE for finding in findings)
    if not mistaken and not failed:
        print(f"{clean(path)}: nothing found")
    return 2 if failed else 1 if mistaken else 0


def _try(task: Task, site: Site, workshop: DiskWorkshop, times: int) -> list[LintFinding]:
    """Let the oracle and an idle agent attempt the task."""
    findings: list[LintFinding] = []
    for agent, wanted in ((Agent("oracle", oracle=True), 1.0), (Agent("nop"), 0.0)):
        rewards = [try_task(site, workshop, task, agent) for _ in range(times)]
        got = ", ".join(dict.fromkeys("no reward" if reward is None else f"{reward:g}" for reward in rewards))
        who = f"the {agent.name} agent"
        if any(reward != wanted for reward in rewards):
            findings.append(LintFinding(agent.name, "verifier", f"{who} must get {wanted:g}, got {got}"))
        if len(set(rewards)) > 1:
            findings.append(LintFinding("flaky", "verifier", f"{who} got different rewards in {times} attempts"))
    return findings
