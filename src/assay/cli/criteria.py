"""Work with criteria: typed assertions about what an agent left in a playground.

    assay criteria lint FILE…      find mistakes in criteria, before any run

'assay verify' holds them against a playground.

Exit codes: 0 no mistakes, 1 some mistakes, 2 a file can't be used.
"""

import argparse

from assay.core.errors import InputError, install_hint


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="lint")
    lint = actions.add_parser("lint", description="Find mistakes in criteria, with the line and how to fix them.")
    lint.add_argument("files", metavar="FILE", nargs="+", help="criteria, as YAML or JSON")
    lint.add_argument(
        "--data", metavar="FILE", help="values that the criteria refer to, in addition to those in the file"
    )
    lint.add_argument("--allow", metavar="RULE", action="append", default=[], help="ignore the findings of a rule")
    lint.set_defaults(action=_lint)


def run(args: argparse.Namespace) -> int:
    try:
        code: int = args.action(args)
    except ImportError as error:
        raise InputError(f"criteria need {error.name or 'more packages'}: {install_hint('criteria')}") from error
    return code


def _lint(args: argparse.Namespace) -> int:
    from assay.cli.criteria_lint import lint_files  # noqa: PLC0415 - help needs none of it

    return lint_files(args.files, args.data, args.allow)
