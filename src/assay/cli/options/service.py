"""Options of the commands that work on the store of a service."""

import argparse
import os
from datetime import timedelta
from typing import Any, Final

from assay.adapters.store.opening import DEFAULT, VARIABLE
from assay.cli.options.common import option, positive
from assay.core.errors import InputError

CODING: Final = ("auto", "bubblewrap", "namespaces", "container", "process", "off")
BLOBS_VARIABLE = "ASSAY_BLOBS"
SOURCES_VARIABLE = "ASSAY_ALLOW_SOURCE"


def add_store(parser: argparse.ArgumentParser) -> None:
    option(parser, "--store STORE", f"a SQLite file or a PostgreSQL URL (default: {VARIABLE}, or {DEFAULT})")


def store_of(args: argparse.Namespace) -> str:
    """The store that is meant."""
    return args.store or os.environ.get(VARIABLE) or DEFAULT


def add_blobs(parser: argparse.ArgumentParser) -> None:
    option(
        parser,
        "--blobs URL",
        "where files of runs are kept: file:///folder, s3://bucket/prefix or gs://bucket/prefix; the same for"
        f" all who use a store (default: {BLOBS_VARIABLE}, or in the store)",
    )


def blobs_of(args: argparse.Namespace) -> str | None:
    """Where files of runs are kept; None is in the store."""
    return args.blobs or os.environ.get(BLOBS_VARIABLE) or None


def add_service(parser: argparse.ArgumentParser) -> None:
    """Options of the processes that do the work of a service."""
    add_store(parser)
    add_blobs(parser)
    option(
        parser,
        "--allow-source SOURCE…",
        "where sources may be beside the internet: 10.0.0.0/8, a host, or either with :PORT; repeatable"
        f" (default: {SOURCES_VARIABLE}, with commas)",
    )
    option(
        parser,
        "--coding",
        "the sandbox for commands of coding runs; auto takes the best one that isolates (default: auto)",
        choices=CODING,
        default=CODING[0],
    )
    option(
        parser,
        "--coding-folder FOLDER…",
        "a folder of this machine that scenarios may show to commands, such as one with tools",
    )
    option(parser, "--coding-image IMAGE…", "an image that scenarios may name")
    option(
        parser,
        "--graded-tasks DIR",
        "grade outputs that are sent to /v1/grade by the tasks and scenarios in this folder",
    )
    option(parser, "--coding-network", "let setup commands use the network")
    option(
        parser,
        "--judge",
        "use ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL for organisations without a judge of their own",
    )
    option(
        parser,
        "--claim SECONDS",
        "after how long others take over from a process that died (default: %(default)s)",
        positive,
        default=60,
    )
    option(
        parser,
        "--keep-work DAYS",
        "for how long GET /v1/work has what is done (default: %(default)s)",
        positive,
        default=7,
    )


def setting_of(args: argparse.Namespace) -> dict[str, Any]:
    """What ``add_service`` asked for, as the processes of a service take it."""
    from assay.adapters.service.coding_parts import CodingSetting  # noqa: PLC0415 - help needs no database
    from assay.engine.service.coding_policy import CodingPolicy  # noqa: PLC0415

    if args.graded_tasks is not None and not os.path.isdir(args.graded_tasks):
        raise InputError(f"--graded-tasks must be a folder of tasks, but {args.graded_tasks} isn't one")
    policy = CodingPolicy(tuple(args.coding_folder), tuple(args.coding_image), args.coding_network)
    written = os.environ.get(SOURCES_VARIABLE, "").split(",")
    return {
        "allowed": tuple(args.allow_source or filter(None, map(str.strip, written))),
        "log": args.log,
        "claim_sec": args.claim,
        "kept_work": timedelta(days=args.keep_work),
        "blobs": blobs_of(args),
        "coding": CodingSetting(args.coding, policy, args.judge, args.graded_tasks),
    }
