"""Compare agents on the tasks that they have in common, and refuse what can't be compared.

A gate says whether an agent is worse than another by more than a margin: yes, no, or not decided by these data.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Literal, TypeAlias

from assay.core.errors import InputError
from assay.core.total import exact_average
from assay.engine.report.compare_arms import Arm, Arms, Mismatch, mismatches
from assay.formats.counting import counted
from assay.stats.interval import CantSay
from assay.stats.means import Mean, clustered_mean
from assay.stats.paired import Difference, PairedTask, paired_difference
from assay.stats.power import MOST, Goal, tasks_needed, variances_of_pairs
from assay.stats.ranking import Ranks, holm, rank_ranges

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class TaskDifference:
    """One task of a comparison: the mean rewards of both agents, and how many attempts they have."""

    task: str
    first: float
    second: float
    difference: float
    attempts: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ArmPair:
    """Two agents compared. A positive difference means that the second is better.

    ``bounds`` is where the difference could have been, whatever the open runs would have got. ``adjusted`` is
    the p-value after the correction for several agents; with two it is that of the test.
    """

    first: str
    second: str
    difference: Difference
    adjusted: float | None
    tasks: list[TaskDifference]
    only_first: list[str]
    only_second: list[str]
    bounds: tuple[float, float] | None
    open_runs: tuple[int, int]
    mismatches: list[Mismatch]
    pairs: list[PairedTask]

    @property
    def better(self) -> str | None:
        """The agent that is shown to be better; None if neither is."""
        if self.adjusted is None or self.adjusted >= ALPHA or not self.difference.value:
            return None
        return self.second if self.difference.value > 0 else self.first


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """One agent of a comparison: its mean over its own trials, and the ranks that the data allow."""

    arm: Arm
    mean: Mean
    ranks: Ranks


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """Several agents, and every pair of them. ``left_out`` says who can't be compared, and why."""

    agents: list[AgentSummary]
    pairs: list[ArmPair]
    left_out: Sequence[str] = ()

    @property
    def jobs(self) -> list[str]:
        """The jobs that are compared."""
        return list(dict.fromkeys(agent.arm.job for agent in self.agents))


def compare(found: Arms, *, anyway: bool) -> ArmComparison:
    """Compare every two of the agents.

    Raises ``InputError`` for fewer than two, and for agents that were graded with something different unless
    ``anyway`` is set.
    """
    arms = found.arms
    if len(arms) < 2:
        known = f"only {arms[0].label}" if arms else "none"
        reasons = "".join(f"; {one}" for one in found.left_out)
        raise InputError(f"a comparison needs two agents with scores, got {known}{reasons}")
    pairs = [_pair(first, second) for first, second in combinations(arms, 2)]
    differing = [(pair, one) for pair in pairs for one in pair.mismatches if one.refuses]
    if differing and not anyway:
        pair, one = differing[0]
        raise InputError(f"{pair.first} and {pair.second} can't be compared: {one.what} (--anyway compares them)")
    pairs = _correct_pairs(pairs)
    better: dict[int, set[int]] = {}
    for (i, j), pair in zip(combinations(range(len(arms)), 2), pairs, strict=True):
        if pair.better is not None:
            winner, loser = (j, i) if pair.better == pair.second else (i, j)
            better.setdefault(winner, set()).add(loser)
    ranks = rank_ranges(len(arms), better)
    means = [_mean_of(arm) for arm in arms]
    agents = [AgentSummary(arm, mean, rank) for arm, mean, rank in zip(arms, means, ranks, strict=True)]
    return ArmComparison(agents, pairs, found.left_out)


def _mean_of(arm: Arm) -> Mean:
    """The same number as in the report of the job, to the last bit."""
    tasks = [task.rewards for task in arm.tasks.values()]
    return replace(clustered_mean(tasks), value=exact_average(chain.from_iterable(tasks)))


def _pair(first: Arm, second: Arm) -> ArmPair:
    common = [task for task in first.tasks if task in second.tasks]
    usable = [task for task in common if first.tasks[task].rewards and second.tasks[task].rewards]
    pairs = [PairedTask(task, first.tasks[task].rewards, second.tasks[task].rewards) for task in usable]
    rows = [
        TaskDifference(
            one.name, _mean(one.first), _mean(one.second), one.difference, (len(one.first), len(one.second))
        )
        for one in pairs
    ]
    difference = paired_difference(pairs)
    return ArmPair(
        first=first.label,
        second=second.label,
        difference=difference,
        adjusted=None if isinstance(difference.test, CantSay) else difference.test.p,
        tasks=sorted(rows, key=lambda row: (-abs(row.difference), row.task)),
        only_first=[task for task in first.tasks if task not in second.tasks],
        only_second=[task for task in second.tasks if task not in first.tasks],
        bounds=_bounds(first, second, common),
        open_runs=(_open(first, common), _open(second, common)),
        mismatches=mismatches(first, second, common),
        pairs=pairs,
    )


def _mean(rewards: Sequence[float]) -> float:
    found = clustered_mean([rewards]).value
    return float("nan") if found is None else found


def _open(arm: Arm, tasks: Sequence[str]) -> int:
    return sum(arm.tasks[task].open for task in tasks)


def _bounds(first: Arm, second: Arm, common: Sequence[str]) -> tuple[float, float] | None:
    """The least and the largest difference with every open run a 0 or a 1; None if there are none."""
    if not common or not _open(first, common) + _open(second, common):
        return None
    known = [reward for arm in (first, second) for task in common for reward in arm.tasks[task].rewards]
    if known and not 0 <= min(known) <= max(known) <= 1:
        return None
    ends = []
    for of_first, of_second in ((1.0, 0.0), (0.0, 1.0)):
        filled = [
            PairedTask(task, first.tasks[task].filled(of_first), second.tasks[task].filled(of_second))
            for task in common
        ]
        ends.append(paired_difference(filled).value)
    low, high = ends
    return None if low is None or high is None else (low, high)


def _correct_pairs(pairs: Sequence[ArmPair]) -> list[ArmPair]:
    tested = [pair for pair in pairs if pair.adjusted is not None]
    adjusted = iter(holm([pair.adjusted for pair in tested if pair.adjusted is not None]))
    return [pair if pair.adjusted is None else replace(pair, adjusted=next(adjusted)) for pair in pairs]


Decision: TypeAlias = Literal["worse", "not worse", "undecided"]


@dataclass(frozen=True, slots=True)
class Gate:
    """The decision, in one sentence. ``more_attempts`` is about how many more would decide, if known."""

    margin: float
    decision: Decision
    sentence: str
    more_attempts: int | None = None


def decide(pair: ArmPair, margin: float) -> Gate:
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


def _more(pair: ArmPair, distance: float) -> tuple[int | None, str]:
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
