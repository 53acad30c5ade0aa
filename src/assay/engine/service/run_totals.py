"""Totals of a group of runs. Scores are added up exactly, so the order and the number of parts don't matter."""

from fractions import Fraction
from math import gcd
from typing import Any


class Totals:
    """``judged`` runs have a verdict, ``passed`` ones that of pass."""

    __slots__ = ("_sums", "judged", "passed", "runs", "scored")

    def __init__(self, runs: int = 0, scored: int = 0, judged: int = 0, passed: int = 0, total: str = "0") -> None:
        """``total`` is the sum of the scores, as ``total`` of another one."""
        self.runs = runs
        self.scored = scored
        self.judged = judged
        self.passed = passed
        # Numerators by denominator, which is a power of two: adding ints is much faster than adding fractions.
        number, _, of = total.partition("/")
        self._sums = {int(of or 1): int(number)}

    @property
    def total(self) -> str:
        """The sum of the scores, as Python writes a fraction in its lowest terms."""
        number, of = self._total()
        return f"{number}/{of}" if of != 1 else str(number)

    def _total(self) -> tuple[int, int]:
        whole = max(self._sums)
        number = sum(one * (whole // of) for of, one in self._sums.items())
        common = gcd(number, whole)
        return number // common, whole // common

    def add(self, score: float | None, verdict: str | None, count: int = 1) -> None:
        """Add runs that are alike. A negative count takes them away."""
        self.runs += count
        if score is not None:
            number, of = score.as_integer_ratio()
            self.scored += count
            self._sums[of] = self._sums.get(of, 0) + number * count
        if verdict is not None:
            self.judged += count
            self.passed += count if verdict == "pass" else 0

    def include(self, other: "Totals") -> None:
        self.runs += other.runs
        self.scored += other.scored
        self.judged += other.judged
        self.passed += other.passed
        for of, number in other._sums.items():
            self._sums[of] = self._sums.get(of, 0) + number

    def shown(self) -> dict[str, Any]:
        """The counts, the mean of the scores and the share of verdicts that are a pass."""
        return {
            "runs": self.runs,
            "scored": self.scored,
            "mean": float(Fraction(*self._total()) / self.scored) if self.scored else None,
            "judged": self.judged,
            "passed": self.passed,
            "pass_share": self.passed / self.judged if self.judged else None,
        }
