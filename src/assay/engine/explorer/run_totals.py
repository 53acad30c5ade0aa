"""Totals of a group of runs, by state. Scores are added up exactly, so that the order doesn't matter."""

from fractions import Fraction
from math import gcd
from typing import Any, Final

from assay.evidence.run import COUNTED, State

# No run, and the numerators of a sum of scores by denominator, which is a power of two: adding ints is much faster
# than adding fractions.
_NONE: Final = (0, {1: 0})


class Totals:
    """How many runs came to what, and the sum of their scores."""

    __slots__ = ("_cells",)

    def __init__(self) -> None:
        self._cells: dict[State, tuple[int, dict[int, int]]] = {}

    @property
    def runs(self) -> int:
        return sum(count for count, _ in self._cells.values())

    def add(self, state: State, score: float | None, count: int = 1) -> None:
        """Add runs that are alike. A negative count takes them away."""
        number, of = (0, 1) if score is None else score.as_integer_ratio()
        self.add_sum(state, count, number * count, of)

    def add_sum(self, state: State, count: int, number: int, of: int) -> None:
        """Add runs in the same state, whose scores add up to a fraction."""
        runs, sums = self._cells.get(state, _NONE)
        self._cells[state] = runs + count, {**sums, of: sums.get(of, 0) + number}

    def cells(self) -> dict[State, tuple[int, str]]:
        """The number of runs and the sum of scores of each state, as Python writes a fraction in lowest terms."""
        return {state: (count, _fraction_text(*_total(sums))) for state, (count, sums) in self._cells.items()}

    def shown(self) -> dict[str, Any]:
        """The counts by state, the mean of the scores, and the share of runs with a score that passed."""
        states = {state.value: count for state, (count, _) in self._cells.items() if count}
        scored = sum(self._cells[state][0] for state in COUNTED if state in self._cells)
        passed = states.get(State.PASSED.value, 0)
        total = sum((Fraction(*_total(sums)) for _, sums in self._cells.values()), Fraction(0))
        return {
            "runs": self.runs,
            "states": states,
            "scored": scored,
            "mean": float(total / scored) if scored else None,
            "passed": passed,
            "pass_share": passed / scored if scored else None,
        }


def _total(sums: dict[int, int]) -> tuple[int, int]:
    whole = max(sums)
    number = sum(one * (whole // of) for of, one in sums.items())
    common = gcd(number, whole)
    return number // common, whole // common


def _fraction_text(number: int, of: int) -> str:
    return f"{number}/{of}" if of != 1 else str(number)


def fraction_of(written: str) -> tuple[int, int]:
    """The other way round."""
    number, _, of = written.partition("/")
    return int(number), int(of or 1)
