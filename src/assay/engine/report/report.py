"""Summarize a job: what its runs came to, the numbers that follow, and harbor's own beside them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.core.errors import InputError
from assay.core.total import exact_average
from assay.dialects.harbor.job_stats import EvalStats, JobStats, eligible_k, job_stats
from assay.dialects.harbor.trial import Trial, evals_key
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
    TaskRewards,
    attempts_by_task,
    group_bounds,
    group_intervals,
    group_noise,
    rewards_by_task,
)
from assay.engine.report.rows_report import KeyMean, TaskReportRow, UsageReport, key_means, report_usage, task_rows
from assay.evidence.run import Run, State
from assay.stats.passes import Attempts, Estimate, PassCurves, PassRate, estimate_pass_at_k, estimate_pass_hat_k


@dataclass(frozen=True, slots=True)
class Success:
    """The definition of success: a reward key and its lowest passing value."""

    key: str
    threshold: float


@dataclass(frozen=True, slots=True)
class GateCounts:
    """The three gates of coding runs: how many runs each says what of, and the runs that they disagree on."""

    runs: int
    checks: Mapping[str, int]
    judge: Mapping[str, int]
    run: Mapping[str, int]
    disagree: Sequence[str]


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
class Trouble:
    """Runs in the same state for the same reason."""

    reason: str
    what: str
    trials: list[str]
    state: State
    cause: str | None = None


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
    stats = job_stats(trials, job.metrics.by_dataset, n_total=job.n_total)
    _refuse_unknown(question.key, {key for found in stats.evals.values() for key in found.reward_stats})
    members = groups_of(runs)
    # Harbor knows nothing of a group whose results it can't read.
    known = {**stats.evals, **{name: EvalStats() for name in members if name and name not in stats.evals}}
    rewards = {name: rewards_by_task(members.get(name, ())) for name in known}
    groups = [_group(name, members.get(name, []), found, question, rewards[name]) for name, found in known.items()]
    decisions = {run.name: run for run in runs}
    return JobReport(
        job=job.name,
        profile=job.version.profile.value,
        title=job.version.title,
        harbor_version=job.version.number,
        finished=job.finished,
        harbor=stats,
        states=count_states(runs),
        groups=groups,
        troubles=_troubles(runs),
        notes=job.notes,
        runs=runs,
        trials={trial.name: trial for trial in trials} if question.by == "trial" else {},
        usage=report_usage(trials, stats.usage),
        regrades=regrades,
        by=question.by,
        task_rows=task_rows(members, trials) if question.by == "task" else (),
        evaluation=report_histories(histories, question.grading, decisions),
        bounds=group_bounds(rewards, _count_lost(runs), only_group=len(known) == 1),
        noise=group_noise(members, rewards, question, histories),
        agreement=report_agreement(histories, decisions),
    )


def _refuse_unknown(key: str | None, known: Collection[str]) -> None:
    if key is not None and known and key not in known:
        raise InputError(f"no run has the reward {key}; there are {', '.join(sorted(known))}")


def count_states(runs: Iterable[Run]) -> dict[State, int]:
    """How many runs came to what. Every run is counted once, so the numbers add up to all of them."""
    counts = Counter(run.state for run in runs)
    return {state: counts[state] for state in State}


def group_of(run: Run) -> str:
    """The group that a run counts in, by harbor's name; "" if it has no result that says so."""
    known = run.agent or run.dataset or run.kind != "trial"
    return evals_key(run.agent or run.kind, run.model, run.dataset or "adhoc") if known else ""


def groups_of(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """The runs of each group. Different names may give the same key; the key decides."""
    groups: dict[str, list[Run]] = {}
    by_parts: dict[tuple[str, str | None, str], list[Run]] = {}
    for run in runs:
        parts = (run.agent, run.model, run.dataset)
        members = by_parts.get(parts)
        if members is None:
            members = by_parts[parts] = groups.setdefault(group_of(run), [])
        members.append(run)
    return groups


def _count_lost(runs: Iterable[Run]) -> int:
    return sum(run.state is State.BROKEN and not group_of(run) for run in runs)


def _group(
    key: str, runs: Sequence[Run], stats: EvalStats, question: JobQuestion, rewards: Mapping[str, TaskRewards]
) -> GroupReport:
    scores = [run.score for run in runs if run.score is not None]
    attempts = attempts_by_task(runs)
    ks = _chosen_k(attempts, question)
    intervals = group_intervals(rewards, attempts) if scores else None
    curves = PassCurves([], []) if intervals is None else intervals.passes
    states = count_states(runs)
    chosen = chosen_key(stats.reward_stats, question)
    deciding = (question.key or REWARD) if chosen is None else chosen
    return GroupReport(
        key=key,
        harbor=stats,
        states=states,
        tasks=len({run.task for run in runs}),
        success=Success(deciding, question.threshold) if scores else None,
        mean=exact_average(scores) if scores else None,
        n=len(scores),
        pass_at_k=[_curve_point(curves.at, k) or estimate_pass_at_k(attempts, k) for k in ks],
        pass_hat_k=[_curve_point(curves.hat, k) or estimate_pass_hat_k(attempts, k) for k in ks],
        intervals=intervals,
        gates=_gate_counts(runs),
        keys=key_means(runs) if len(stats.reward_stats) > 1 else (),
    )


def _gate_counts(runs: Sequence[Run]) -> GateCounts | None:
    """None unless there are coding runs, or trials that were judged."""
    gated = [run for run in runs if run.kind == "coding" or run.judge is not None]
    if not gated:
        return None
    return GateCounts(
        runs=len(gated),
        checks=dict(Counter(run.checks or "none" for run in gated)),
        judge=dict(Counter(run.judge or "none" for run in gated)),
        run=dict(Counter(run.run_status or "none" for run in gated)),
        disagree=[run.name for run in gated if run.gates_disagree],
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


def _troubles(runs: Iterable[Run]) -> list[Trouble]:
    """The runs that have a reason, grouped, in the order in which the groups first occur."""
    found: dict[tuple[str, str, State, str | None], list[str]] = {}
    for run in runs:
        if run.reason is not None:
            found.setdefault((run.reason, run.detail or "", run.state, run.cause), []).append(run.name)
    return [Trouble(reason, what, names, state, cause) for (reason, what, state, cause), names in found.items()]
