"""The answer of one check: a score, "does not apply", or "the check broke".

A broken check is a value of its own type. It is never a number, so nobody can average it by accident.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from assay.core.exact import written


@dataclass(frozen=True, slots=True)
class Scored:
    """The check has an answer: a ``score`` from 0 to 1, and whether that is a pass.

    ``exact`` is the same score as a fraction, where a check knows it.
    """

    score: float
    passed: bool
    summary: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)
    exact: Fraction | None = None

    def __post_init__(self) -> None:
        if isinstance(self.score, bool) or not 0 <= self.score <= 1:
            raise ValueError(f"a score must be a finite number from 0 to 1, got {self.score!r}")
        if self.exact is not None and float(self.exact) != self.score:
            raise ValueError(f"a score must be its exact fraction as a float, got {self.score!r}")

    @property
    def share(self) -> Fraction:
        """The score without a rounding error, as far as that is known."""
        return written(self.score) if self.exact is None else self.exact


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The check doesn't apply to this evidence."""

    summary: str


@dataclass(frozen=True, slots=True)
class Errored:
    """The check itself broke. This says nothing about the agent."""

    summary: str
    error_type: str


Outcome: TypeAlias = Scored | NotApplicable | Errored
