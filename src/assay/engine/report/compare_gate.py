"""Whether an agent is worse than another by more than a margin: yes, no, or not decided by these data."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.engine.report.compare import Pair
from assay.formats.counting import counted
from assay.stats.interval import CantSay
from assay.stats.power import MOST, Goal, tasks_needed, variances_of_pairs

Decision: TypeAlias = Literal["worse", "not worse", "undecided"]


@dataclass(frozen=True, slots=True)
class Gate:
    """The decision, in one sentence. ``more_attempts`` is about how many more would decide, if known."""

    margin: float
    decision: Decision
    sentence: str
    more_attempts: int | None = None


def decide(pair: Pair, margin: float) -> Gate:
    """Whether the second agent is worse than the first by more than the margin, as far as the interval shows."""
    interval, difference = pair.difference.interval, pair.difference.value
    if isinstance(interval, CantSay) or difference is None:
        reason = interval.reason if isinstance(interval, CantSay) else "there is no difference"
        return Gate(margin, "undecided", f"undecided: {reason}")
    ends = f"{100 * interval.level:g} % interval {interval.low:+.4f} to {interval.high:+.4f}"
    limit = f"by more than {margin:g}"
    if interval.high < -margin:
        return Gate(margin, "worse", f"{pair.second} is worse than {pair.first} {limit} ({ends})")
    if interval.low > -margin:
        return Gate(margin, "not worse", f"{pair.second} isn't worse than {pair.first} {limit} ({ends})")
    more, said = _more(pair, abs(difference + margin))
    return Gate(margin, "undecided", f"undecided whether {pair.second} is worse {limit} ({ends}): {said}", more)


def _more(pair: Pair, distance: float) -> tuple[int | None, str]:
    """How many more attempts would decide if the difference stays, from the variances found."""
    never = "no number of attempts would decide while the difference is as close to the limit"
    variances = variances_of_pairs(pair.pairs)
    if distance <= 0:
        return None, never
    if isinstance(variances, CantSay) or not variances.tasks + variances.attempts:
        return None, "how many more attempts would decide can't be said: all tasks differ alike"
    tasks = len(pair.pairs)
    trials = sum(len(one.first) + len(one.second) for one in pair.pairs)
    attempts = max(1, round(trials / (2 * tasks)))
    needed = tasks_needed(variances, attempts, Goal(distance))
    if isinstance(needed, CantSay) or needed >= MOST:
        return None, never
    more = max(1, needed - tasks)
    each = counted(attempts, "attempt")
    said = (
        f"about {more * attempts * 2} more attempts would decide ({counted(more, 'more task')} with {each} each)"
    )
    return more * attempts * 2, f"{said}, if the difference stays"
