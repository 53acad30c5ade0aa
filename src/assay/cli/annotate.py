"""Record a reviewer's verdict on a run. It is kept beside the reward and never changes it.

'assay report' shows every verdict with the reward, and where reviewers contradict each other, the verifier or a
judge. The categories become tags with the source 'human'.

    assay annotate RUN --server URL --judgment pass

records it at a service, where RUN is the id of a run.
"""

import argparse

from assay.adapters.jobs.annotations import annotate
from assay.cli.options.common import option, user_name
from assay.cli.options.server import add_server, client_of
from assay.dialects.evaluation.models import Judgment


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "run_dir RUN", "the folder of a finished trial; with --server, the id of a run")
    option(parser, "--judgment", "the verdict", required=True, choices=[one.value for one in Judgment])
    option(parser, "--category TEXT…", "a category of failure; may be repeated")
    option(parser, "--notes TEXT", "the reasons for the verdict")
    option(parser, "--reviewer ID", "who reviewed the run (default: your user name)")
    option(parser, "--discipline TEXT", "the reviewer's field, such as cardiology")
    add_server(parser, "record it for a run of the service at this address")


def run(args: argparse.Namespace) -> int:
    reviewer = args.reviewer or user_name("--reviewer")
    if args.server is not None:
        _send_annotation(args, reviewer)
        return 0
    annotate(
        args.run_dir,
        reviewer_id=reviewer,
        reviewer_discipline=args.discipline,
        judgment=Judgment(args.judgment),
        categories=args.category,
        notes=args.notes,
    )
    return 0


def _send_annotation(args: argparse.Namespace, reviewer: str) -> None:
    from assay.client import Requests  # noqa: PLC0415 - only who asks a service needs it

    with client_of(args.server) as client:
        client.send(
            Requests.annotate(
                args.run_dir,
                reviewer,
                args.judgment,
                reviewer_discipline=args.discipline,
                categories=args.category,
                notes=args.notes,
            )
        )
