"""Summarize a job: what its runs came to, the numbers that follow, and harbor's own beside them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assay.core.errors import InputError
from assay.core.total import exact_average
from assay.dialects.harbor.job_stats import EvalStats, JobStats, eligible_k, job_stats
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job
from assay.engine.jobs.job_runs import REWARD, USUAL, JobQuestion, chosen_key, runs_of
from assay.engine.jobs.trial_additions import History, Regrade, with_latest
from assay.engine.report.evaluation_report import (
    EvaluationReport,
    RaterAgreement,
    report_agreement,
    report_histories,
)
from assay.engine.report.intervals import (
    GroupBounds,
    GroupIntervals,
    GroupNoise,
    group_bounds,
    group_intervals,
    group_noise,
)
from assay.engine.report.rows_report import KeyMean, TaskReportRow, UsageCount, UsageReport, key_means, task_rows
from assay.engine.report.run_groups import GateCounts, RunGroup, Trouble, gather
from assay.evidence.run import Run, State
from assay.stats.passes import Attempts, Estimate, PassCurves, PassRate, estimate_pass_at_k, estimate_pass_hat_k


@dataclass(frozen=True, slots=True)
class Success:
    """The definition of success: a reward key and its lowest passing value."""

    key: str
    threshold: float


@dataclass(frozen=True, slots=True)
class GroupReport:
    """One group of runs. ``states`` is the partition that every other count is a sum of cells of.

    ``mean`` is over the ``n`` runs with a score. ``keys`` has the mean of each reward where there are several.
    """

    key: str
    harbor: EvalStats
    states: Mapping[State, int]
    tasks: int
    success: Success | None
    mean: float | None
    n: int
    pass_at_k: list[Estimate]
    pass_hat_k: list[Estimate]
    intervals: GroupIntervals | None = None
    gates: GateCounts | None = None
    keys: Sequence[KeyMean] = ()


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job's report. ``runs`` are all runs of the job, and ``trials`` harbor's record of those that have one."""

    job: str
    profile: str
    finished: bool | None
    harbor: JobStats
    states: Mapping[State, int]
    groups: list[GroupReport]
    troubles: list[Trouble]
    notes: list[str]
    runs: Sequence[Run] = ()
    trials: Mapping[str, Trial] = field(default_factory=dict)
    evaluation: EvaluationReport | None = None
    title: str = ""
    harbor_version: str | None = None
    usage: UsageReport | None = None
    regrades: Sequence[Regrade] = ()
    by: str | None = None
    task_rows: Sequence[TaskReportRow] = ()
    bounds: Mapping[str, GroupBounds] = field(default_factory=dict)
    noise: Mapping[str, GroupNoise] = field(default_factory=dict)
    agreement: Sequence[RaterAgreement] = ()


def report_job(
    job: Job,
    question: JobQuestion = USUAL,
    histories: Sequence[History] = (),
    regrades: Sequence[Regrade] = (),
    runs: Sequence[Run] | None = None,
) -> JobReport:
    """The report of a job. ``histories`` were added after its trials ended; ``runs`` are given if known."""
    trials = with_latest(job.trials, histories) if question.grading == "latest" else job.trials
    runs = runs_of(job, histories, question) if runs is None else runs
    used = UsageCount()
    stats = job_stats(used.each(trials), job.metrics.by_dataset, n_total=job.n_total, named=False)
    _refuse_unknown(question.key, {key for found in stats.evals.values() for key in found.reward_stats})
    found = gather(runs, {one.trial for one in histories})
    # Harbor knows nothing of a group whose results it can't read.
    known = {**stats.evals, **{name: EvalStats() for name in found.groups if name and name not in stats.evals}}
    members = {name: found.groups.get(name, RunGroup(name, runs)) for name in known}
    rewards = {name: group.tasks.rewards for name, group in members.items()}
    groups = [_group(members[name], harbors, question) for name, harbors in known.items()]
    return JobReport(
        job=job.name,
        profile=job.version.profile.value,
        title=job.version.title,
        harbor_version=job.version.number,
        finished=job.finished,
        harbor=stats,
        states=found.states,
        groups=groups,
        troubles=found.troubles,
        notes=job.notes,
        runs=runs,
        trials={trial.name: trial for trial in trials} if question.by == "trial" else {},
        usage=used.report(),
        regrades=regrades,
        by=question.by,
        task_rows=task_rows(found.groups, trials) if question.by == "task" else (),
        evaluation=report_histories(histories, question.grading, found.kept),
        bounds=group_bounds(rewards, found.lost, only_group=len(known) == 1),
        noise=group_noise(members, rewards, question, histories),
        agreement=report_agreement(histories, found.kept),
    )


def _refuse_unknown(key: str | None, known: Collection[str]) -> None:
    if key is not None and known and key not in known:
        raise InputError(f"no run has the reward {key}; there are {', '.join(sorted(known))}")


def _group(group: RunGroup, stats: EvalStats, question: JobQuestion) -> GroupReport:
    scored = bool(group.tasks.passed)
    attempts = group.tasks.attempts()
    ks = _chosen_k(attempts, question)
    intervals = group_intervals(group.tasks.rewards, attempts) if scored else None
    curves = PassCurves([], []) if intervals is None else intervals.passes
    chosen = chosen_key(stats.reward_stats, question)
    deciding = (question.key or REWARD) if chosen is None else chosen
    return GroupReport(
        key=group.key,
        harbor=stats,
        states=group.states,
        tasks=len(group.names),
        success=Success(deciding, question.threshold) if scored else None,
        mean=exact_average(group.tasks.scores()) if scored else None,
        n=sum(task.n for task in attempts.values()),
        pass_at_k=[_curve_point(curves.at, k) or estimate_pass_at_k(attempts, k) for k in ks],
        pass_hat_k=[_curve_point(curves.hat, k) or estimate_pass_hat_k(attempts, k) for k in ks],
        intervals=intervals,
        gates=group.gates,
        keys=key_means(group) if len(stats.reward_stats) > 1 else (),
    )


def _curve_point(curve: Sequence[PassRate], k: int) -> Estimate | None:
    """The estimate as a point of a curve that begins with k = 1; None if the curve doesn't have it."""
    if not 1 <= k <= len(curve):
        return None
    rate = curve[k - 1]
    return Estimate(k, rate.value, rate.tasks, rate.tasks_with_too_few_attempts)


def _chosen_k(attempts: Mapping[str, Attempts], question: JobQuestion) -> list[int]:
    if not attempts:
        return []
    return sorted(set(question.k)) or [1, *eligible_k(max(task.n for task in attempts.values()))]
