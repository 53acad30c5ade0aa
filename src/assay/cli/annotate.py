"""Record a reviewer's verdict on a run. It is kept beside the reward and never changes it.

'assay report' shows every verdict with the reward, and where reviewers contradict each other, the verifier or a
judge. The categories become tags with the source 'human'.
"""

import argparse

from assay.adapters.annotations import annotate
from assay.cli.arguments import user_name
from assay.dialects.evaluation.models import Judgment


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_dir", metavar="RUN", help="the folder of a finished trial")
    parser.add_argument("--judgment", required=True, choices=[one.value for one in Judgment], help="the verdict")
    parser.add_argument(
        "--category", action="append", default=[], metavar="TEXT", help="a category of failure; may be repeated"
    )
    parser.add_argument("--notes", metavar="TEXT", help="the reasons for the verdict")
    parser.add_argument("--reviewer", metavar="ID", help="who reviewed the run (default: your user name)")
    parser.add_argument("--discipline", metavar="TEXT", help="the reviewer's field, such as cardiology")


def run(args: argparse.Namespace) -> int:
    annotate(
        args.run_dir,
        reviewer_id=args.reviewer or user_name("--reviewer"),
        reviewer_discipline=args.discipline,
        judgment=Judgment(args.judgment),
        categories=args.category,
        notes=args.notes,
    )
    return 0
