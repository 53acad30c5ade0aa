"""The intervals of a report as lines for people."""

from collections.abc import Iterator, Sequence

from assay.engine.report_intervals import GroupBounds, GroupIntervals
from assay.formats.counting import counted
from assay.stats.attempts import Estimate
from assay.stats.bounds import Bounds
from assay.stats.interval import CantSay, Interval
from assay.stats.passes import PassRate


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
    """What the runs that are open could do to the mean."""
    if found is None:
        return
    bounds = found.bounds
    if isinstance(bounds, CantSay):
        yield "bounds", f"can't be said: {bounds.reason}"
    elif bounds.broken or bounds.uncontrolled:
        yield "bounds", f"{bounds.low:.4f} to {bounds.high:.4f}, whatever {open_words(bounds)} would have got"
    if found.unplaced:
        yield "", f"{counted(found.unplaced, 'broken run')} of the job may belong here too"


def open_words(bounds: Bounds) -> str:
    """The runs that bounds are about."""
    parts = []
    if bounds.broken:
        parts.append(counted(bounds.broken, "broken run"))
    if bounds.uncontrolled:
        parts.append(f"{counted(bounds.uncontrolled, 'unusable run')} without a control")
    return " and ".join(parts)
