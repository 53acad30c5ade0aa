"""Work with criteria: typed assertions about what an agent left in a playground.

    assay criteria lint FILE…      what is wrong with criteria, before any run

'assay verify' holds them against a playground.

Exit codes: 0 nothing was found, 1 something was found, 2 a file can't be used.
"""

import argparse

from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="lint")
    lint = actions.add_parser(
        "lint", description="Say what is wrong with criteria, with the line and what would be right."
    )
    lint.add_argument("files", metavar="FILE", nargs="+", help="criteria, as YAML or JSON")
    lint.add_argument("--data", metavar="FILE", help="values that the criteria refer to, beside those in the file")
    lint.add_argument("--allow", metavar="RULE", action="append", default=[], help="leave out what a rule finds")
    lint.set_defaults(action=_lint)


def run(args: argparse.Namespace) -> int:
    try:
        code: int = args.action(args)
    except ImportError as error:
        raise InputError(f"criteria need {error.name or 'more packages'}: install assay[criteria]") from error
    return code


def _lint(args: argparse.Namespace) -> int:
    from assay.cli.criteria_lint import lint_files  # noqa: PLC0415 - help needs none of it

    return lint_files(args.files, args.data, args.allow)
