"""Run verifiers several times on the same outputs and report whether they answer the same."""

import os
import sys

from assay.adapters.trial_folder import DiskKeptTrial, find_trials
from assay.cli.grade import complaint, grading_again
from assay.cli.table import clean
from assay.core.errors import AssayError, InputError
from assay.dialects.evaluation.grading import Grading
from assay.engine.grade_again import GradeAgain
from assay.formats.counting import counted


def repeat(paths: list[str], times: int, tasks: str | None, isolation: str) -> int:
    """Grade every trial ``times`` more times. Returns 1 if a verifier contradicted itself."""
    trials = find_trials(paths)
    # A control would run a verifier that failed again, and so hide what is to be measured.
    with grading_again(trials, isolation, tasks, control=False) as again:
        answers = [_repeat(again, trial, times) for trial in trials]
    if all(answer is None for answer in answers):
        raise InputError("none of the runs could be graded again")
    return 0 if all(answers) else 1


def _repeat(again: GradeAgain, trial: str, times: int) -> bool | None:
    """Whether the verifier gave the same answers; None if it could not be run."""
    name = clean(os.path.basename(trial.rstrip("/")))
    try:
        runs = [again.grade(DiskKeptTrial(trial)) for _ in range(times)]
    except AssayError as error:
        print(f"assay: {complaint(name, error)}", file=sys.stderr)
        return None
    steady = True
    for gradings in zip(*runs, strict=True):
        rewards = {_reward(grading) for grading in gradings}
        details = {grading.provenance.hashes.details for grading in gradings}
        differs = len(rewards) > 1 or gradings[-1].is_flaky
        steady = steady and not differs and len(details) == 1
        step = "" if gradings[0].step is None else f" step {gradings[0].step}"
        print(f"{name}{step}  {_verdict(differs, len(details) > 1, times, rewards)}")
    return steady


def _reward(grading: Grading) -> str:
    return f"{grading.result.reward:g}" if grading.result.validity.verifier_completed else "no reward"


def _verdict(rewards_differ: bool, details_differ: bool, times: int, rewards: set[str]) -> str:
    if rewards_differ:
        last = ", ".join(sorted(rewards))
        return f"flaky: the same output got different rewards; rewards of the last {counted(times, 'run')}: {last}"
    if details_differ:
        return f"same reward ({', '.join(rewards)}) but different details in {counted(times, 'verifier run')}"
    return f"steady: {counted(times, 'verifier run')} gave {', '.join(rewards)} with the same details"
