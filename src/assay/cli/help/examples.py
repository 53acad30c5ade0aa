"""Copy the bundled examples, which the tutorials use: jobs, tasks, coding runs, repositories and clinical systems.

They are copied because tasks and repositories are to be run and changed; nothing is written elsewhere.
"""

import argparse
import shutil
from pathlib import Path

from assay.cli.options.common import option
from assay.core.errors import InputError

PACKAGE = Path(__file__).resolve().parents[2]


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    copy = actions.add_parser("copy", description="Copy them into a folder that doesn't exist yet.")
    option(copy, "folder DIR", "where to; the tutorials say: examples", Path)


def run(args: argparse.Namespace) -> int:
    if args.folder.exists():
        raise InputError(f"the folder for the examples must not exist yet, got {args.folder}")
    shutil.copytree(
        bundled(), args.folder, ignore=shutil.ignore_patterns("__pycache__", ".playground", ".sandbox")
    )
    print(f"examples copied to {args.folder}")
    return 0


def bundled() -> Path:
    """The examples inside of the installed package, or those of the clone that it is imported from."""
    for folder in (PACKAGE / "examples", PACKAGE.parents[1] / "examples"):
        if (folder / "tasks").is_dir():
            return folder
    raise InputError("this installation has no examples: they are in the wheel and in a clone")
