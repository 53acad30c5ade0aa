"""Reviewers' verdicts on a run: numbered files beside its result. They never touch the reward."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime

from assay.adapters.numbered_files import append_numbered
from assay.adapters.records import read_records
from assay.adapters.safe_read import read_below
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Annotation, Judgment
from assay.evidence.files import Content

FOLDER = "annotations"
RESULT_LIMIT = 64 * 2**20


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
    folder = os.fspath(trial_dir)
    if not any(os.path.isfile(f"{folder}/{name}") for name in ("result.json", "run.json")):
        raise InputError(f"{folder} must be the folder of a finished run, but it has no result.json or run.json")
    if _is_job(folder):
        raise InputError(f"{folder} must be the folder of a run, but it is a job; pass one of the runs in it")
    try:
        annotation = Annotation(
            reviewer_id=reviewer_id,
            reviewer_discipline=reviewer_discipline,
            timestamp=datetime.now(UTC),
            judgment=judgment,
            categories=list(categories),
            notes=notes,
        )
        text = annotation.model_dump_json(indent=2)
    except ValueError as error:
        raise InputError(f"the annotation isn't valid: {' '.join(str(error).split())[:300]}") from error
    append_numbered(folder, FOLDER, f"{text}\n")
    return annotation


def read_annotations(trial_dir: str | os.PathLike[str]) -> list[Annotation]:
    """All verdicts on a run, the oldest first."""
    return read_records(os.fspath(trial_dir), FOLDER, Annotation)


def _is_job(folder: str) -> bool:
    """Whether a folder is a job, whose result counts trials. Reviewers may annotate a run with a broken result."""
    file = read_below(folder, ("result.json",), RESULT_LIMIT)
    try:
        found = json.loads(file.data) if isinstance(file, Content) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "n_total_trials" in found
