"""An assertion's demand on its subject, before it is known where the assertion stands."""

from dataclasses import dataclass
from typing import NamedTuple

from assay.detectors.test_code.model import Strength


@dataclass(frozen=True, slots=True)
class Demand:
    """How much is demanded of what.

    ``expected`` says more than the value where it is not equality that is demanded: ``not 3``, ``> 3``,
    ``contain(3)``, ``len 3``.
    """

    strength: Strength
    subject: str
    expected: str | None = None
    tolerance: float | None = None
    promise: bool = False
    """Whether it only counts where its promise is awaited."""


class WrittenDemand(NamedTuple):
    """A demand with the text of the assertion or the condition that makes it."""

    text: str
    demand: Demand


NO_ERROR = "no error"
"""What is expected where nothing must be raised."""
FAILURES = frozenset({"fail", "reached"})
"""The subjects of what fails wherever it is reached: it isn't asked of anything."""
