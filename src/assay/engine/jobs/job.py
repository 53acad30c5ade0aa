"""Read a job folder into trials, in harbor's order. A trial that can't be read is kept as a problem."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from assay.core.errors import InputError
from assay.dialects.harbor.errors import RewardError
from assay.dialects.harbor.job_config import ConfiguredMetrics
from assay.dialects.harbor.job_stats import MEAN, Metric
from assay.dialects.harbor.plan import (
    UNKNOWN,
    HarborVersion,
    Plan,
    Slot,
    TrialOrder,
    read_large_plan,
    read_plan,
    version_of_record,
)
from assay.dialects.harbor.rewards import Profile, Rewards, Step, Strategy, parse_reward_files, trial_rewards
from assay.dialects.harbor.trial import Trial
from assay.dialects.harbor.trial_file import TrialDecoder, TrialFileError
from assay.engine.jobs.job_metrics import job_metrics, recorded_fields, with_registered
from assay.engine.jobs.spool import Spool, joined
from assay.engine.ports import DEFAULT_RULES, MARK, JobFolder, Progress, no_progress, recorded_rules
from assay.evidence.files import Absent, Content, File, Refused
from assay.formats.counting import counted
from assay.formats.json_items import read_outline

# A larger plan is read trial by trial, and of a larger record what it says beside the names of trials.
LARGE = 2**20


@dataclass(frozen=True, slots=True)
class Problem:
    """A trial that was planned or started but has no result that can be read, with the reason.

    ``over`` says that its job has ended, so that no result will come. ``read`` is the trial as far as it could be
    read, if only its reward can't be used.
    """

    trial: str
    reason_code: str
    detail: str
    began: bool = False
    over: bool = False
    read: Trial | None = None

    @property
    def missing(self) -> bool:
        """Whether there is no result at all, rather than one that can't be used."""
        return self.reason_code == "harbor_trial_result_missing"

    @property
    def unstarted(self) -> bool:
        """Whether the trial was only planned: then ``trial`` is the name or the path of its task."""
        return self.missing and not self.began

    @property
    def task(self) -> str:
        """The task, as far as the name of the trial tells."""
        name = self.trial.rpartition("/")[2]
        return name if self.unstarted else name.rpartition("__")[0] or name


@dataclass(frozen=True, slots=True)
class Job:
    """A job as read from its folder: its trials in order, its problems, and the job's own files.

    ``recorded`` is its result.json; where that is large, most names of trials are left out.
    """

    name: str
    trials: Sequence[Trial]
    problems: list[Problem]
    metrics: ConfiguredMetrics
    recorded: bytes | None
    notes: list[str]
    version: HarborVersion = UNKNOWN
    n_planned: int = 0

    @property
    def n_total(self) -> int:
        """The number of trials of the job, including those that can't be counted."""
        return len(self.trials) + len(self.problems)

    @property
    def finished(self) -> bool | None:
        """Whether the job finished; None if its result doesn't say."""
        return is_finished(self.recorded)


class _Times(msgspec.Struct):
    finished_at: str | None = None


def is_finished(recorded: bytes | None) -> bool | None:
    """Whether a job ended, as its result.json says; None if it doesn't say."""
    try:
        return None if recorded is None else msgspec.json.decode(recorded, type=_Times).finished_at is not None
    except (msgspec.MsgspecError, RecursionError):
        return None


def read_job(folder: JobFolder, *, script: Metric | None = None, progress: Progress = no_progress) -> Job:
    """Read a job folder. Raises ``InputError`` if it has no trials."""
    notes = [f"ignored {name}: harbor didn't write it" for name in folder.foreign()]
    plan = _plan(folder, notes)
    recorded = _read_record(folder, notes)
    version = plan.version or _recorded_version(recorded)
    rules = recorded_rules(folder.file(MARK))
    if rules != DEFAULT_RULES:
        version = replace(version, profile=rules.profile)
    found, order, problems = _read_trials(folder, version, notes, progress)
    if not found and not problems:
        planned = f" ({len(plan.slots)} are planned)" if plan.slots else ""
        raise InputError(f"{folder.name} has no trials{planned}")
    positions, unfilled = order.planned(plan.slots, lambda: [trial.name for trial in found])
    trials = found.ordered(positions)
    problems += _never_started(unfilled, len(problems))
    n_planned = len(plan.slots)
    del plan, order, positions  # Large, and no more needed.
    metrics = job_metrics(folder.file("config.json"), trials, script, version, notes)
    over = is_finished(recorded) is True
    return Job(
        name=folder.name,
        trials=trials,
        problems=[replace(one, over=True) for one in problems] if over else problems,
        metrics=with_registered(metrics, trials, recorded, notes),
        recorded=recorded,
        notes=notes,
        version=version,
        n_planned=n_planned,
    )


