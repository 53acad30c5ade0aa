"""How a benchmark run came out, from how its task runs did."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from assay.core.grading import Placed, Placement
from assay.core.outcome import Scored
from assay.core.rollup import exact_mean
from assay.dialects.criteria.models import Verdict, verdict_of
from assay.dialects.criteria.resources import Status

TaskResult: TypeAlias = tuple[Status, float | None]
"""The state of one task run, and the score of a completed one."""


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """Without a score while a task run is active, or if all were cancelled."""

    status: Status
    score: float | None = None
    verdict: Verdict | None = None


def benchmark_result(runs: Sequence[TaskResult]) -> BenchmarkResult:
    """The mean of the task scores: a run that failed or timed out counts as 0, a cancelled one not at all."""
    if any(status is Status.ACTIVE for status, _ in runs):
        return BenchmarkResult(Status.ACTIVE)
    counted = [one for one in runs if one[0] is not Status.CANCELLED]
    if not counted:
        return BenchmarkResult(Status.CANCELLED)
    score = exact_mean([Placed(Placement("task run"), _outcome(one)) for one in counted]) or 0.0
    return BenchmarkResult(Status.COMPLETED, score, verdict_of(score))


def _outcome(run: TaskResult) -> Scored:
    status, known = run
    score = known if status is Status.COMPLETED and known is not None else 0.0
    return Scored(score, score >= 1)
