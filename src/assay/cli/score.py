"""Score a coding run: compare the workspace with its baseline and run the task's scorers on it.

WORKSPACE is the folder that the agent left, an archive of it, or the branch that it pushed (REPOSITORY@BRANCH).
The scorers and the baseline come from a seeded task (--task), or from a scenario (--scenario) with a baseline: a
folder, an archive, or a commit of a repository that the agent could not write to (--baseline REPOSITORY@COMMIT).
The .git of a folder is never used.

With --judge, a language model reads the task, the diff, the scorers' results and what the agent recorded, and says
PASS or FAIL beside the scorers. A judge that fails is reported as unparseable, which is neither.

Advisory scorers warn without failing the run; with --strict they count as required ones.

Exit codes: 0 the required scorers passed, 1 one of them failed, 2 no answer (bad input, nothing was changed, or no
scorer applied).
"""

import argparse
import functools
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from assay.adapters.agent_record import read_agent_record
from assay.adapters.run_store import keep_run
from assay.adapters.sandbox.backends import choose
from assay.adapters.scoring_files import LocalScoringFiles
from assay.adapters.workspace.capture import Captured
from assay.adapters.workspace.diff import cumulative_diff
from assay.cli.arguments import add_isolation
from assay.cli.judge_options import add_judge, judge_options, refuse_without
from assay.cli.score_table import render
from assay.core.errors import InputError
from assay.dialects.scorers.report import JudgeState, OverallVerdict, ScorersReport
from assay.engine.score_coding_run import Afterwards, Attempt, score_by_scenario, score_by_task
from assay.evidence.coding_run import AgentRecord, RunStatus

if TYPE_CHECKING:
    from assay.adapters.judge_setup import Judges

EXIT = {OverallVerdict.PASS: 0, OverallVerdict.FAIL: 1, OverallVerdict.NOT_APPLICABLE: 2}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workspace",
        metavar="WORKSPACE",
        nargs="?",
        help="what the agent left: a folder, an archive or REPOSITORY@BRANCH",
    )
    parser.add_argument("--task", metavar="TASK", help="a task made by 'assay seed'")
    parser.add_argument("--scenario", metavar="FILE", help="a scenario file, if there is no seeded task")
    parser.add_argument(
        "--baseline",
        metavar="WHERE",
        help="the state before the run, with --scenario: a folder, an archive, or REPOSITORY@COMMIT",
    )
    parser.add_argument(
        "--run-status",
        choices=[status.value for status in RunStatus],
        default=RunStatus.COMPLETED.value,
        help="status of the run (default: completed)",
    )
    parser.add_argument(
        "--no-workspace", action="store_true", help="score a run that had no workspace: no scorers"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--all",
        action="store_true",
        help="show the details of every scorer, not only of those that failed",
    )
    parser.add_argument("--strict", action="store_true", help="make advisory scorers count as required ones")
    parser.add_argument("--diff", metavar="FILE", help="write the diff between baseline and workspace to a file")
    parser.add_argument(
        "--judge", action="store_true", help="have a language model judge the run too; its verdict gates nothing"
    )
    parser.add_argument("--require-judge", action="store_true", help="also exit with 1 if the judge says FAIL")
    parser.add_argument(
        "--agent-logs", metavar="DIR", help="what the agent recorded: trajectory, final response, output"
    )
    parser.add_argument("--keep", metavar="DIR", help="keep the run in a new folder, for 'assay judge'")
    add_judge(parser, "judge-")
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    _check(args)
    # The diff comes before the scorers: a file that can't be written must not cost the time of their commands.
    show = functools.partial(_write_diff, path=args.diff)
    files = LocalScoringFiles(functools.cache(lambda: choose(args.isolation)), show)
    agent = AgentRecord() if args.agent_logs is None else read_agent_record(args.agent_logs)
    attempt = Attempt(args.workspace, RunStatus(args.run_status), args.strict, agent)
    with _judges(args) as judges:
        ends = Afterwards(judges, None if args.keep is None else functools.partial(keep_run, args.keep))
        if args.task is not None:
            report = score_by_task(args.task, attempt, files, ends)
        else:
            report = score_by_scenario(args.scenario, args.baseline, attempt, files, ends)
    print(report.model_dump_json(indent=2) if args.json else render(report, everything=args.all))
    return _exit_code(report, args.require_judge)


def _judges(args: argparse.Namespace) -> AbstractContextManager["Judges | None"]:
    if not args.judge:
        return nullcontext()
    from assay.adapters.judge_setup import Judges  # noqa: PLC0415 - only who has a judge needs it

    return Judges(judge_options(args))


def _check(args: argparse.Namespace) -> None:
    refuse_without(args, wanted=args.judge)
    if args.require_judge and not args.judge:
        raise InputError("pass --judge with --require-judge: without it no judge is asked")
    if args.keep is not None and os.path.lexists(args.keep):
        raise InputError(f"--keep must be a new folder, but {args.keep} exists")
    if args.agent_logs is not None and not os.path.isdir(args.agent_logs):
        raise InputError(f"--agent-logs must be a folder, got {args.agent_logs}, which isn't one")
    if (args.task is None) == (args.scenario is None):
        raise InputError(f"pass --task or --scenario, got {'neither' if args.task is None else 'both'}")
    if (args.workspace is None) != args.no_workspace:
        raise InputError(f"pass a workspace or --no-workspace, got {'both' if args.no_workspace else 'neither'}")
    if args.task is not None and args.baseline is not None:
        raise InputError("a task has its own baseline: leave out --baseline")
    if args.scenario is not None and args.baseline is None and args.workspace is not None:
        raise InputError("pass --baseline with --scenario: a folder, an archive, or REPOSITORY@COMMIT")


def _write_diff(workspace: Captured, path: str | None) -> None:
    if path is None:
        return
    text, cut = cumulative_diff(workspace)
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"the diff can't be written to {path}: {error.strerror}") from error
    if cut:
        print(f"assay: {path} doesn't show every change", file=sys.stderr)


def _exit_code(report: ScorersReport, require_judge: bool) -> int:
    """That of the checks. Of the judge, only a FAIL may count, and only on demand."""
    code = EXIT[report.overall.verdict] if report.overall is not None else 0
    return 1 if require_judge and report.judge.state is JudgeState.FAIL and code != 2 else code