def _read_trials(
    folder: JobFolder, version: HarborVersion, notes: list[str], progress: Progress
) -> tuple[Spool[Trial], TrialOrder, list[Problem]]:
    total = len(folder.folders())
    decoder = TrialDecoder()
    trials = Spool(Trial, folder.scratch)
    order = TrialOrder()
    problems: list[Problem] = []
    for done, (name, file) in enumerate(folder.trial_results(), start=1):
        trial = None
        try:
            if isinstance(file, Content):
                trial = decoder.decode(file.data)
                if trial.name != name:
                    notes.append(f"the trial in the folder {name} is named {trial.name}")
                if trial.lost:
                    trial = _with_lost_rewards(folder, name, trial, version.profile)
                trials.append(_with_dashed_names(trial) if version.dashed_keys else trial)
                order.add(trial)
            elif isinstance(file, Absent) and not folder.began(name):
                notes.append(f"ignored the folder {name}: it isn't a trial")
            else:
                problems.append(_unusable(name, file))
        except TrialFileError as error:
            problems.append(Problem(name, "harbor_trial_result_malformed", f"result.json: {error}", read=trial))
        progress(done, total)
    return trials, order, problems


def _unusable(name: str, file: File) -> Problem:
    if isinstance(file, Refused):
        return Problem(name, "harbor_trial_result_malformed", f"result.json is {file.why.value}{file.detail}")
    return Problem(name, "harbor_trial_result_missing", "no result.json", began=True)


def _with_dashed_names(trial: Trial) -> Trial:
    """The trial under the names that harbor up to 0.3 made groups of."""
    model = None if trial.model is None else trial.model.replace("/", "-")
    return msgspec.structs.replace(
        trial, agent=trial.agent.replace("/", "-"), model=model, dataset=trial.dataset.replace("/", "-")
    )


def _with_lost_rewards(folder: JobFolder, name: str, trial: Trial, profile: Profile) -> Trial:
    """Read rewards that JSON could not hold (NaN, infinity) from the verifier's own files."""
    for strategy in Strategy if trial.steps else (None,):
        rewards = _rewards_again(folder, name, trial.steps, strategy, profile)
        if rewards is not None and _fits(rewards, trial):
            return msgspec.structs.replace(trial, rewards=rewards, lost=())
    keys = ", ".join(trial.lost)
    raise TrialFileError(f"the reward {keys} is null: it was NaN or infinite, and no reward file says which")


def _rewards_again(
    folder: JobFolder, name: str, steps: tuple[str, ...], strategy: Strategy | None, profile: Profile
) -> Rewards | None:
    if not steps:
        found = read_rewards_of(folder, name, None, profile)
        return None if isinstance(found, RewardError) else found
    left = [read_rewards_of(folder, name, step, profile) for step in steps]
    verified = [Step(verified=True, rewards=one) for one in left if not isinstance(one, RewardError)]
    result = trial_rewards(verified, strategy)
    return result.rewards if result is not None else None


def read_rewards_of(
    folder: JobFolder, trial: str, step: str | None, profile: Profile
) -> Rewards | RewardError | None:
    """The rewards in a trial's own reward files, which may be null, or the error of reading them."""
    try:
        return parse_reward_files(folder.reward_files(trial, step, profile.order), profile).rewards
    except RewardError as error:
        return error


def _fits(rewards: Rewards, trial: Trial) -> bool:
    """Whether these rewards agree with those that the trial's result still has."""
    kept = trial.rewards or {}
    return (
        set(rewards) == set(kept) | set(trial.lost)
        and all(rewards[key] == value for key, value in kept.items())
        and all(_not_finite(rewards[key]) for key in trial.lost)
    )


def _not_finite(value: float) -> bool:
    # An int may be too large for a float, but it is finite.
    return type(value) is not int and not math.isfinite(value)


def _plan(folder: JobFolder, notes: list[str]) -> Plan:
    """The plan of lock.json. The file may be large, and isn't kept."""
    source = folder.source("lock.json")
    plan = None if source is None or source.size < LARGE else read_large_plan(source)
    if plan is not None:
        return plan
    file = folder.file("lock.json")
    if isinstance(file, Content):
        try:
            return read_plan(file.data)
        except (ValueError, RecursionError) as error:
            notes.append(f"lock.json can't be used ({error}), so trials are in the order of their start")
    elif isinstance(file, Refused):
        notes.append(f"lock.json is {file.why.value}, so trials are in the order of their start")
    return Plan([], None)


