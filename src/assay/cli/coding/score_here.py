"""Score inside a git repository, with what Assay can find out by itself."""

import contextlib
import os
from collections.abc import Iterator

from assay.adapters.tasks.scenario_file import parse_scenario
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.workspace.borrowed_repository import (
    BorrowedRepository,
    HostTools,
    borrow_repository,
    find_root,
)
from assay.cli.options.common import Options
from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.coding.guess_scenario import Depth
from assay.engine.coding.repository_ends import Rules, WantedEnds, score_repository
from assay.engine.coding.score_coding_run import Afterwards, Candidate, is_patch


def score_here(args: Options, attempt: Candidate, files: LocalScoringFiles, then: Afterwards) -> ScorersReport:
    """Score the repository that the current folder, or the folder given as WORKSPACE, is in."""
    start = args.start or "." if is_patch(args.workspace) else args.workspace or "."
    with open_repository(start) as repository:
        wanted = WantedEnds(args.branch, args.pr, args.main)
        depth: Depth = "quick" if args.quick else "thorough" if args.thorough else "default"
        rules = Rules(args.scenario, parse_scenario, HostTools(repository.root), args.tests, depth)
        return score_repository(repository, wanted, rules, attempt, files, then)


@contextlib.contextmanager
def open_repository(start: str) -> Iterator[BorrowedRepository]:
    root = find_root(start) if os.path.isdir(start) else None
    if not os.path.exists(start):
        raise InputError(f"{start} doesn't exist")
    if root is None:
        raise InputError(
            f"pass --task, or --scenario with --baseline, or run inside a git repository, but {start} is in none"
        )
    with borrow_repository(root) as repository:
        yield repository
