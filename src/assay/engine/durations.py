"""How long a trial and its phases took."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from assay.dialects.harbor.trial import Trial


@dataclass(frozen=True, slots=True)
class Durations:
    """Seconds; None where the trial doesn't say. Phases of several steps are added up."""

    total: float | None = None
    setup: float | None = None
    agent: float | None = None
    verifier: float | None = None


def durations_of(trial: Trial) -> Durations:
    """How long a trial took, by its own times."""
    total = _seconds([(trial.started_at or "", trial.finished_at or "")])
    if trial.times is None:
        return Durations(total)
    return Durations(
        total, _seconds(trial.times.setup), _seconds(trial.times.agent), _seconds(trial.times.verifier)
    )


def _seconds(spans: Iterable[tuple[str, str]]) -> float | None:
    known = [length for start, end in spans if (length := _length(start, end)) is not None]
    return sum(known) if known else None


def _length(start: str, end: str) -> float | None:
    try:
        length = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None
    return length if length >= 0 else None
