"""The outcome of a job as one line for a program: BASE_BENCHMARK_RESULT={…}, keys sorted.

JOB is a job folder or a result.json. A result that is missing or broken gives a line that says so. The command
ends with the exit code that it is given, so that a script can pass on that of the run.
"""

import argparse
import os

from assay.adapters.safe_read import read_file
from assay.cli.arguments import exit_status
from assay.core.errors import InputError
from assay.dialects.harbor.outcome_line import BenchmarkOutcome, outcome_of
from assay.evidence.files import Absent, Content, File, Refused

LIMIT = 256 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", metavar="JOB", help="a job folder or a result.json")
    parser.add_argument(
        "--exit-code",
        type=exit_status,
        metavar="N",
        help="end with this exit code (default: 0, or 2 if JOB can't be read)",
    )


def run(args: argparse.Namespace) -> int:
    path = f"{args.job}/result.json" if os.path.isdir(args.job) else args.job
    found = read_file(path, LIMIT)
    print(_outcome(found).line())
    if args.exit_code is not None:
        return int(args.exit_code)
    if isinstance(found, Refused):
        raise InputError(f"{found}, so there is no result to read")
    if not os.path.lexists(args.job):
        raise InputError(f"there is no {args.job}")
    return 0


def _outcome(found: File) -> BenchmarkOutcome:
    """What is there but must not be read is as good as malformed."""
    if isinstance(found, Absent):
        return outcome_of(None)
    return outcome_of(found.data if isinstance(found, Content) else b"")
