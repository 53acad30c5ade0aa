"""The outcome of a job as one line for a program: BASE_BENCHMARK_RESULT={…}, keys sorted.

JOB is a job folder or a result.json. A result that is missing or broken gives a line that says so. The command
ends with the exit code that it is given, so that a script can pass on that of the run.
"""

import argparse
import os
import sys

from assay.adapters.safe_read import read_file
from assay.core.errors import InputError
from assay.dialects.harbor.outcome_line import outcome_of
from assay.evidence.files import Content, Refused

LIMIT = 256 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", metavar="JOB", help="a job folder or a result.json")
    parser.add_argument(
        "--exit-code", type=int, metavar="N", help="end with this exit code (default: 0, or 2 if there is no JOB)"
    )


def run(args: argparse.Namespace) -> int:
    path = f"{args.job}/result.json" if os.path.isdir(args.job) else args.job
    found = read_file(path, LIMIT)
    if isinstance(found, Refused):
        raise InputError(f"{found}, so there is no result to read")
    print(outcome_of(found.data if isinstance(found, Content) else None).line())
    if args.exit_code is not None:
        return int(args.exit_code)
    if not os.path.lexists(args.job):
        print(f"assay: there is no {args.job}", file=sys.stderr)
        return 2
    return 0
