"""The intervals of a report, as lines for people and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.engine.report_intervals import GroupBounds, GroupIntervals
from assay.formats.counting import counted
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
    """All intervals of a group, with every k that a task has attempts for; None if no reward is chosen."""
    if found is None:
        return None
    return {
        "mean_of_scored": interval_json(found.mean.interval)
        | {"standard_error": found.mean.standard_error, "tasks": found.mean.tasks, "n": found.mean.n},
        "pass_at_k": [*map(_rate, found.passes.at), *_too_few(asked)],
        "pass_hat_k": [*map(_rate, found.passes.hat), *_too_few(asked)],
        "if_broken_trials": None if bounds is None else _bounds(bounds),
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
        ends: dict[str, Any] = {"all_0": None, "all_1": None, "broken": None, "reason": bounds.reason}
    else:
        ends = {"all_0": bounds.low, "all_1": bounds.high, "broken": bounds.broken, "reason": None}
    return ends | {"unplaced": found.unplaced}


def mean_interval(found: GroupIntervals | None) -> str:
    """The words behind a mean: its interval, or why it has none."""
    return "" if found is None else f", {interval_words(found.mean.interval)}"


def interval_words(found: Interval | CantSay) -> str:
    """An interval in a line of text."""
    if isinstance(found, CantSay):
        return f"interval can't be said: {found.reason}"
    return f"{100 * found.level:g} % {ends_words(found)}"


def ends_words(found: Interval) -> str:
    return f"{found.low:.4f} to {found.high:.4f}"


def interval_rows(
    sign: str, estimates: Sequence[Estimate], rates: Sequence[PassRate]
) -> Iterator[tuple[str, str]]:
    """The intervals of the estimates that a report shows."""
    by_k = {rate.k: rate for rate in rates}
    shown = [by_k[one.k] for one in estimates if one.k in by_k]
    if not shown:
        return
    unsaid = {one.interval.reason for one in shown if isinstance(one.interval, CantSay)}
    parts = [f"{sign}{one.k} {_ends_or_not(one.interval)}" for one in shown]
    level = next((one.interval.level for one in shown if isinstance(one.interval, Interval)), None)
    if level is None:
        yield f"{sign}k interval", f"can't be said: {', '.join(sorted(unsaid))}"
    else:
        yield f"{sign}k, {100 * level:g} %", "  ".join(parts)


def _ends_or_not(found: Interval | CantSay) -> str:
    return "can't be said" if isinstance(found, CantSay) else ends_words(found)


def bounds_rows(found: GroupBounds | None) -> Iterator[tuple[str, str]]:
    """What the broken trials could do to the mean."""
    if found is None:
        return
    bounds = found.bounds
    if isinstance(bounds, CantSay):
        yield "broken trials", f"can't be said: {bounds.reason}"
    elif bounds.broken:
        trials = f"the {counted(bounds.broken, 'broken trial')}"
        yield "broken trials", f"{bounds.low:.4f} to {bounds.high:.4f}, whatever {trials} would have got"
    if found.unplaced:
        yield "", f"{counted(found.unplaced, 'broken trial')} of the job may belong here too"