def _never_started(unfilled: list[Slot], unreadable: int) -> list[Problem]:
    """Planned trials without a folder. A folder that can't be read takes one slot, but it isn't known which."""
    return [
        Problem(slot[0], "harbor_trial_result_missing", f"planned for {slot[1]}, but it has no folder")
        for slot in unfilled[unreadable:]
    ]


class _Counts(msgspec.Struct):
    stats: dict[str, msgspec.Raw]


def _recorded_version(recorded: bytes | None) -> HarborVersion:
    """The version by the job's result. It names every trial, and is read whole only if its counts are old ones."""
    try:
        if recorded is not None and "n_completed_trials" in msgspec.json.decode(recorded, type=_Counts).stats:
            return UNKNOWN
    except (msgspec.MsgspecError, RecursionError):
        pass
    return version_of_record(recorded_fields(recorded))


def _read_record(folder: JobFolder, notes: list[str]) -> bytes | None:
    source = folder.source("result.json")
    if source is not None and source.size >= LARGE:
        return read_outline(source)
    file = folder.file("result.json")
    if isinstance(file, Refused):
        notes.append(f"the job's result.json is {file.why.value}{file.detail}")
    return file.data if isinstance(file, Content) else None


def whole_record(folder: JobFolder, recorded: bytes | None) -> bytes | None:
    """A job's result.json as it was read with its trials, or a large one with all names of trials."""
    source = folder.source("result.json")
    if recorded is None or source is None or source.size < LARGE:
        return recorded
    file = folder.file("result.json")
    return file.data if isinstance(file, Content) else None


def pool_jobs(name: str, jobs: Sequence[Job]) -> Job:
    """One job of all trials. Raises ``InputError`` if two trials have the same name, because each counts once."""
    trials = joined(job.trials for job in jobs)
    _check_names(jobs)
    notes = [f"{counted(len(jobs), 'job')} as one submission: {', '.join(job.name for job in jobs)}"]
    notes += [f"{job.name}: {note}" for job in jobs for note in job.notes]
    notes += [*_changed_tasks(trials), *_graded_twice(trials)]
    return Job(
        name=name,
        trials=trials,
        problems=[replace(one, trial=f"{job.name}/{one.trial}") for job in jobs for one in job.problems],
        metrics=_metrics(jobs, notes),
        recorded=None,
        notes=notes,
        version=_version(jobs, notes),
    )


def _check_names(jobs: Sequence[Job]) -> None:
    seen: dict[str, str] = {}
    for job in jobs:
        for trial in job.trials:
            other = seen.setdefault(trial.name, job.name)
            if other != job.name:
                raise InputError(
                    f"each trial must be in one of the jobs, but {trial.name} is in {other} and in {job.name}"
                )


def _changed_tasks(trials: Sequence[Trial]) -> list[str]:
    """Tasks that weren't the same in all jobs: attempts at them don't belong together."""
    versions: dict[str, set[str]] = {}
    for trial in trials:
        if trial.task_checksum is not None:
            versions.setdefault(trial.task, set()).add(trial.task_checksum)
    return [f"the task {task} differs between the jobs" for task, found in versions.items() if len(found) > 1]


def _metrics(jobs: Sequence[Job], notes: list[str]) -> ConfiguredMetrics:
    """The metrics of each dataset, if all jobs agree. A value from the record of one job is not that of all."""
    by_dataset: dict[str, list[Metric]] = {}
    for job in jobs:
        for dataset, metrics in job.metrics.by_dataset.items():
            if job.metrics.taken & {dataset}:
                notes.append(f"the metric of {dataset} isn't known, so for the submission it is the mean")
                by_dataset[dataset] = [MEAN]
            elif by_dataset.setdefault(dataset, metrics) != metrics:
                notes.append(
                    f"the jobs have different metrics for {dataset}, so for the submission it is the mean"
                )
                by_dataset[dataset] = [MEAN]
    return ConfiguredMetrics(by_dataset, complete=all(job.metrics.complete for job in jobs))


def _version(jobs: Sequence[Job], notes: list[str]) -> HarborVersion:
    """The version of all jobs. Each was read by the rules of its own; the submission has those of the default."""
    versions = {job.version for job in jobs}
    if len(versions) == 1:
        return versions.pop()
    notes.append("written by " + ", ".join(f"{job.version.title} ({job.name})" for job in jobs))
    return replace(UNKNOWN, number="of several versions")


def _graded_twice(trials: Sequence[Trial]) -> list[str]:
    sources = {trial.name: trial.source.path or "" for trial in trials if trial.source is not None}
    names = {trial.name for trial in trials} if sources else set()
    both = [name for name, path in sources.items() if path.rpartition("/")[2] in names]
    return [f"{counted(len(both), 'trial')} grade others of the submission again: both count"] if both else []
