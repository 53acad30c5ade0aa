"""Score a coding run: compare the workspace with its baseline and run the task's scorers on it.

Inside a git repository, no argument is needed: the working tree (or --branch, --pr) is compared with the main
branch, by the assay.yaml of the main branch or by what can be guessed; the first lines say what was assumed.

Otherwise, WORKSPACE is the folder that the agent left, an archive of it, or the branch that it pushed
(REPOSITORY@BRANCH). The scorers and the baseline come from a seeded task (--task), or from a scenario (--scenario)
with a baseline: a folder, an archive, or a commit of a repository that the agent could not write to (--baseline
REPOSITORY@COMMIT). The .git of a folder is never used.

WORKSPACE may also be a run in a job's folder. Everything is found there, and the result is added to the run. Of
a run that harbor made elsewhere, the folder of the run or of its artifacts will do, or an archive of it, if the
task names its working folder among the artifacts.

It may be SWE-bench's predictions, too (.jsonl with instance_id, model_name_or_path and model_patch): each patch is
a run, scored in its repository below --repositories, or all in one by --scenario and --baseline.

With --judge, a language model reads the task, the diff, the scorers' results and what the agent recorded, and says
PASS or FAIL beside the scorers. A judge that fails is reported as unparseable, which is neither.

Scorers that run the tests many times (tests_bite and its siblings) remember how each run ended, by the content of
all files: scoring the same again costs nothing, and the report says how many commands weren't run again. This
memory is in ~/.cache/assay/runs. ASSAY_RUN_CACHE names another folder; "off" switches it off, as --no-run-cache
does.

Advisory scorers warn without failing the run; with --strict they count as required ones.

Exit codes: 0 the required scorers passed, 1 one of them failed, 2 no answer (bad input, nothing was changed,
nothing was tested, or no scorer applied), 4 nothing could be measured (the baseline's tests don't run either).
"""

import argparse
import functools
import json
import os
import sys
from typing import TYPE_CHECKING

from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.remembered_commands import runs_folder
from assay.adapters.tasks.scoring_files import LocalScoringFiles, ScorerListener, ignore_scorer, is_kept_run
from assay.adapters.workspace.capture import Captured
from assay.adapters.workspace.diff import cumulative_diff
from assay.cli.options.common import (
    Options,
    add_isolation,
    add_repository,
    add_run_cache,
    add_shard,
    option,
    pull_request,
    share,
)
from assay.cli.options.judge import add_judge, judges_of, refuse_without
from assay.cli.output.progress import Progress
from assay.cli.output.score_formats import FORMATS, parse_format
from assay.cli.output.score_table import render
from assay.cli.output.table import show
from assay.core.errors import InputError
from assay.dialects.scorers.report import JudgeState, OverallVerdict, ScorersReport
from assay.engine.coding.score_coding_run import Afterwards, Candidate, KeepRun, score_by_scenario, score_by_task
from assay.evidence.coding_run import AgentRecord, RunStatus
from assay.evidence.workspace import ResultMemory

if TYPE_CHECKING:
    from assay.adapters.models.judge_setup import ConfiguredJudges
    from assay.cli.coding.predictions import ScoredPredictions

EXIT = {OverallVerdict.PASS: 0, OverallVerdict.FAIL: 1, OverallVerdict.NOT_APPLICABLE: 2}
NOT_MEASURED = 4


def configure(parser: argparse.ArgumentParser) -> None:
    option(
        parser,
        "workspace [WORKSPACE]",
        "what the agent left: a folder, an archive, REPOSITORY@BRANCH or a patch (.patch, .diff or -)"
        "; or SWE-bench's predictions (.jsonl or .json)",
    )
    option(parser, "--task TASK", "a task made by 'assay seed'")
    option(parser, "--scenario FILE", "a scenario file, if there is no seeded task")
    option(
        parser,
        "--baseline WHERE",
        "the state before the run, with --scenario: a folder, an archive, or REPOSITORY@COMMIT",
    )
    option(
        parser,
        "--run-status",
        "status of the run (default: completed)",
        choices=[status.value for status in RunStatus],
        default=RunStatus.COMPLETED.value,
    )
    option(parser, "--no-workspace", "score a run that had no workspace: no scorers")
    option(
        parser,
        "--instruction TEXT",
        "what the agent was asked to do, as text or @FILE: it excuses what it asks for. Never a text that the"
        " agent wrote, such as that of its own pull request",
    )
    what = parser.add_mutually_exclusive_group()
    option(what, "--branch NAME", "score this branch of the repository, not the working tree")
    option(what, "--pr N", "score pull request N, which must have been fetched", pull_request)
    add_repository(parser)
    option(
        parser,
        "--repositories DIR",
        "for predictions: a folder with a repository named like each instance, at its base commit",
    )
    add_shard(parser, "for predictions: score")
    parser.set_defaults(start=None)
    option(parser, "--tests COMMAND", "how the tests of the repository are run, if the guess is wrong")
    runs = parser.add_mutually_exclusive_group()
    option(runs, "--quick", "run only the agent's own tests, not the baseline's")
    option(runs, "--thorough", "also run the tests many times, to see whether they still notice faults")
    option(parser, "--json", "print the report as JSON")
    option(
        parser,
        "--format NAME[:FILE]…",
        f"print the report as {', '.join(FORMATS)}, or write it to a file beside the table; may be repeated",
    )
    option(parser, "--all", "show the details of every scorer, not only of those that failed")
    option(parser, "--strict", "make advisory scorers count as required ones")
    option(parser, "--fail-on-suspicion X", "also exit with 1 if the suspicion, from 0 to 1, is at least X", share)
    option(parser, "--diff FILE", "write the diff between baseline and workspace to a file")
    option(parser, "--judge", "have a language model judge the run too; its verdict gates nothing")
    option(parser, "--require-judge", "also exit with 1 if the judge says FAIL")
    option(parser, "--agent-logs DIR", "what the agent recorded: trajectory, final response, output")
    add_run_cache(parser)
    option(parser, "--keep DIR", "keep the run in a new folder, for 'assay judge'")
    add_judge(parser, "judge-")
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    with Progress("scoring").going_on() as progress:
        found = score(args, progress)
    if isinstance(found, ScorersReport):
        _show(found, args)
    elif args.json:
        print(json.dumps(found.as_json(), indent=2))
    else:
        show(found.as_text())
    return exit_code(found, args)


