"""Grade finished runs again: run their verifiers on the output that the agents left, without running the agents.

Each grading is written to a new file in the trial's folder (gradings/0002.json and so on); nothing is overwritten.
RUNS are trial folders or job folders. They are verified in the kind of sandbox that they were verified in before;
with --isolation, in another kind. Assay looks for the tasks where they were during the run, or in --tasks.

An archive is graded in pieces with --again ID and --shard I/N, each in a process of its own, as often as needed.

Exit codes: 0 all runs were graded, 1 some could not be graded, 2 none could be graded.
"""

import argparse
import contextlib
import functools
import os
import sys
from collections import Counter
from collections.abc import Iterator

from assay.adapters.jobs.pieces import WHOLE, claim, work_off
from assay.adapters.jobs.trial_folder import DiskTrial, find_trials
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.sandbox import AUTO
from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.task_folder import load_task_if_there
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.cli.options.common import (
    add_control,
    add_grading_rules,
    add_isolation,
    again_id,
    grading_rules,
    positive,
    shard,
    warn,
)
from assay.cli.output.progress import Progress
from assay.cli.output.table import clean
from assay.core.errors import AssayError, InputError, StoppedError
from assay.dialects.evaluation.models import Grading
from assay.engine.machine import TrialSite
from assay.engine.ports import GradingRules
from assay.engine.run.grade_again import Regrading, kind_of, recorded_backend
from assay.formats.counting import counted


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUNS", nargs="+", help="a trial folder or a job folder")
    parser.add_argument("--tasks", metavar="DIR", help="the folder of tasks, if they have moved since the run")
    parser.add_argument(
        "-n", "--n-concurrent", type=positive, default=4, metavar="N", help="verifiers at a time (default: 4)"
    )
    parser.add_argument(
        "--again",
        type=again_id,
        metavar="ID",
        help="grade each run once under this ID, which its grading records: what has one is skipped, so that the "
        "same command goes on where another one was killed",
    )
    parser.add_argument(
        "--shard",
        type=shard,
        default=WHOLE,
        metavar="I/N",
        help="grade one of N shares of the runs, for arrays of Slurm or Kubernetes (default: all)",
    )
    add_grading_rules(parser, default="as in the first grading")
    add_control(parser)
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    trials = find_trials(args.runs)
    rules = grading_rules(args)
    with grading_again(
        trials, args.isolation, args.tasks, args.n_concurrent, rules, control=not args.no_control, again=args.again
    ) as again:
        work = functools.partial(_grade_once if args.again else _grade, again)
        outcomes = Counter(work_off(trials, work, again.threads, args.shard, Progress("graded")))
    if skipped := outcomes["graded before"] + outcomes["claimed"]:
        sys.stderr.write(_skipped(skipped, outcomes["claimed"], args.again))
    if outcomes["failed"] and outcomes["failed"] == outcomes.total():
        raise InputError("none of the runs could be graded")
    return 1 if outcomes["failed"] else 0


@contextlib.contextmanager
def grading_again(
    trials: list[str],
    isolation: str,
    tasks: str | None,
    concurrent: int = 1,
    rules: GradingRules | None = None,
    *,
    control: bool,
    again: str | None = None,
) -> Iterator[Regrading]:
    """Grade runs again in a sandbox of the given kind; by default, of the kind that they were verified in."""
    known = next(filter(None, (recorded_backend(DiskTrial(trial)) for trial in trials)), AUTO)
    site = TrialSite(choose(kind_of(known) if isolation == AUTO else isolation, warn), ThisHost())
    with DiskWorkshop(site.sandbox) as workshop:
        yield Regrading(
            site,
            workshop,
            load_task_if_there,
            tasks,
            concurrent,
            anywhere=isolation == kind_of(site.sandbox.isolation.backend),
            rules=rules,
            control=control,
            again=again,
        )


def _grade_once(again: Regrading, trial: str) -> str:
    """Grade a trial, unless another process does so at the moment."""
    with claim(trial) as ours:
        return _grade(again, trial) if ours else "claimed"


def _grade(again: Regrading, trial: str) -> str:
    """What came of one trial."""
    name = clean(os.path.basename(trial.rstrip("/")))
    try:
        gradings = again.grade(DiskTrial(trial))
    except StoppedError:
        raise
    except AssayError as error:
        sys.stderr.write(f"assay: {complaint(name, error)}\n")
        return "failed"
    # Written in one call, so that lines of several threads don't mix.
    lines = [f"{name}{_step(grading)}  grading {grading.number}  {describe(grading)}\n" for grading in gradings]
    sys.stdout.write("".join(lines))
    return "graded" if gradings else "graded before"


def _skipped(count: int, claimed: int, again: str) -> str:
    elsewhere = f", {claimed} of them at work elsewhere" if claimed else ""
    return f"assay: skipped {counted(count, 'run')} with a grading of {again}{elsewhere}\n"


def complaint(name: str, error: AssayError) -> str:
    """The error message. An ``InputError`` names its file; any other error gets the name of the trial in front."""
    return clean(str(error)) if isinstance(error, InputError) else f"{name}: {clean(str(error))}"


def _step(grading: Grading) -> str:
    return "" if grading.step is None else f" step {grading.step}"


def describe(grading: Grading) -> str:
    """A grading in a few words: its reward, "no reward", or 0 for an output that can't be used."""
    if not grading.result.validity.verifier_completed:
        if grading.cause is None:
            return f"no reward ({grading.reason_code})"
        worth = "reward 0" if grading.cause == "agent" else "no reward"
        return f"{worth} ({grading.reason_code}, caused by the {grading.cause})"
    if not grading.result.validity.output_parseable:
        reason = grading.reason_code or "the output can't be used"
        return f"reward 0 ({reason})"
    confidence = grading.result.confidence
    method = confidence.confidence_method if confidence else "its first run gave no usable reward"
    doubt = f"  (flaky verifier: {method})" if grading.is_flaky else ""
    return f"reward {grading.result.reward:g}{doubt}"
