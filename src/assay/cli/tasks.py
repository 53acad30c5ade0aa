"""Check tasks before anybody is measured by them.

    assay tasks check TASKS…

loads every task and reads its verifier: is there one, does it write a reward on every path, can the agent see or
change it, does it use the solution, does it download what it does not pin. With --run, the oracle must be worth 1
and an idle agent 0, each --repeat times.

Exit codes: 0 nothing was found, 1 something was, 2 a task can't be loaded or run. The others are checked all the
same.
"""

import argparse
import sys
from collections.abc import Callable

from assay.adapters.sandbox.backends import choose
from assay.adapters.task_files import task_files
from assay.adapters.task_folder import find_tasks, load_task
from assay.adapters.this_host import ThisHost
from assay.adapters.workshop import DiskWorkshop
from assay.cli.arguments import add_isolation, positive
from assay.cli.table import clean
from assay.core.errors import AssayError
from assay.engine.job_plan import Agent
from assay.engine.prepare_task import prepare_task
from assay.engine.site import Site
from assay.engine.task import Task
from assay.engine.task_lint import lint
from assay.engine.task_reading import LintFinding
from assay.engine.try_task import try_task


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["check"], help="what to do with the tasks")
    parser.add_argument("tasks", metavar="TASKS", nargs="+", help="a task folder, or a folder of task folders")
    parser.add_argument("--run", dest="run_them", action="store_true", help="run the oracle and an idle agent too")
    parser.add_argument(
        "--repeat", type=positive, default=1, metavar="N", help="with --run: how often (default: 1)"
    )
    add_isolation(parser)
    parser.add_argument(
        "--no-image",
        action="store_true",
        help="with --run: on the host's system where a Dockerfile asks for more than that",
    )


def run(args: argparse.Namespace) -> int:
    paths = find_tasks(args.tasks)
    if not args.run_them:
        return max(_check(path) for path in paths)
    site = Site(choose(args.isolation), ThisHost())
    with DiskWorkshop(site.sandbox) as workshop:

        def attempt(task: Task) -> list[LintFinding]:
            return _try(prepare_task(task, site, no_image=args.no_image), site, workshop, args.repeat)

        return max(_check(path, attempt) for path in paths)


def _check(path: str, attempt: Callable[[Task], list[LintFinding]] = lambda _: []) -> int:
    """The exit code for one task. ``attempt`` runs it and says what it found."""
    findings: list[LintFinding] = []
    failed = False
    try:
        task = load_task(path)
        findings += [finding for step in task.steps for finding in lint(task_files(task, step))]
        findings += [LintFinding("warning", "task", warning) for warning in task.warnings]
        findings += attempt(task)
    except AssayError as error:
        print(f"assay: {clean(str(error))}", file=sys.stderr)
        failed = True
    for finding in dict.fromkeys(findings):
        print(f"{clean(path)}: {finding.rule}: {clean(finding.place)}: {clean(finding.why)}")
    if not findings and not failed:
        print(f"{clean(path)}: nothing found")
    return 2 if failed else 1 if findings else 0


def _try(task: Task, site: Site, workshop: DiskWorkshop, times: int) -> list[LintFinding]:
    """Let the oracle and an idle agent attempt the task."""
    found: list[LintFinding] = []
    for agent, wanted in ((Agent("oracle", oracle=True), 1.0), (Agent("nop"), 0.0)):
        rewards = [try_task(site, workshop, task, agent) for _ in range(times)]
        got = ", ".join(dict.fromkeys("no reward" if one is None else f"{one:g}" for one in rewards))
        who = f"the {agent.name}"
        if any(reward != wanted for reward in rewards):
            found.append(LintFinding(agent.name, "verifier", f"{who} got {got}; it should get {wanted:g}"))
        if len(set(rewards)) > 1:
            found.append(LintFinding("flaky", "verifier", f"{times} attempts of {who} got different rewards"))
    return found