def score(args: Options, on_scorer: ScorerListener = ignore_scorer) -> "ScorersReport | ScoredPredictions":
    """Score what the options name: one run, or each of SWE-bench's predictions."""
    _check(args)
    # The diff comes before the scorers: a file that can't be written must not cost the time of their commands.
    write_diff = functools.partial(_write_diff, path=args.diff)
    files = LocalScoringFiles(
        functools.cache(lambda: choose(args.isolation)),
        write_diff,
        runs=_runs(args),
        on_scorer=on_scorer,
        downloads=True,
    )
    if is_predictions(args.workspace):
        from assay.cli.coding.predictions import score_predictions  # noqa: PLC0415 - only for predictions

        return score_predictions(args, functools.partial(_score_one, files=files))
    asked = _instruction(args)
    attempt = Candidate(args.workspace, RunStatus(args.run_status), args.strict, _agent(args.agent_logs), asked)
    with judges_of(args) as judges:
        if args.workspace is not None and args.scenario is None and is_kept_run(args.workspace):
            return _score_again(args, judges)
        return _score(args, attempt, files, Afterwards(judges, _keep(args)))


def _score_one(args: Options, files: LocalScoringFiles) -> ScorersReport:
    """Score one of many runs."""
    return _score(args, Candidate(args.workspace, RunStatus(args.run_status), args.strict), files, Afterwards())


def is_predictions(workspace: str | None) -> bool:
    """Whether what is scored are the predictions of SWE-bench, in one file."""
    return workspace is not None and workspace.endswith((".jsonl", ".json")) and os.path.isfile(workspace)


def _score_again(args: Options, judges: "ConfiguredJudges | None") -> ScorersReport:
    """Score a run in a job's folder."""
    from assay.adapters.jobs.run_scoring import KeptCodingWork, LocalScoring  # noqa: PLC0415 - only for such a run
    from assay.engine.coding.score_trials import SeededGrading, score_trial  # noqa: PLC0415

    scoring = LocalScoring(functools.cache(lambda: choose(args.isolation)), args.strict, _runs(args))
    return score_trial(KeptCodingWork(args.workspace), args.task, SeededGrading(scoring, judges))


def _agent(logs: str | None) -> AgentRecord:
    if logs is None:
        return AgentRecord()
    from assay.adapters.jobs.agent_record import read_agent_record  # noqa: PLC0415 - reads all forms of trajectories

    return read_agent_record(logs)


def _instruction(args: Options) -> str | None:
    """The text of --instruction. A file inside of what is scored is none: the agent may have written it."""
    text: str | None = args.instruction
    if text is not None and text.startswith("@"):
        from assay.adapters.workspace.borrowed_repository import find_root  # noqa: PLC0415 - only for a file

        path = os.path.realpath(text[1:])
        start = args.workspace or "."
        root = (find_root(start) or os.path.realpath(start)) if os.path.isdir(start) else None
        if root is not None and f"{path}/".startswith(f"{os.path.realpath(root)}/"):
            raise InputError(f"--instruction must be a file outside of {root}, where the agent could write it")
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, ValueError) as error:
            raise InputError(f"--instruction must be a text or @FILE that can be read: {error}") from error
    if text is not None and not text.strip():
        raise InputError("--instruction must say something, got an empty text")
    return text


def _runs(args: Options) -> ResultMemory | None:
    return None if args.no_run_cache else runs_folder()


