"""Score inside a git repository, with what Assay can find out by itself."""

import argparse
import contextlib
import os
from collections.abc import Iterator

from assay.adapters.tasks.scenario_file import parse_scenario
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.workspace.borrowed_repository import BorrowedRepository, borrowed, find_root
from assay.adapters.workspace.host_tools import HostTools
from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.coding.repository_ends import Rules, Wanted, score_repository
from assay.engine.coding.score_coding_run import Afterwards, Candidate


def add_repository(parser: argparse.ArgumentParser) -> None:
    """The options that say what of a repository is scored."""
    parser.add_argument(
        "--main", metavar="NAME", help="the main branch to compare with (default: found by itself)"
    )


def add_branch(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--branch", metavar="NAME", help="score this branch of the repository, not the working tree")
    what.add_argument("--pr", type=_number, metavar="N", help="score pull request N, which must have been fetched")
    add_repository(parser)


def score_here(
    args: argparse.Namespace, attempt: Candidate, files: LocalScoringFiles, then: Afterwards
) -> ScorersReport:
    """Score the repository that the current folder, or the folder given as WORKSPACE, is in."""
    with open_repository(args.workspace or ".") as repository:
        wanted = Wanted(args.branch, args.pr, args.main)
        rules = Rules(args.scenario, parse_scenario, HostTools(repository.root))
        return score_repository(repository, wanted, rules, attempt, files, then)


@contextlib.contextmanager
def open_repository(start: str) -> Iterator[BorrowedRepository]:
    root = find_root(start) if os.path.isdir(start) else None
    if root is None:
        raise InputError(
            f"pass --task, or --scenario with --baseline, or run inside a git repository, but {start} is in none"
        )
    with borrowed(root) as repository:
        yield repository


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"must be the number of a pull request, got {text!r}")
    return int(text)
