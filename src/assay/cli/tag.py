"""Add a classified failure to a run after it was graded. The grading and its reward stay as they are.

'assay report' groups runs by their tags, and 'assay result' shows them. Tasks choose their own categories.
"""

import argparse

from assay.adapters.jobs.annotations import add_tag
from assay.cli.options.common import user_name
from assay.dialects.evaluation.models import ErrorSource


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_dir", metavar="RUN", help="the folder of a finished trial")
    parser.add_argument("--category", required=True, metavar="TEXT", help="the category of the failure")
    parser.add_argument("--description", metavar="TEXT", help="what went wrong")
    parser.add_argument(
        "--source",
        choices=[one.value for one in ErrorSource],
        default=ErrorSource.HUMAN.value,
        help="who classified the failure (default: human)",
    )
    parser.add_argument("--by", metavar="NAME", help="who adds the tag (default: your user name)")


def run(args: argparse.Namespace) -> int:
    add_tag(
        args.run_dir,
        category=args.category,
        description=args.description,
        source=ErrorSource(args.source),
        added_by=args.by or user_name("--by"),
    )
    return 0
