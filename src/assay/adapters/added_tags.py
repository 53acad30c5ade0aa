"""Tags that were added to a run after its grading: numbered files beside its result."""

import os
from datetime import UTC, datetime

from assay.adapters.finished_run import finished_run
from assay.adapters.numbered_files import append_numbered
from assay.adapters.records import as_record, read_records
from assay.dialects.evaluation.added_tag import AddedTag
from assay.dialects.evaluation.models import ErrorSource

FOLDER = "tags"


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
    added, text = as_record(
        "tag",
        AddedTag,
        tag={"category": category, "description": description, "source": source},
        added_by=added_by,
        timestamp=datetime.now(UTC),
    )
    append_numbered(folder, FOLDER, text)
    return added


def read_tags(trial_dir: str | os.PathLike[str]) -> list[AddedTag]:
    """All tags that were added to a run, the oldest first. Those of its gradings aren't among them."""
    return read_records(os.fspath(trial_dir), FOLDER, AddedTag)
