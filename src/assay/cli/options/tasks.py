"""Options that choose some of the tasks of a dataset."""

import argparse
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase

from assay.adapters.tasks.task_folder import find_tasks, is_task
from assay.cli.options.common import Options, positive
from assay.core.errors import InputError


def add_task_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="GLOB",
        help="only tasks whose folder name or path below TASKS matches; may be given several times",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="no tasks that match; may be given several times",
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="at most the first N tasks")


def chosen_tasks(args: Options) -> list[tuple[str, str | None]]:
    """The folders of the chosen tasks, each with the name of its dataset. Raises ``InputError`` for none."""
    found: list[tuple[str, str | None]] = []
    for path in args.tasks:
        source = None if is_task(path) else os.path.basename(os.path.realpath(path))
        names = ((folder, [os.path.basename(os.path.abspath(folder)), os.path.relpath(folder, path)])
                 for folder in find_tasks([path]))  # fmt: skip
        found += [(folder, source) for folder, named in names if _is_chosen(named, args.include, args.exclude)]
    if not found:
        raise InputError("--include and --exclude must leave at least one task, but they leave none")
    return found[: args.limit]


def _is_chosen(names: Sequence[str], include: Sequence[str], exclude: Sequence[str]) -> bool:
    def matches(patterns: Sequence[str]) -> bool:
        return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)

    return (not include or matches(include)) and not matches(exclude)
