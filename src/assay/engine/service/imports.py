"""Runs that are imported: new ones, those that are known, and those that had no result before."""

from typing import Protocol

from assay.engine.explorer.imported_runs import RESULTLESS, Kept
from assay.engine.service.errors import ConflictError


class KnownRun(Protocol):
    """What is known of a run that was imported before."""

    @property
    def digest(self) -> str: ...

    @property
    def reason(self) -> str | None: ...


def kind_of_import(kept: Kept, before: KnownRun | None) -> str:
    """Raises ``ConflictError`` for a run that was imported with another result."""
    if before is None:
        return "added"
    if before.digest == kept.digest:
        return "known"
    if before.reason not in RESULTLESS:
        run = kept.run
        raise ConflictError(f"the run {run.name} of the job {run.job} was imported with another result")
    return "replaced"
