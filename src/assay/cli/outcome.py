"""Print the outcome of a job as one line for a program: BASE_BENCHMARK_RESULT={…}, with sorted keys.

JOB is a job folder or a result.json. If the result is missing, malformed or not finished, the line says so. With
--exit-code, the command exits with that code, so that a script can pass on the exit code of the run.
"""

import argparse
import os

from assay.adapters.machine.safe_read import read_file
from assay.cli.options.common import exit_status, option
from assay.core.errors import InputError
from assay.dialects.harbor.outcome_line import outcome_of_finished
from assay.evidence.files import Absent, Content, Refused

LIMIT = 256 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "job JOB", "a job folder or a result.json")
    option(parser, "--exit-code N", "exit with this code (default: 0, or 2 if JOB can't be read)", exit_status)


def run(args: argparse.Namespace) -> int:
    path = f"{args.job}/result.json" if os.path.isdir(args.job) else args.job
    file = read_file(path, LIMIT)
    # A file that must not be read counts as malformed.
    unread = None if isinstance(file, Absent) else b""
    print(outcome_of_finished(file.data if isinstance(file, Content) else unread).line())
    if args.exit_code is not None:
        return int(args.exit_code)
    if isinstance(file, Refused):
        raise InputError(f"the result can't be read: {file}")
    if not os.path.lexists(args.job):
        raise InputError(f"{args.job} doesn't exist")
    return 0
