"""What every dialect shares: outcomes, how they count, and the arithmetic.

Pure functions and the standard library only. The core knows no files, no wire names and no documents. You can read
it in ten minutes; start with ``outcome``.
"""

from assay.core.check import Check
from assay.core.errors import AssayError, InputError, MeasurementError
from assay.core.grading import PlacedCheck, grade
from assay.core.outcome import Errored, NotApplicable, Outcome, Scored
from assay.core.pass_at_k import pass_at_k, pass_hat_k
from assay.core.placement import Placed, Placement
from assay.core.rollup import Unscored, Verdict, by_axis, exact_mean, gate, lowest, weighted_mean
from assay.core.total import mean, total

__all__ = [
    "AssayError",
    "Check",
    "Errored",
    "InputError",
    "MeasurementError",
    "NotApplicable",
    "Outcome",
    "Placed",
    "PlacedCheck",
    "Placement",
    "Scored",
    "Unscored",
    "Verdict",
    "by_axis",
    "exact_mean",
    "gate",
    "grade",
    "lowest",
    "mean",
    "pass_at_k",
    "pass_hat_k",
    "total",
    "weighted_mean",
]
