"""Read a finished run with everything that was said about it since: gradings, annotations, added tags."""

import os

from assay.adapters.jobs.annotations import (
    RESULT_LIMIT,
    finished_run,
    read_annotations,
    read_stored_gradings,
    read_tags,
)
from assay.adapters.jobs.job_folder import read_gates
from assay.adapters.machine.safe_read import read_below
from assay.core.errors import InputError
from assay.dialects.evaluation.models import EvaluationResult, Grading
from assay.dialects.harbor.trial_file import TrialDecoder, TrialFileError
from assay.engine.jobs.job_runs import JobQuestion, run_of_trial
from assay.engine.jobs.read_result import reviewed_gradings, reviewed_result
from assay.engine.jobs.trial_additions import History
from assay.evidence.files import Content
from assay.evidence.run import Run

USED = ("first", "latest")


def read_gradings(trial_dir: str | os.PathLike[str]) -> list[Grading]:
    """All gradings of a run, the oldest first, each with the annotations and tags that the run has now.

    Raises ``InputError`` for a record that can't be read.
    """
    folder = os.fspath(trial_dir)
    return reviewed_gradings(read_stored_gradings(folder), read_annotations(folder), read_tags(folder))


def read_result(trial_dir: str | os.PathLike[str], grading: str = "first") -> EvaluationResult:
    """The result of a run by its first or its latest grading, all steps together, with annotations and tags."""
    if grading not in USED:
        raise InputError(f"grading must be one of {', '.join(USED)}, got {grading!r}")
    folder = finished_run(trial_dir)
    found = reviewed_result(_history(folder), grading)
    if found is None:
        raise InputError(f"{folder} must have a grading, but it has none; write one with 'assay grade'")
    return found


def read_run(trial_dir: str | os.PathLike[str], grading: str = "first") -> Run:
    """What a trial came to by its first or its latest grading. Raises ``InputError``."""
    folder = finished_run(trial_dir)
    file = read_below(folder, ("result.json",), RESULT_LIMIT)
    try:
        trial = TrialDecoder().decode(file.data if isinstance(file, Content) else b"")
    except TrialFileError as error:
        raise InputError(f"{folder}/result.json isn't the result of a trial: {error}") from error
    job = os.path.basename(os.path.dirname(os.path.abspath(folder)))
    return run_of_trial(job, trial, _history(folder), JobQuestion(grading=grading))


def _history(folder: str) -> History:
    records = (read_stored_gradings(folder), read_annotations(folder), read_tags(folder))
    return History(folder, *records, gates=read_gates(folder))
