"""Check tasks for mistakes before running agents on them, or show what a task comes to.

    assay tasks check TASKS…
    assay tasks show TASKS…

Loads every task and reads it: does the verifier write a reward on every path, can a failed test reach it, do the
tests read what the instruction asks for, can the agent see or change the answer or the verifier, does the verifier
need a network that it doesn't have? With --run, Assay also runs the task: the oracle must get a reward of 1 and an
idle agent 0, each of --repeat times and with time to spare, and an empty or wrong output must not get 1.

A finding is a line: the task, the kind, the file with its line, and why. Notes, such as packages without versions,
don't count; --notes shows them. docs/howto/check-your-tasks.md lists all kinds.

'show' prints what was written or inferred: the verifier, the output's path, the limits and the environment. If an
instruction names several paths below /workspace, 'check' says which one is taken for the output: the first that
isn't there before the agent starts.

Exit codes: 0 no problems found, 1 problems found, 2 a task can't be loaded or run. One bad task doesn't stop the
check of the others.
"""

import argparse
import json
import sys

from assay.adapters.sandbox.backends import choose
from assay.adapters.task_folder import load_task
from assay.adapters.this_host import ThisHost
from assay.adapters.workshop import DiskWorkshop
from assay.cli.arguments import add_isolation, add_verifier_environment, positive, warn
from assay.cli.table import clean
from assay.cli.task_check import Attempts, check_task, checked_json, print_checked
from assay.cli.task_choice import add_task_choice, chosen_tasks
from assay.cli.task_show import task_text
from assay.core.errors import AssayError
from assay.engine.describe_task import describe_task
from assay.engine.prepare_task import prepare_task
from assay.engine.site import Site
from assay.engine.task import Task
from assay.engine.task_reading import LintFinding
from assay.engine.try_task import attempt_findings
from assay.engine.verifier_environment import with_verifier_environment


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["check", "show"], help="what to do with the tasks")
    parser.add_argument("tasks", metavar="TASKS", nargs="+", help="a task folder, or a folder of task folders")
    parser.add_argument(
        "--run", dest="run_them", action="store_true", help="also run the oracle, an idle agent and wrong answers"
    )
    parser.add_argument(
        "--repeat", type=positive, default=2, metavar="N", help="with --run: how many times (default: 2)"
    )
    parser.add_argument("--notes", action="store_true", help="with check: also print what doesn't count")
    parser.add_argument("--json", action="store_true", help="print JSON: {'tasks': [...]}")
    add_task_choice(parser)
    add_isolation(parser)
    add_verifier_environment(parser)
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
        return _check(paths, None, args)
    site = Site(choose(args.isolation, warn), ThisHost())
    with DiskWorkshop(site.sandbox) as workshop:

        def attempts(task: Task) -> list[LintFinding]:
            task = with_verifier_environment(task, args.verifier_environment)
            return attempt_findings(site, workshop, prepare_task(task, site, no_image=args.no_image), args.repeat)

        return _check(paths, attempts, args)


def _check(paths: list[str], attempts: Attempts | None, args: argparse.Namespace) -> int:
    """Check one task after the other, and print what is found as it is found. Returns the exit code."""
    checked = []
    for path in paths:
        checked.append(check_task(path, attempts))
        if not args.json:
            print_checked(checked[-1], notes=args.notes)
    if args.json:
        print(checked_json(checked))
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
        print("\n\n".join(map(task_text, shown)))
    return 2 if failed else 0
