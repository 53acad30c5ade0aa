"""The option that names a playground file."""

import argparse


def add_playground(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Its former name, ``--sandbox``, still works and is left out of the help."""
    option = parser.add_argument(
        "--playground", "--sandbox", metavar="FILE", required=required, help="the playground file, as YAML or JSON"
    )
    option.option_strings = option.option_strings[:1]
