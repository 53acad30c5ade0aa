"""Hold criteria against what a run left in a playground, and report how well it did.

    assay verify CRITERIA --playground PLAYGROUND.yaml

The playground file names the sources: the store with the playground's records, its FHIR server and its files. It
can also name a judge, whose opinions are shown and change no score. 'assay playground load' fills a playground
with a prepared state; 'assay criteria lint' finds mistakes in criteria before any run.

A source that can't be reached is retried for a minute; standard error names the source.

Exit codes: 0 the verdict is pass; 1 the verdict is partial or fail; 2 a file can't be used or a source can't be
reached, and nothing is scored.
"""

import argparse
import json
import sys

from assay.cli.playground_option import add_playground
from assay.cli.table import clean
from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("criteria", metavar="CRITERIA", help="criteria, as YAML or JSON")
    add_playground(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON, with all evidence")


def run(args: argparse.Namespace) -> int:
    try:
        # Help needs none of these.
        from assay.adapters.criteria_file import load_criteria  # noqa: PLC0415
        from assay.adapters.json_requests import Pace  # noqa: PLC0415
        from assay.adapters.playground_sources import open_playground  # noqa: PLC0415
        from assay.adapters.stamps import new_stamp  # noqa: PLC0415
        from assay.engine.verify_criteria import verify_criteria  # noqa: PLC0415

        sources = open_playground(args.playground, _say)
        done = verify_criteria(load_criteria(args.criteria), sources, Pace(), new_stamp())
    except ImportError as error:
        raise InputError(
            f"criteria need {error.name or 'more packages'}: install assay[criteria,store]"
        ) from error
    from assay.cli.json_values import without_nan  # noqa: PLC0415 - with the others that are needed only now
    from assay.cli.verify_text import lines  # noqa: PLC0415

    print(json.dumps(without_nan(done.answer()), indent=2) if args.json else "\n".join(lines(done)))
    return 0 if done.verdict.value == "pass" else 1


def _say(line: str) -> None:
    print(clean(f"assay: {line}"), file=sys.stderr, flush=True)
