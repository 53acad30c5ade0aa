"""Options of the commands that work on the store of a service."""

import argparse
import os

from assay.adapters.store.opening import DEFAULT, VARIABLE
from assay.cli.arguments import positive

BLOBS_VARIABLE = "ASSAY_BLOBS"


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", metavar="STORE", help=f"a SQLite file or a PostgreSQL URL (default: {VARIABLE}, or {DEFAULT})"
    )


def store_of(args: argparse.Namespace) -> str:
    """The store that is meant."""
    return args.store or os.environ.get(VARIABLE) or DEFAULT


def add_blobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--blobs",
        metavar="URL",
        help="where files of runs are kept: file:///folder, s3://bucket/prefix or gs://bucket/prefix; the same for"
        f" all who use a store (default: {BLOBS_VARIABLE}, or in the store)",
    )


def blobs_of(args: argparse.Namespace) -> str | None:
    """Where files of runs are kept; None is in the store."""
    return args.blobs or os.environ.get(BLOBS_VARIABLE) or None


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
