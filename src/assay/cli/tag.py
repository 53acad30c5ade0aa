"""Add a classified failure to a run after it was graded. The grading and its reward stay as they are.

'assay report' groups runs by their tags, and 'assay result' shows them. Tasks choose their own categories.
"""

import argparse

from assay.adapters.jobs.annotations import add_tag
from assay.cli.options.common import option, user_name
from assay.dialects.evaluation.models import ErrorSource


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "run_dir RUN", "the folder of a finished trial")
    option(parser, "--category TEXT", "the category of the failure", required=True)
    option(parser, "--description TEXT", "what went wrong")
    option(
        parser,
        "--source",
        "who classified the failure (default: human)",
        choices=[one.value for one in ErrorSource],
        default=ErrorSource.HUMAN.value,
    )
    option(parser, "--by NAME", "who adds the tag (default: your user name)")


def run(args: argparse.Namespace) -> int:
    add_tag(
        args.run_dir,
        category=args.category,
        description=args.description,
        source=ErrorSource(args.source),
        added_by=args.by or user_name("--by"),
    )
    return 0
