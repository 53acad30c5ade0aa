"""How an outcome counts: its name, its weight, its axis, and whether it is required."""

import sys
from dataclasses import dataclass

from assay.core.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of an outcome in a result. ``axis`` is None for outcomes without an axis."""

    name: str
    weight: float = 1
    axis: str | None = None
    required: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.weight, bool) or not 0 <= self.weight <= sys.float_info.max:
            raise ValueError(f"a weight must be a finite number of at least 0, got {self.weight!r}")


@dataclass(frozen=True, slots=True)
class Placed:
    """An outcome together with how it counts."""

    placement: Placement
    outcome: Outcome
