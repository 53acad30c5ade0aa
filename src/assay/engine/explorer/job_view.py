"""The page of a job: its report, and its tasks with a strip of runs each."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.core.total import exact_average
from assay.dialects.harbor.job_config import ConfiguredMetrics
from assay.dialects.harbor.job_stats import MEAN
from assay.dialects.harbor.trial import Seconds, Trial, Usage
from assay.engine.jobs.job import Job
from assay.engine.jobs.job_runs import ReadJob
from assay.engine.report.run_groups import group_of
from assay.evidence.run import COUNTED, Run, State
from assay.stats.interval import Interval, rate_interval


@dataclass(frozen=True, slots=True)
class TaskStrip:
    """The runs of one group at one task. ``kind`` is always, never, flaky or unknown."""

    task: str
    group: str
    runs: tuple[Run, ...]
    kind: str

    @property
    def scores(self) -> list[float]:
        return [run.score for run in self.runs if run.score is not None]

    @property
    def mean(self) -> float | None:
        return _mean(self.scores)

    @property
    def passed(self) -> Interval | None:
        """Where the share of runs that pass lies, of those with a score."""
        return rate_interval(self.passes / len(self.scores), len(self.scores)) if self.scores else None

    @property
    def passes(self) -> int:
        return sum(run.state is State.PASSED for run in self.runs)

    @property
    def cost_usd(self) -> float | None:
        """The mean cost of a run that states it."""
        return _mean(run.cost_usd for run in self.runs)

    @property
    def seconds(self) -> float | None:
        """The mean time of a run that states it."""
        return _mean(run.duration_sec for run in self.runs)

    def reward(self, key: str) -> float | None:
        """The mean of one reward."""
        return _mean((run.rewards or {}).get(key) for run in self.runs)


def _mean(values: Iterable[float | None]) -> float | None:
    """Of those that are known and finite."""
    known = [one for one in values if one is not None and math.isfinite(one)]
    return exact_average(known) if known else None


def job_of_runs(name: str, runs: Sequence[Run], notes: Sequence[str] = ()) -> ReadJob:
    """A job of runs that are known, whose own files aren't there. Harbor's numbers follow from their rewards."""
    trials = [_trial(run) for run in runs if group_of(run)]
    metrics = ConfiguredMetrics({trial.dataset: [MEAN] for trial in trials})
    return ReadJob(name, Job(name, trials, [], metrics, recorded=None, notes=list(notes)), runs=runs)


def _trial(run: Run) -> Trial:
    """A run as harbor's numbers need it. A coding run has a score instead of rewards."""
    rewards = run.rewards
    if rewards is None and run.score is not None and run.kind != "trial":
        rewards = {"score": run.score}
    return Trial(
        name=run.name,
        task=run.task,
        agent=run.agent or run.kind,
        model=run.model,
        dataset=run.dataset or "adhoc",
        rewards=rewards,
        verified=rewards is not None,
        exception_type=run.exception_type,
        usage=None if run.cost_usd is None else Usage(cost_usd=run.cost_usd),
        started_at=run.started_at,
        finished_at=run.finished_at,
        seconds=Seconds(run.duration_sec),
    )


def task_strips(runs: Iterable[Run]) -> Iterable[TaskStrip]:
    """The runs of each group at each task, in order."""
    found: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        found.setdefault((group_of(run), run.task), []).append(run)
    for (group, task), members in sorted(found.items()):
        yield TaskStrip(task, group, tuple(members), _kind(members))


def _kind(runs: Sequence[Run]) -> str:
    """Whether the task is passed always, never or sometimes, by the runs that count."""
    states = {run.state for run in runs if run.state in COUNTED}
    if not states:
        return "unknown"
    if states == {State.PASSED}:
        return "always"
    return "flaky" if State.PASSED in states else "never"
