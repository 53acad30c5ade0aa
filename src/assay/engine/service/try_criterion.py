"""Try a criterion against a playground while it is being written. Nothing is stored, and nothing is graded."""

from typing import Final, Protocol

from assay.dialects.criteria.models import AskedCriterion, CriterionRun
from assay.dialects.criteria.resources import Written
from assay.engine.criteria.bounded_evidence import criterion_of
from assay.engine.criteria.complete_run import Unusable, compiled

TRIED: Final = "tried"
"""The id of a criterion run that is stored nowhere."""


class TryOut(Protocol):
    """Holds one criterion against a playground, as a task run would. ``data`` is that of its task.

    Raises ``NotFoundError`` for a playground of somebody else, ``InputError`` for a source whose settings can't be
    used, and ``MeasurementError`` for one that is down.
    """

    def __call__(
        self, organisation: str, playground: str, criterion: AskedCriterion, data: Written, /
    ) -> CriterionRun: ...


def problem_with(written: Written, data: Written) -> str | None:
    """Why a criterion can't be used as it is written; None if it can."""
    [placed] = compiled([criterion_of(written, 0)], data).checks
    return placed.check.why if isinstance(placed.check, Unusable) else None


def try_criterion(
    try_out: TryOut, organisation: str, playground: str, written: Written, data: Written
) -> CriterionRun:
    """How a criterion comes out as it is written now. One that can't be used fails and says why, as in a run."""
    return try_out(organisation, playground, criterion_of(written, 0), data)
