"""Hold criteria against what a run left in a playground, and report how well it did.

    assay verify CRITERIA --playground PLAYGROUND.yaml

The playground file names the sources: the store with the playground's records, its FHIR server and its files. It
can also name a judge, whose opinions are shown and change no score. 'assay playground load' fills a playground
with a prepared state; 'assay criteria lint' finds mistakes in criteria before any run.

    assay verify TASK-RUN --server URL

completes a task run of a service instead, or shows how it came out before. The service has its criteria and its
playground. For a run that is scored, it tells neither details nor evidence.

A source that can't be reached is retried for a minute; standard error names the source.

Exit codes: 0 the verdict is pass; 1 the verdict is partial or fail; 2 a file can't be used or a source can't be
reached, and nothing is scored.
"""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from assay.cli.options.common import Options, add_playground, extra_packages, option
from assay.cli.options.server import add_server, client_of
from assay.cli.output.table import clean
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.dialects.criteria.models import Completion


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "criteria CRITERIA", "criteria, as YAML or JSON; with --server, the id of a task run")
    add_playground(parser, required=False)
    add_server(parser, "complete a task run of the service at this address")
    option(parser, "--json", "print the result as JSON, with all evidence")


def run(args: argparse.Namespace) -> int:
    done = complete(args)
    from assay.cli.output.table import without_nan  # noqa: PLC0415 - help needs none of these
    from assay.cli.output.verify_text import lines  # noqa: PLC0415

    print(json.dumps(without_nan(done.answer()), indent=2) if args.json else "\n".join(lines(done)))
    return 0 if done.verdict.value == "pass" else 1


def complete(args: Options) -> "Completion":
    """Verify here, or have a service do it."""
    if (args.playground is None) == (args.server is None):
        raise InputError("--playground or --server must be given, and not both")
    return _verify_locally(args) if args.server is None else _complete_remotely(args)


def _verify_locally(args: Options) -> "Completion":
    with extra_packages("criteria need", "criteria"):
        # Help needs none of these.
        from assay.adapters.playgrounds.playground_file import (  # noqa: PLC0415
            load_criteria,
            new_stamp,
            open_playground,
        )
        from assay.adapters.sources.json_requests import Pace  # noqa: PLC0415
        from assay.engine.criteria.complete_run import verify_criteria  # noqa: PLC0415

        sources = open_playground(args.playground, _say)
        return verify_criteria(load_criteria(args.criteria), sources, Pace(), new_stamp())


def _complete_remotely(args: Options) -> "Completion":
    """How a task run of a service came out. What the service doesn't tell of a scored run stays empty."""
    from assay.dialects.criteria.models import Completion  # noqa: PLC0415 - help needs none of these

    with client_of(args.server) as client:
        answer = client.complete(args.criteria)
    told = {name: answer[name] for name in Completion.model_fields}
    told["criterion_runs"] = [{"details": "", **one} for one in told["criterion_runs"]]
    return Completion.model_validate(told)


def _say(line: str) -> None:
    print(clean(f"assay: {line}"), file=sys.stderr, flush=True)
