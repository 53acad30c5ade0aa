"""Reviewers' verdicts on a run: numbered files beside its result. They never touch the reward."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

from assay.adapters.numbered_files import numbers_in, write_numbered
from assay.adapters.records import read_records
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Annotation, Judgment

FOLDER = "annotations"


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
    if not os.path.isfile(f"{folder}/result.json"):
        raise InputError(f"{folder} is not the folder of a finished run: it has no result.json")
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
        raise InputError(f"that is no annotation: {' '.join(str(error).split())[:300]}") from error
    number = (numbers_in(folder, FOLDER) or [0])[-1] + 1
    write_numbered(folder, FOLDER, number, f"{text}\n")
    return annotation


def read_annotations(trial_dir: str | os.PathLike[str]) -> list[Annotation]:
    """All verdicts on a run, the oldest first."""
    return read_records(os.fspath(trial_dir), FOLDER, Annotation)
