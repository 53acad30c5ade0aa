"""Run checks on evidence. This is the only place where an exception becomes data.

A placement says how an outcome counts: its name, its weight, its axis, and whether it is required.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from assay.core.errors import MeasurementError, StoppedError
from assay.core.outcome import Check, Errored, Outcome, Scored


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


Evidence = TypeVar("Evidence")


@dataclass(frozen=True, slots=True)
class PlacedCheck(Generic[Evidence]):
    """A check together with how its outcome will count."""

    placement: Placement
    check: Check[Evidence]


Ask: TypeAlias = Callable[[PlacedCheck[Evidence]], Placed]
AskAll: TypeAlias = Callable[[Ask[Evidence], Iterable[PlacedCheck[Evidence]]], Iterable[Placed]]
RunCheck: TypeAlias = Callable[[Check[Evidence], Evidence], Outcome]


def run_here(check: Check[Evidence], evidence: Evidence) -> Outcome:
    """Run a check in this process, for as long as it takes."""
    return check.run(evidence)


def grade(
    checks: Iterable[PlacedCheck[Evidence]],
    evidence: Evidence,
    ask_all: AskAll[Evidence] = map,
    run: RunCheck[Evidence] = run_here,
) -> tuple[Placed, ...]:
    """Run every check. If one raises, its outcome is ``Errored`` and the others still run.

    ``MeasurementError`` is not caught: if a source is down, there is no grading at all. ``ask_all`` works like
    ``map`` and keeps the order of the answers, but may run several checks at once. ``run`` runs one check and
    raises if it doesn't finish within its time limit.
    """
    return tuple(ask_all(lambda one: Placed(one.placement, outcome_of(one.check, evidence, run)), checks))


def outcome_of(check: Check[Evidence], evidence: Evidence, run: RunCheck[Evidence] = run_here) -> Outcome:
    """The answer of one check; ``Errored`` if it raises."""
    try:
        return run(check, evidence)
    except (MeasurementError, StoppedError):
        raise
    except Exception as error:  # noqa: BLE001 - a broken check is data, whatever broke it
        return Errored(summary=_text(error) or type(error).__name__, error_type=type(error).__name__)


def _text(error: Exception) -> str:
    """The message of the error. Its ``__str__`` may fail, too."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - then it says nothing
        return ""


FIRST_PAUSE_SEC: Final = 0.25
LONGEST_PAUSE_SEC: Final = 5.0


def held_within(
    wait_sec: float,
    ask: Callable[[], Outcome],
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Outcome:
    """The first answer that is a pass, or the last answer. The last question is asked when the time is up."""
    end = clock() + wait_sec
    pause = FIRST_PAUSE_SEC
    while True:
        outcome = ask()
        left = end - clock()
        if left <= 0 or (isinstance(outcome, Scored) and outcome.passed):
            return outcome
        sleep(min(pause, left))
        pause = min(pause * 2, LONGEST_PAUSE_SEC)
