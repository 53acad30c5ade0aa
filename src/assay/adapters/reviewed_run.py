"""Read a finished run with everything that was said about it since: gradings, annotations, added tags."""

import os

from assay.adapters import gradings
from assay.adapters.added_tags import read_tags
from assay.adapters.annotations import read_annotations
from assay.adapters.finished_run import finished_run
from assay.core.errors import InputError
from assay.dialects.evaluation.grading import Grading
from assay.dialects.evaluation.models import EvaluationResult
from assay.engine.history import History
from assay.engine.read_result import reviewed_gradings, reviewed_result

USED = ("first", "latest")


def read_gradings(trial_dir: str | os.PathLike[str]) -> list[Grading]:
    """All gradings of a run, the oldest first, each with the annotations and tags that the run has now.

    Raises ``InputError`` for a record that can't be read.
    """
    folder = os.fspath(trial_dir)
    return reviewed_gradings(gradings.read_gradings(folder), read_annotations(folder), read_tags(folder))


def read_result(trial_dir: str | os.PathLike[str], grading: str = "first") -> EvaluationResult:
    """The result of a run by its first or its latest grading, all steps together, with annotations and tags."""
    if grading not in USED:
        raise InputError(f"grading must be one of {', '.join(USED)}, got {grading!r}")
    folder = finished_run(trial_dir)
    history = History(folder, gradings.read_gradings(folder), read_annotations(folder), read_tags(folder))
    found = reviewed_result(history, grading)
    if found is None:
        raise InputError(f"{folder} must have a grading, but it has none; write one with 'assay grade'")
    return found
