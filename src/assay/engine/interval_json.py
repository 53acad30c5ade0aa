"""The intervals of a report as plain values."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.engine.report_intervals import GroupBounds, GroupIntervals
from assay.stats.attempts import Estimate
from assay.stats.interval import CantSay, Interval
from assay.stats.passes import PassRate


def interval_json(found: Interval | CantSay) -> dict[str, Any]:
    """An interval, or ends of null with the reason."""
    if isinstance(found, CantSay):
        return {"low": None, "high": None, "level": None, "method": None, "reason": found.reason}
    return {"low": found.low, "high": found.high, "level": found.level, "method": found.method, "reason": None}


def intervals_json(
    found: GroupIntervals | None, bounds: GroupBounds | None, asked: Sequence[Estimate]
) -> dict[str, Any] | None:
    """All intervals of a group, with every k that a task has attempts for; None if no run has a score."""
    if found is None:
        return None
    return {
        "mean": interval_json(found.mean.interval)
        | {"standard_error": found.mean.standard_error, "tasks": found.mean.tasks, "n": found.mean.n},
        "pass_at_k": [*map(_rate, found.passes.at), *_too_few(asked)],
        "pass_hat_k": [*map(_rate, found.passes.hat), *_too_few(asked)],
        "bounds": None if bounds is None else _bounds(bounds),
    }


def _rate(rate: PassRate) -> dict[str, Any]:
    return {
        "k": rate.k,
        "value": rate.value,
        "tasks": rate.tasks,
        "tasks_with_too_few_attempts": rate.tasks_with_too_few_attempts,
    } | interval_json(rate.interval)


def _too_few(asked: Sequence[Estimate]) -> Iterator[dict[str, Any]]:
    """What was asked for a k for which no task has enough attempts."""
    for one in asked:
        if one.value is None:
            reason = CantSay(f"no task has {one.k} attempts")
            few = one.tasks_with_too_few_attempts
            yield {"k": one.k, "value": None, "tasks": 0, "tasks_with_too_few_attempts": few} | interval_json(
                reason
            )


def _bounds(found: GroupBounds) -> dict[str, Any]:
    bounds = found.bounds
    if isinstance(bounds, CantSay):
        ends: dict[str, Any] = {"low": None, "high": None, "broken": None, "uncontrolled": None}
    else:
        open_runs = {"broken": bounds.broken, "uncontrolled": bounds.uncontrolled}
        ends = {"low": bounds.low, "high": bounds.high, **open_runs}
    reason = bounds.reason if isinstance(bounds, CantSay) else None
    return ends | {"unplaced": found.unplaced, "reason": reason}
