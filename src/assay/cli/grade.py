"""Grade runs again: run their verifiers on what the agents left, without the agents.

Each grading is a new file beside the old ones (gradings/0002.json and so on, in the trial's folder); nothing is
overwritten. RUNS are trial folders or job folders. Tasks are looked for where they were, or in --tasks.

Exit codes: 0 all were graded, 1 some could not be, 2 none could be.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from assay.adapters.sandbox.backends import choose
from assay.adapters.sandbox.run_child import stop_all
from assay.adapters.task_folder import load_task_if_there
from assay.adapters.this_host import ThisHost
from assay.adapters.trial_folder import DiskKeptTrial, find_trials
from assay.adapters.workshop import DiskWorkshop
from assay.cli.arguments import add_isolation, positive
from assay.cli.table import clean
from assay.core.errors import AssayError, InputError
from assay.dialects.evaluation.grading import Grading
from assay.engine.grade_again import GradeAgain
from assay.engine.site import Site


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUNS", nargs="+", help="a trial folder or a job folder")
    parser.add_argument("--tasks", metavar="DIR", help="the folder that holds the tasks now")
    parser.add_argument(
        "-n", "--n-concurrent", type=positive, default=4, metavar="N", help="verifiers at a time (default: 4)"
    )
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    trials = find_trials(args.runs)
    with grading_again(args.isolation, args.tasks, args.n_concurrent) as again:
        outcomes = _grade_all(again, trials)
    graded = sum(outcomes)
    if not graded:
        raise InputError("none of the runs could be graded")
    return 0 if graded == len(trials) else 1


@contextlib.contextmanager
def grading_again(isolation: str, tasks: str | None, concurrent: int = 1) -> Iterator[GradeAgain]:
    """Everything that grading again needs, in the sandbox that was asked for."""
    site = Site(choose(isolation), ThisHost())
    with DiskWorkshop(site.sandbox) as workshop:
        yield GradeAgain(site, workshop, load_task_if_there, tasks, concurrent)


def _grade_all(again: GradeAgain, trials: list[str]) -> list[bool]:
    """Whether each could be graded. Ctrl-C ends those under way, too."""
    with ThreadPoolExecutor(again.threads) as pool:
        waiting = [pool.submit(_grade, again, trial) for trial in trials]
        try:
            return [one.result() for one in waiting]
        except KeyboardInterrupt:
            stop_all()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _grade(again: GradeAgain, trial: str) -> bool:
    name = clean(os.path.basename(trial.rstrip("/")))
    try:
        gradings = again.grade(DiskKeptTrial(trial))
    except AssayError as error:
        sys.stderr.write(f"assay: {complaint(name, error)}\n")
        return False
    # In one piece, so that lines of several threads do not mix.
    lines = [f"{name}{_step(one)}  grading {one.number}  {describe(one)}\n" for one in gradings]
    sys.stdout.write("".join(lines))
    return True


def complaint(name: str, error: AssayError) -> str:
    """A file that can't be used is in its own sentence; a measurement that broke needs the name of its trial."""
    return clean(str(error)) if isinstance(error, InputError) else f"{name}: {clean(str(error))}"


def _step(grading: Grading) -> str:
    return "" if grading.step is None else f" step {grading.step}"


def describe(grading: Grading) -> str:
    """A grading in a few words: a reward, none, or a 0 for what could not be used."""
    if not grading.result.validity.verifier_completed:
        return f"no reward ({grading.reason_code})"
    if not grading.result.validity.output_parseable:
        return f"reward 0 ({grading.reason_code or 'the output is unusable'})"
    confidence = grading.result.confidence
    doubt = f"  (flaky verifier: {confidence.confidence_method})" if confidence and grading.is_flaky else ""
    return f"reward {grading.result.reward:g}{doubt}"
