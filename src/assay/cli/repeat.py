"""Verify the same outputs several times and say whether the answers are the same."""

import os
import sys
import time

from assay.adapters.regrader import Regrader, find_trials
from assay.adapters.sandbox.backends import choose
from assay.cli.grade import complaint
from assay.cli.table import clean
from assay.core.errors import AssayError, InputError
from assay.dialects.evaluation.grading import Grading
from assay.engine.trial_run import Site


def repeat(paths: list[str], times: int, tasks: str | None, isolation: str) -> int:
    """Grade every trial ``times`` more. Returns 1 if a verifier contradicted itself."""
    trials = find_trials(paths)
    regrader = Regrader(Site(choose(isolation), os.environ, time.monotonic), tasks)
    try:
        answers = [_repeat(regrader, trial, times) for trial in trials]
    finally:
        regrader.close()
    if all(answer is None for answer in answers):
        raise InputError("none of the runs could be verified again")
    return 0 if all(answers) else 1


def _repeat(regrader: Regrader, trial: str, times: int) -> bool | None:
    """Whether the verifier is steady; None where it could not be run."""
    name = clean(os.path.basename(trial.rstrip("/")))
    try:
        runs = [regrader.grade(trial) for _ in range(times)]
    except AssayError as error:
        print(f"assay: {complaint(name, error)}", file=sys.stderr)
        return None
    steady = True
    for gradings in zip(*runs, strict=True):
        rewards = {_reward(grading) for grading in gradings}
        details = {grading.provenance.hashes.details for grading in gradings}
        flaky = gradings[-1].result.confidence
        differs = len(rewards) > 1 or (flaky is not None and (flaky.confidence_method or "").startswith("flaky"))
        steady = steady and not differs and len(details) == 1
        step = "" if gradings[0].step is None else f" step {gradings[0].step}"
        print(f"{name}{step}  {_verdict(differs, len(details) > 1, times, rewards)}")
    return steady


def _reward(grading: Grading) -> str:
    return f"{grading.result.reward:g}" if grading.result.validity.verifier_completed else "no reward"


def _verdict(rewards_differ: bool, details_differ: bool, times: int, rewards: set[str]) -> str:
    if rewards_differ:
        last = ", ".join(sorted(rewards))
        return f"flaky: the same output got different rewards; in the last {times} verifications {last}"
    if details_differ:
        return f"the rewards agree ({', '.join(rewards)}), the details differ between {times} verifications"
    return f"steady: {times} verifications gave {', '.join(rewards)} and the same details"
