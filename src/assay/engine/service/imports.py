"""Runs that are imported: new ones, those that are known, and those that had no result before."""

from assay.engine.explorer.imported_runs import RESULTLESS, Kept
from assay.engine.service.errors import ConflictError
from assay.engine.service.storage import Row


def kind_of_import(kept: Kept, before: Row | None) -> str:
    """``before`` is what is known of the run. Raises ``ConflictError`` for one that came with another result."""
    if before is None:
        return "added"
    if before["digest"] == kept.digest:
        return "known"
    if before["reason"] not in RESULTLESS:
        run = kept.run
        raise ConflictError(f"the run {run.name} of the job {run.job} was imported with another result")
    return "replaced"
