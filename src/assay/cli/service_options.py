"""Options of the commands that work on the store of a service."""

import argparse
import os

from assay.adapters.store.opening import DEFAULT, VARIABLE
from assay.cli.arguments import positive


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", metavar="STORE", help=f"a SQLite file or a PostgreSQL URL (default: {VARIABLE}, or {DEFAULT})"
    )


def store_of(args: argparse.Namespace) -> str:
    """The store that is meant."""
    return args.store or os.environ.get(VARIABLE) or DEFAULT


def add_allow_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-source",
        metavar="NETWORK",
        action="append",
        default=[],
        help="addresses that sources may have although they are of this machine, such as 127.0.0.0/8",
    )


def add_claim(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--claim",
        type=positive,
        metavar="SECONDS",
        default=60,
        help="after how long others take over from a process that died (default: %(default)s)",
    )
