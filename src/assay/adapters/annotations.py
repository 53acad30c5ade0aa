"""Reviewers' verdicts on a run: numbered files beside its result. They never touch the reward."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

from assay.adapters.finished_run import finished_run
from assay.adapters.numbered_files import append_numbered
from assay.adapters.records import as_record, read_records
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
    folder = finished_run(trial_dir)
    annotation, text = as_record(
        "annotation",
        Annotation,
        reviewer_id=reviewer_id,
        reviewer_discipline=reviewer_discipline,
        timestamp=datetime.now(UTC),
        judgment=judgment,
        categories=list(categories),
        notes=notes,
    )
    append_numbered(folder, FOLDER, text)
    return annotation


def read_annotations(trial_dir: str | os.PathLike[str]) -> list[Annotation]:
    """All verdicts on a run, the oldest first."""
    return read_records(os.fspath(trial_dir), FOLDER, Annotation)