def _keep(args: Options) -> KeepRun | None:
    if args.keep is None:
        return None
    from assay.adapters.jobs.run_store import keep_run  # noqa: PLC0415 - only who keeps a run needs it

    return functools.partial(keep_run, args.keep)


def _score(args: Options, attempt: Candidate, files: LocalScoringFiles, then: Afterwards) -> ScorersReport:
    if args.task is not None:
        return score_by_task(args.task, attempt, files, then)
    if args.scenario is not None and (args.baseline is not None or args.no_workspace):
        return score_by_scenario(args.scenario, args.baseline, attempt, files, then)
    from assay.cli.coding.score_here import score_here  # noqa: PLC0415 - only inside a repository

    return score_here(args, attempt, files, then)


def _show(report: ScorersReport, args: argparse.Namespace) -> None:
    """Print the table, unless another format goes to standard output; write the formats that go to files."""
    wanted = [*args.format, *(["json"] if args.json else [])]
    formats = [parse_format(text) for text in wanted]
    for name, path in formats:
        if path is not None:
            _write(path, FORMATS[name](report) + "\n", "the report")
    shown = [name for name, path in formats if path is None]
    if shown:
        print("\n".join(FORMATS[name](report) for name in shown))
    else:
        show(render(report, everything=args.all))


def _check(args: Options) -> None:
    _check_judge(args)
    for text in args.format:
        parse_format(text)
    _check_sources(args)
    _check_repository(args)


def _check_judge(args: Options) -> None:
    refuse_without(args, wanted=args.judge)
    if args.require_judge and not args.judge:
        raise InputError("pass --judge with --require-judge: without it no judge is asked")
    if args.keep is not None and os.path.lexists(args.keep):
        raise InputError(f"--keep must be a new folder, but {args.keep} exists")
    if args.agent_logs is not None and not os.path.isdir(args.agent_logs):
        raise InputError(f"--agent-logs must be a folder, got {args.agent_logs}, which isn't one")


def _check_sources(args: Options) -> None:
    if args.repositories is not None and not is_predictions(args.workspace):
        raise InputError("--repositories is for predictions: pass a .jsonl or .json file of them as WORKSPACE")
    if args.repositories is not None and args.baseline is not None:
        raise InputError("pass --repositories or --baseline, got both")
    if args.task is not None and args.scenario is not None:
        raise InputError("pass --task or --scenario, got both")
    if args.workspace is not None and args.no_workspace:
        raise InputError("pass a workspace or --no-workspace, got both")
    if args.task is not None and args.baseline is not None:
        raise InputError("a task has its own baseline: leave out --baseline")
    if args.baseline is not None and args.scenario is None:
        raise InputError("pass --scenario with --baseline, got no scenario")
    if _is_elsewhere(args) and args.workspace is None and not args.no_workspace:
        raise InputError("pass a workspace or --no-workspace, got neither")
    if args.no_workspace and args.task is None and args.scenario is None:
        raise InputError("pass --task or --scenario with --no-workspace, got neither")


def _is_elsewhere(args: Options) -> bool:
    """Whether what to compare with isn't a repository's main branch."""
    return args.task is not None or args.baseline is not None


def _check_repository(args: Options) -> None:
    given = [f"--{name}" for name in ("branch", "pr", "main") if getattr(args, name) is not None]
    guessing = [f"--{name}" for name in ("tests", "quick", "thorough") if getattr(args, name)]
    if (given or guessing) and (_is_elsewhere(args) or args.no_workspace):
        raise InputError(
            f"{(given + guessing)[0]} is for a git repository: leave out --task, --baseline and --no-workspace"
        )
    if guessing and args.scenario is not None:
        raise InputError(f"{guessing[0]} is for a guessed scenario: leave out --scenario")


def _write_diff(workspace: Captured, path: str | None) -> None:
    if path is None:
        return
    text, cut = cumulative_diff(workspace)
    _write(path, text, "the diff")
    if cut:
        print(f"assay: {path} doesn't show every change", file=sys.stderr)


def _write(path: str, text: str, what: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{what} can't be written to {path}: {error.strerror}") from error


def exit_code(found: "ScorersReport | ScoredPredictions", args: Options) -> int:
    """That of the checks. A suspicion, or a judge's FAIL, counts only on demand."""
    reports = (
        [found] if isinstance(found, ScorersReport) else [one for *_, one in found.answers if one is not None]
    )
    suspicions = [report.suspicion.score for report in reports if report.suspicion is not None]
    if args.fail_on_suspicion is not None and max(suspicions, default=0) >= args.fail_on_suspicion:
        return 1
    if not isinstance(found, ScorersReport):
        return found.code
    code = EXIT[found.overall.verdict] if found.overall is not None else 0
    if found.overall is not None and found.overall.broken:
        code = NOT_MEASURED
    return 1 if args.require_judge and found.judge.state is JudgeState.FAIL and code == 0 else code
