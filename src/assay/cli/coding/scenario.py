"""Write down what 'assay score' assumes about a repository, as a scenario file to edit and keep.

    assay scenario init [FILE]

is 'assay init' (see 'assay init --help').
"""

import argparse

from assay.cli.coding import init


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="init")
    init.configure(actions.add_parser("init", description="Guess a scenario for a repository and write it down."))


def run(args: argparse.Namespace) -> int:
    return init.run(args)
