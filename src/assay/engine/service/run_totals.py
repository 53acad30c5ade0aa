"""Totals of a group of runs. Scores are added up exactly, so the order and the number of parts don't matter."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(slots=True)
class Totals:
    """``judged`` runs have a verdict, ``passed`` ones that of pass."""

    runs: int = 0
    scored: int = 0
    judged: int = 0
    passed: int = 0
    total: Fraction = field(default_factory=Fraction)

    def add(self, score: float | None, verdict: str | None, count: int = 1) -> None:
        """Add runs that are alike. A negative count takes them away."""
        self.runs += count
        if score is not None:
            self.scored += count
            self.total += Fraction(score) * count
        if verdict is not None:
            self.judged += count
            self.passed += count if verdict == "pass" else 0

    def include(self, other: "Totals") -> None:
        self.runs += other.runs
        self.scored += other.scored
        self.judged += other.judged
        self.passed += other.passed
        self.total += other.total

    def shown(self) -> dict[str, Any]:
        """The counts, the mean of the scores and the share of verdicts that are a pass."""
        return {
            "runs": self.runs,
            "scored": self.scored,
            "mean": float(self.total / self.scored) if self.scored else None,
            "judged": self.judged,
            "passed": self.passed,
            "pass_share": self.passed / self.judged if self.judged else None,
        }
