"""How a benchmark run came out, from how its task runs did."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.grading import Placed, Placement
from assay.core.outcome import Scored
from assay.core.rollup import exact_mean
from assay.dialects.criteria.models import Verdict, verdict_of
from assay.dialects.criteria.resources import Status


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The state of one task run. ``score`` is that of a completed one."""

    status: Status
    score: float | None


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """Without a score while a task run is active, or if all were cancelled."""

    status: Status
    score: float | None = None
    verdict: Verdict | None = None


def benchmark_result(runs: Sequence[TaskResult]) -> BenchmarkResult:
    """The mean of the task scores: a run that failed or timed out counts as 0, a cancelled one not at all."""
    if any(one.status is Status.ACTIVE for one in runs):
        return BenchmarkResult(Status.ACTIVE)
    counted = [one for one in runs if one.status is not Status.CANCELLED]
    if not counted:
        return BenchmarkResult(Status.CANCELLED)
    score = exact_mean([Placed(Placement("task run"), _outcome(one)) for one in counted]) or 0.0
    return BenchmarkResult(Status.COMPLETED, score, verdict_of(score))


def _outcome(run: TaskResult) -> Scored:
    score = run.score if run.status is Status.COMPLETED and run.score is not None else 0.0
    return Scored(score, score >= 1)
