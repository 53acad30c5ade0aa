"""Make a task from a coding scenario: prepare the workspace, freeze the baseline and the scorers.

The task is a folder of its own: editing the scenario later doesn't change it. With --workspace, the workspace is
also unpacked for an agent to work in. Keep the task itself where the agent can't reach it.

SCENARIO may also be a task that was seeded before. Then only its workspace is unpacked, for another attempt.
"""

import argparse
import os
import sys
from datetime import UTC, datetime

from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.scenario_file import load_scenario
from assay.adapters.tasks.seeded_task import check_room, load_seeded, unpack_workspace
from assay.adapters.tasks.seeding_files import LocalSeedingFiles
from assay.cli.options.common import add_isolation, option
from assay.cli.output.table import clean
from assay.core.errors import InputError
from assay.engine.coding.seed_task import seed_task, tests_to_pass
from assay.formats.counting import counted


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "scenario SCENARIO", "a scenario (YAML, TOML or JSON), or a seeded task")
    option(parser, "-o --output TASK", "the new folder for the task")
    option(parser, "--workspace DIR", "unpack the workspace into this new folder, for an agent")
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    if os.path.isdir(args.scenario):
        return _unpack(args)
    if args.output is None:
        raise InputError("pass -o with a new folder for the task")
    scenario = load_scenario(args.scenario)
    if args.workspace is not None:
        # Before the task is made, so that the same command can be repeated.
        check_room(args.workspace)
    files = LocalSeedingFiles(os.path.dirname(os.path.abspath(args.scenario)), lambda: choose(args.isolation))
    task = seed_task(scenario, args.scenario, args.output, files, lambda: datetime.now(UTC))
    count = sum(1 for _ in task.baseline.paths())
    frozen = f"{counted(count, 'file')}, {counted(len(scenario.scorers), 'scorer')}"
    print(f"{args.output}: {frozen}, scenario {task.scenario_sha256[:12]}")
    for name, (passed, named) in tests_to_pass(task.scenario).items():
        more = f", and {counted(named, 'test')} to be fixed" if named else ""
        print(f"{clean(name)}: {counted(passed, 'test')} that passed on the baseline{more} must pass")
    for note in task.notes:
        print(f"note: {clean(note)}", file=sys.stderr)
    if args.workspace is not None:
        unpack_workspace(task, args.workspace)
        print(f"{args.workspace}: the workspace")
    return 0


def _unpack(args: argparse.Namespace) -> int:
    if args.workspace is None or args.output is not None:
        raise InputError(
            f"{args.scenario} is a task: pass --workspace with a new folder for its workspace, and no -o"
        )
    unpack_workspace(load_seeded(args.scenario), args.workspace)
    print(f"{args.workspace}: the workspace")
    return 0
