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
import io
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module

from assay.adapters.jobs.pieces import WHOLE, Shard, claim, work_off
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
    add_shard,
    again_id,
    extra_packages,
    grading_rules,
    option,
    positive,
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

# How many runs a task of a cluster grades.
PIECE = 20


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "runs RUNS…", "a trial folder or a job folder")
    option(parser, "--tasks DIR", "the folder of tasks, if they have moved since the run")
    option(parser, "-n --n-concurrent N", "verifiers at a time (default: 4)", positive, default=4)
    option(
        parser,
        "--again ID",
        "grade each run once under this ID, which its grading records: what has one is skipped, so that the "
        "same command goes on where another one was killed",
        again_id,
    )
    add_shard(parser, "grade")
    option(
        parser,
        "--on",
        "grade on the cluster of Ray that RAY_ADDRESS names, or on one of this machine: pieces with N "
        "processors each, on machines that have the same folders (needs --again)",
        choices=("ray",),
    )
    add_grading_rules(parser, default="as in the first grading")
    add_control(parser)
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    if args.on is not None and args.again is None:
        raise InputError("--on ray needs --again ID: a piece that is begun again grades nothing twice")
    trials = find_trials(args.runs)
    how = How(args.isolation, args.tasks, args.n_concurrent, grading_rules(args), not args.no_control, args.again)
    outcomes = (_on_ray if args.on else _here)(how, trials, args.shard or WHOLE)
    if skipped := outcomes["graded before"] + outcomes["claimed"]:
        sys.stderr.write(_skipped(skipped, outcomes["claimed"], args.again))
    if outcomes["failed"] and outcomes["failed"] == outcomes.total():
        raise InputError("none of the runs could be graded")
    return 1 if outcomes["failed"] else 0


@dataclass(frozen=True, slots=True)
class How:
    """The options of a grading, as they travel to another machine."""

    isolation: str
    tasks: str | None
    concurrent: int = 1
    rules: GradingRules | None = None
    control: bool = True
    again: str | None = None


def _here(how: How, trials: list[str], share: Shard = WHOLE) -> Counter[str]:
    with grading_again(trials, how) as again:
        work = functools.partial(_grade_once if how.again else _grade, again)
        return Counter(work_off(trials, work, again.threads, share, Progress("graded", live=False)))


def _on_ray(how: How, trials: list[str], share: Shard) -> Counter[str]:
    with extra_packages("--on ray needs", "ray"):
        import_module("ray")

    from assay.adapters.jobs.ray_pieces import work_on_ray  # noqa: PLC0415

    chosen = [os.path.abspath(trial) for trial in trials if share.has(trial)]
    there = replace(how, tasks=None if how.tasks is None else os.path.abspath(how.tasks))
    pieces = [chosen[start : start + PIECE] for start in range(0, len(chosen), PIECE)]
    outcomes, tell = Counter[str](), Progress("graded", live=False)
    for out, err, counts in work_on_ray(pieces, functools.partial(grade_piece, there), _lost, how.concurrent):
        sys.stdout.write(out)
        sys.stderr.write(err)
        outcomes += counts
        tell(outcomes.total(), len(chosen))
    return outcomes


def grade_piece(how: How, trials: Sequence[str]) -> tuple[str, str, Counter[str]]:
    """Grade some runs in this process: what would be printed, and what came of them."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        counts = _here(how, list(trials))
    return out.getvalue(), err.getvalue(), counts


def _lost(trial: str, why: str) -> tuple[str, str, Counter[str]]:
    name = clean(os.path.basename(trial))
    return "", f"assay: {name}: its worker on the cluster was lost: {clean(why)}\n", Counter(failed=1)


@contextlib.contextmanager
def grading_again(trials: list[str], how: How) -> Iterator[Regrading]:
    """Grade runs again in a sandbox of the given kind; by default, of the kind that they were verified in."""
    known = next(filter(None, (recorded_backend(DiskTrial(trial)) for trial in trials)), AUTO)
    site = TrialSite(choose(kind_of(known) if how.isolation == AUTO else how.isolation, warn), ThisHost())
    anywhere = how.isolation == kind_of(site.sandbox.isolation.backend)
    with DiskWorkshop(site.sandbox) as workshop:
        where = (site, workshop, load_task_if_there, how.tasks)
        yield Regrading(*where, how.concurrent, anywhere, how.rules, how.control, how.again)


def _grade_once(again: Regrading, trial: str) -> str:
    """Grade a trial, unless another process does so at the moment."""
    with claim(trial) as ours:
        return _grade(again, trial) if ours else "claimed"


def _grade(again: Regrading, trial: str) -> str:
    """Grade one trial, and name the outcome."""
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
