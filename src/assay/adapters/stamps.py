"""Ids and the time, for the criterion runs of one completion."""

import uuid
from datetime import UTC, datetime

from assay.engine.criteria import Stamp


def new_stamp(task_run_id: str | None = None) -> Stamp:
    """Now, with ids that nobody else has."""
    return Stamp(datetime.now(UTC), lambda: str(uuid.uuid4()), task_run_id)
