"""The report of a job, with every denominator in sight.

The ``harbor`` part of a report holds the numbers of harbor 0.13.1. Assay's own numbers are kept apart from it: how
many trials each number covers, the mean of the scored trials, and pass@1, pass@k and pass^k for a chosen reward
and threshold.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace

import msgspec

from assay.core.total import mean
from assay.dialects.harbor.job_stats import CANCELLED, EvalStats, JobStats, job_stats
from assay.dialects.harbor.passk import eligible_k
from assay.dialects.harbor.reasons import reason_of_exception
from assay.dialects.harbor.trial import Trial
from assay.engine.evaluation_report import EvaluationReport, report_histories
from assay.engine.evaluation_summary import EvaluationSummary, evaluate_trials, summarize
from assay.engine.history import History, with_latest
from assay.engine.job import Job, Problem
from assay.engine.regrades import Regrade
from assay.engine.report_agreement import RaterAgreement, report_agreement
from assay.engine.report_intervals import GroupBounds, GroupIntervals, group_bounds, group_intervals
from assay.engine.report_noise import GroupNoise, group_noise
from assay.engine.rows_report import TaskRow, TrialRow, cause_of, task_rows, trial_rows, unrewarded
from assay.engine.task_rewards import TaskRewards, rewards_by_task, unusable_outputs
from assay.engine.usage_report import UsageReport, report_usage
from assay.stats.attempts import Attempts, Estimate, estimate_pass_at_k, estimate_pass_hat_k
from assay.stats.passes import PassCurves, PassRate


@dataclass(frozen=True, slots=True)
class Denominators:
    """How many trials there are, and how they ended. Each is counted once: the parts add up to the total.

    A cancelled trial that has a reward counts as scored though errored.
    """

    scored: int = 0
    scored_though_errored: int = 0
    errored: int = 0
    missing: int = 0
    invalid: int = 0
    cancelled: int = 0

    @property
    def total(self) -> int:
        """The number of all trials."""
        return (
            self.scored + self.scored_though_errored + self.errored + self.missing + self.invalid + self.cancelled
        )


@dataclass(frozen=True, slots=True)
class Success:
    """What counts as a success: a reward key and its lowest passing value."""

    key: str
    threshold: float


@dataclass(frozen=True, slots=True)
class GroupReport:
    """One group of trials: harbor's statistics, and Assay's own if a reward key is chosen."""

    key: str
    harbor: EvalStats
    counts: Denominators
    tasks: int
    success: Success | None
    mean_of_scored: float | None
    n_averaged: int
    pass_at_k: list[Estimate]
    pass_hat_k: list[Estimate]
    evaluation: EvaluationSummary | None = None
    intervals: GroupIntervals | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Trials with the same problem. ``unscored`` is true if they have no reward because of it."""

    reason_code: str
    what: str
    trials: list[str]
    unscored: bool
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job's report."""

    job: str
    profile: str
    finished: bool | None
    harbor: JobStats
    counts: Denominators
    groups: list[GroupReport]
    troubles: list[Trouble]
    notes: list[str]
    evaluation: EvaluationReport | None = None
    title: str = ""
    harbor_version: str | None = None
    usage: UsageReport | None = None
    regrades: Sequence[Regrade] = ()
    trial_rows: Sequence[TrialRow] | None = None
    task_rows: Sequence[TaskRow] | None = None
    bounds: Mapping[str, GroupBounds] = field(default_factory=dict)
    noise: Mapping[str, GroupNoise] = field(default_factory=dict)
    agreement: Sequence[RaterAgreement] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What to report beyond harbor's numbers. With ``key`` None, the data decide on the key.

    ``by`` asks for a row for each "task" or "trial".
    """

    key: str | None = None
    threshold: float = 1.0
    k: tuple[int, ...] = ()
    grading: str = "first"
    by: str | None = None


def report_job(
    job: Job,
    question: Question = Question(),  # noqa: B008 - frozen
    histories: Sequence[History] = (),
    regrades: Sequence[Regrade] = (),
) -> JobReport:
    """The report of a job, with the gradings and annotations that were added after its trials ended."""
    trials = with_latest(job.trials, histories) if question.grading == "latest" else job.trials
    stats = job_stats(trials, job.metrics.by_dataset, n_total=job.n_total)
    evaluated = evaluate_trials(job.trials, histories, question.grading)
    members = groups_of(trials)
    chosen = _chosen_keys(stats.evals, question)
    rewards = {name: rewards_by_task(members[name], key) for name, key in chosen.items()}
    groups = [
        replace(
            _group(name, found, stats.evals[name], question, rewards.get(name)),
            evaluation=summarize([trial.name for trial in found], evaluated, question.threshold),
        )
        for name, found in members.items()
    ]
    unusable = unusable_outputs(histories, question.grading)
    usable = {name: rewards_by_task(members[name], key, unusable) for name, key in chosen.items() if unusable}
    deciding = _deciding_rewards(trials, question) if histories else {}
    return JobReport(
        job=job.name,
        profile=job.version.profile.value,
        title=job.version.title,
        harbor_version=job.version.number,
        finished=_finished(job.recorded),
        harbor=stats,
        counts=_sum([*(group.counts for group in groups), _count((), job.problems)]),
        groups=groups,
        troubles=_troubles(trials, job.problems),
        notes=job.notes,
        usage=report_usage(trials, stats.usage),
        regrades=regrades,
        trial_rows=trial_rows(trials, job.problems) if question.by == "trial" else None,
        task_rows=task_rows(trials, _keys(groups), question.threshold) if question.by == "task" else None,
        evaluation=report_histories(histories, question.grading, question.threshold, deciding, evaluated),
        bounds=group_bounds(usable or rewards, len(job.problems), only_group=len(members) == 1),
        noise=group_noise(members, chosen, rewards, question.threshold, histories),
        agreement=report_agreement(histories, {name: one >= question.threshold for name, one in deciding.items()}),
    )


def _keys(groups: Iterable[GroupReport]) -> dict[str, str | None]:
    return {group.key: None if group.success is None else group.success.key for group in groups}


def _chosen_keys(evals: Mapping[str, EvalStats], question: Question) -> dict[str, str]:
    """The reward key of each group that has one."""
    keys = {name: chosen_key(stats.reward_stats, question) for name, stats in evals.items()}
    return {name: key for name, key in keys.items() if key is not None}


def _sum(counts: Sequence[Denominators]) -> Denominators:
    parts = zip(*(astuple(count) for count in counts), strict=True)
    return Denominators(*(sum(part) for part in parts))


def _deciding_rewards(trials: Iterable[Trial], question: Question) -> dict[str, float]:
    """The reward that decides the success of each trial."""
    rewards: dict[str, float] = {}
    for trial in trials:
        key = question.key if question.key is not None else "reward"
        if trial.rewards and (key in trial.rewards or len(trial.rewards) == 1):
            rewards[trial.name] = trial.rewards.get(key, next(iter(trial.rewards.values())))
    return rewards


def groups_of(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """The trials of each group. Different names may give the same key; the key decides."""
    groups: dict[str, list[Trial]] = {}
    by_parts: dict[tuple[str, str | None, str], list[Trial]] = {}
    for trial in trials:
        parts = (trial.agent, trial.model, trial.dataset)
        members = by_parts.get(parts)
        if members is None:
            members = by_parts[parts] = groups.setdefault(trial.evals_key, [])
        members.append(trial)
    return groups


def _count(trials: Iterable[Trial], problems: Iterable[Problem]) -> Denominators:
    scored = though = errored = missing = invalid = cancelled = 0
    for trial in trials:
        error = trial.exception_type
        if trial.rewards is not None:
            if error is None:
                scored += 1
            else:
                though += 1
        elif error is None:
            missing += 1
        elif error == CANCELLED:
            cancelled += 1
        else:
            errored += 1
    for problem in problems:
        missing += problem.missing
        invalid += not problem.missing
    return Denominators(scored, though, errored, missing, invalid, cancelled)


def _group(
    key: str,
    trials: Sequence[Trial],
    stats: EvalStats,
    question: Question,
    rewards: Mapping[str, TaskRewards] | None,
) -> GroupReport:
    chosen = chosen_key(stats.reward_stats, question)
    success = None if chosen is None else Success(chosen, question.threshold)
    attempts = {} if success is None else attempts_at(trials, success)
    ks = _chosen_k(attempts, question)
    intervals = None if rewards is None else group_intervals(rewards, attempts)
    curves = PassCurves([], []) if intervals is None else intervals.passes
    values = [] if chosen is None else [t.rewards[chosen] for t in trials if t.rewards and chosen in t.rewards]
    return GroupReport(
        key=key,
        harbor=stats,
        counts=_count(trials, ()),
        tasks=len(attempts) or len({trial.task for trial in trials}),
        success=success,
        mean_of_scored=mean(values) if values else None,
        n_averaged=len(values),
        pass_at_k=[_known(curves.at, k) or estimate_pass_at_k(attempts, k) for k in ks],
        pass_hat_k=[_known(curves.hat, k) or estimate_pass_hat_k(attempts, k) for k in ks],
        intervals=intervals,
    )


def _known(curve: Sequence[PassRate], k: int) -> Estimate | None:
    """The estimate as a point of a curve that begins with k = 1; None if the curve doesn't have it."""
    if not 1 <= k <= len(curve):
        return None
    rate = curve[k - 1]
    return Estimate(k, rate.value, rate.tasks, rate.tasks_with_too_few_attempts)


