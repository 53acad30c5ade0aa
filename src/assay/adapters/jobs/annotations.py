"""Annotations of a finished run: reviewers' verdicts and tags, in numbered files beside its result.

They never touch the reward.

The gradings of a trial are numbered files beside its result too, written once and never changed.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from assay.adapters.jobs.job_folder import read_gates
from assay.adapters.machine.numbered_files import append_numbered, file_name, read_all_numbered, write_numbered
from assay.adapters.machine.record_files import Record, as_record, parse_record, read_records
from assay.adapters.machine.safe_read import read_below
from assay.core.errors import InputError
from assay.dialects.evaluation.models import AddedTag, Annotation, ErrorSource, EvaluationResult, Grading, Judgment
from assay.dialects.harbor.trial_file import TrialDecoder, TrialFileError
from assay.engine.jobs.job_runs import JobQuestion, run_of_trial
from assay.engine.jobs.read_result import reviewed_gradings, reviewed_result
from assay.engine.jobs.trial_additions import History
from assay.engine.run.grading_record import Before
from assay.evidence.files import Content
from assay.evidence.run import Run

ANNOTATIONS = "annotations"
RESULT_LIMIT = 64 * 2**20
TAGS = "tags"


def annotate(
    trial_dir: str | os.PathLike[str],
    *,
    reviewer_id: str,
    judgment: Judgment,
    categories: Sequence[str] = (),
    notes: str | None = None,
    reviewer_discipline: str | None = None,
) -> Annotation:
    """Keep a reviewer's verdict on a run."""
    folder = finished_run(trial_dir)
    return _keep(
        folder,
        ANNOTATIONS,
        Annotation,
        reviewer_id=reviewer_id,
        reviewer_discipline=reviewer_discipline,
        timestamp=datetime.now(UTC),
        judgment=judgment,
        categories=list(categories),
        notes=notes,
    )


def read_annotations(trial_dir: str | os.PathLike[str]) -> list[Annotation]:
    """All verdicts on a run, the oldest first."""
    return read_records(os.fspath(trial_dir), ANNOTATIONS, Annotation)


def finished_run(trial_dir: str | os.PathLike[str]) -> str:
    """The path of the folder. Raises ``InputError`` if it isn't that of a finished run."""
    folder = os.fspath(trial_dir)
    if not any(os.path.isfile(f"{folder}/{name}") for name in ("result.json", "run.json")):
        raise InputError(f"{folder} must be the folder of a finished run, but it has no result.json or run.json")
    if _is_job(folder):
        raise InputError(f"{folder} must be the folder of a run, but it is a job; pass one of the runs in it")
    return folder


def _is_job(folder: str) -> bool:
    """Whether a folder is a job, whose result counts trials. A run with a broken result may be reviewed, too."""
    file = read_below(folder, ("result.json",), RESULT_LIMIT)
    try:
        found = json.loads(file.data) if isinstance(file, Content) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "n_total_trials" in found


def add_tag(
    trial_dir: str | os.PathLike[str],
    *,
    category: str,
    source: ErrorSource,
    added_by: str,
    description: str | None = None,
) -> AddedTag:
    """Keep a classified failure of a run, found after it was graded."""
    folder = finished_run(trial_dir)
    return _keep(
        folder,
        TAGS,
        AddedTag,
        tag={"category": category, "description": description, "source": source},
        added_by=added_by,
        timestamp=datetime.now(UTC),
    )


def _keep(run: str, records: str, kind: type[Record], **fields: Any) -> Record:
    """Add a record under the next number."""
    record, text = as_record(records.removesuffix("s"), kind, **fields)
    append_numbered(run, records, text)
    return record


def read_tags(trial_dir: str | os.PathLike[str]) -> list[AddedTag]:
    """All tags that were added to a run, the oldest first. Those of its gradings aren't among them."""
    return read_records(os.fspath(trial_dir), TAGS, AddedTag)


GRADINGS = "gradings"


def last_grading(trial_dir: str) -> Before:
    """The gradings so far, and the hash of the newest one that was read: another may be written meanwhile."""
    found = read_all_numbered(trial_dir, GRADINGS)
    if not found:
        return Before()
    newest = hashlib.sha256(found[max(found)]).hexdigest()
    return Before(tuple(_parsed(trial_dir, found)), newest)


def write_grading(trial_dir: str, grading: Grading) -> str:
    """Keep a grading under its number."""
    return write_numbered(trial_dir, GRADINGS, grading.number, grading.model_dump_json(indent=2) + "\n")


def read_stored_gradings(trial_dir: str) -> list[Grading]:
    """All gradings of a trial, the oldest first. Raises ``InputError`` for one that can't be read."""
    return _parsed(trial_dir, read_all_numbered(trial_dir, GRADINGS))


def _parsed(trial_dir: str, found: dict[int, bytes]) -> list[Grading]:
    gradings = []
    for number, data in found.items():
        path = f"{trial_dir}/{GRADINGS}/{file_name(number)}"
        grading = parse_record(data, Grading, path)
        if grading.number != number:
            raise InputError(
                f"{path} isn't a valid grading: number must be {number} as in its name, got {grading.number}"
            )
        gradings.append(grading)
    return gradings


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
        trial = os.path.isfile(f"{folder}/result.json")
        hint = "write one with 'assay grade'" if trial else "'assay view' shows the report of a coding run"
        raise InputError(f"{folder} must have a grading, but it has none; {hint}")
    return found


def read_run(trial_dir: str | os.PathLike[str], grading: str = "first") -> Run:
    """A trial's outcome by its first or its latest grading. Raises ``InputError``."""
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
