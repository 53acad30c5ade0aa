"""Options of the commands that work on the store of a service."""

import argparse
import os
from typing import TYPE_CHECKING, Final

from assay.adapters.store.opening import DEFAULT, VARIABLE
from assay.cli.options.common import positive

if TYPE_CHECKING:
    from assay.adapters.service.coding_parts import CodingSetting

CODING: Final = ("auto", "bubblewrap", "namespaces", "container", "process", "off")
BLOBS_VARIABLE = "ASSAY_BLOBS"
SOURCES_VARIABLE = "ASSAY_ALLOW_SOURCE"


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


def sources_of(args: argparse.Namespace) -> tuple[str, ...]:
    """Where sources may be beside the internet."""
    written = os.environ.get(SOURCES_VARIABLE, "").split(",")
    return tuple(args.allow_source or filter(None, map(str.strip, written)))


def add_service(parser: argparse.ArgumentParser) -> None:
    """Options of the processes that do the work of a service."""
    add_store(parser)
    add_blobs(parser)
    parser.add_argument(
        "--allow-source",
        metavar="SOURCE",
        action="append",
        default=[],
        help="where sources may be beside the internet: 10.0.0.0/8, a host, or either with :PORT; repeatable"
        f" (default: {SOURCES_VARIABLE}, with commas)",
    )
    parser.add_argument(
        "--coding",
        choices=CODING,
        default=CODING[0],
        help="the sandbox for commands of coding runs; auto takes the best one that isolates (default: auto)",
    )
    parser.add_argument(
        "--coding-folder",
        metavar="FOLDER",
        action="append",
        default=[],
        help="a folder of this machine that scenarios may show to commands, such as one with tools",
    )
    parser.add_argument(
        "--coding-image", metavar="IMAGE", action="append", default=[], help="an image that scenarios may name"
    )
    parser.add_argument("--coding-network", action="store_true", help="let setup commands use the network")
    parser.add_argument(
        "--judge",
        action="store_true",
        help="use ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL for organisations without a judge of their own",
    )
    parser.add_argument(
        "--claim",
        type=positive,
        metavar="SECONDS",
        default=60,
        help="after how long others take over from a process that died (default: %(default)s)",
    )
    parser.add_argument(
        "--keep-work",
        type=positive,
        metavar="DAYS",
        default=7,
        help="for how long GET /v1/work has what is done (default: %(default)s)",
    )


def coding_of(args: argparse.Namespace) -> "CodingSetting":
    """The settings of coding runs."""
    from assay.adapters.service.coding_parts import CodingSetting  # noqa: PLC0415 - help needs no database
    from assay.engine.service.coding_policy import CodingPolicy  # noqa: PLC0415

    policy = CodingPolicy(tuple(args.coding_folder), tuple(args.coding_image), args.coding_network)
    return CodingSetting(args.coding, policy, args.judge)