def chosen_key(keys: Collection[str], question: Question) -> str | None:
    """The key asked for, "reward", or the only key. None if there are several and none was asked for."""
    if question.key is not None:
        return question.key if question.key in keys else None
    if "reward" in keys:
        return "reward"
    return next(iter(keys)) if len(keys) == 1 else None


def _chosen_k(attempts: Mapping[str, Attempts], question: Question) -> list[int]:
    if not attempts:
        return []
    return sorted(set(question.k)) or [1, *eligible_k(max(task.n for task in attempts.values()))]


def attempts_at(trials: Iterable[Trial], success: Success) -> dict[str, Attempts]:
    """Attempts and successes of each task. A trial without the reward is a failed attempt, as in harbor."""
    key, threshold = success.key, success.threshold
    tried: list[str] = []
    passed: list[str] = []
    for trial in trials:
        tried.append(trial.task)
        value = trial.rewards.get(key) if trial.rewards else None
        if value is not None and value >= threshold:
            passed.append(trial.task)
    successes = Counter(passed)
    return {task: Attempts(n, successes[task]) for task, n in Counter(tried).items()}


def _troubles(trials: Sequence[Trial], problems: Iterable[Problem]) -> list[Trouble]:
    """The problems of the trials, grouped, in the order in which they first occur."""
    found: dict[tuple[str, str, bool], list[str]] = {}
    reasons: dict[tuple[str, str], str] = {}
    for trial in trials:
        error = trial.exception_type
        if error is not None:
            exception = (error, trial.exception_message)
            reason = reasons.get(exception) or reasons.setdefault(exception, reason_of_exception(*exception))
            found.setdefault((reason, error, trial.rewards is None), []).append(trial.name)
        elif trial.rewards is None:
            found.setdefault(("harbor_reward_missing", unrewarded(trial), True), []).append(trial.name)
    for problem in problems:
        found.setdefault((problem.reason_code, problem.detail, True), []).append(problem.trial)
    causes = {trial.name: cause_of(trial) for trial in trials if trial.exception_type is not None}
    return [
        Trouble(reason, what, names, unscored, causes.get(names[0]))
        for (reason, what, unscored), names in found.items()
    ]


class _Times(msgspec.Struct):
    finished_at: str | None = None


def _finished(recorded: bytes | None) -> bool | None:
    """Whether the job finished; None if its result doesn't say."""
    try:
        return None if recorded is None else msgspec.json.decode(recorded, type=_Times).finished_at is not None
    except (msgspec.MsgspecError, RecursionError):
        return None
