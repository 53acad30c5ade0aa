"""Work with criteria: typed assertions about what an agent left in a playground.

    assay criteria lint FILE…      find mistakes in criteria, before any run

'assay verify' holds them against a playground.

Exit codes: 0 no mistakes, 1 some mistakes, 2 a file can't be used.
"""

import argparse

from assay.cli.options.common import extra_packages, option


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="lint")
    lint = actions.add_parser("lint", description="Find mistakes in criteria, with the line and how to fix them.")
    option(lint, "files FILE…", "criteria, as YAML or JSON")
    option(lint, "--data FILE", "values that the criteria refer to, in addition to those in the file")
    option(lint, "--allow RULE…", "ignore the findings of a rule")
    lint.set_defaults(action=_lint)


def run(args: argparse.Namespace) -> int:
    with extra_packages("criteria need", "criteria"):
        return int(args.action(args))


def _lint(args: argparse.Namespace) -> int:
    from assay.cli.criteria_lint import lint_files  # noqa: PLC0415 - help needs none of it

    return lint_files(args.files, args.data, args.allow)
