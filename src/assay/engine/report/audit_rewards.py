"""Findings of an audit: the rewards that trials record, compared with the files that their verifiers wrote.

The record of a job that didn't finish may differ from its trials without being wrong. While a job runs, harbor
updates its record after each start and end of a trial. So trials are in the order in which they ended; trials that
ended after the last update are missing; a retry leaves empty lists and a usage of 0; and an attempt that is about
to be retried is counted, although its folder is gone.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from assay.dialects.harbor.errors import RewardError, RewardFileNotFoundError
from assay.dialects.harbor.plan import moment
from assay.dialects.harbor.reasons import is_invalid_reward
from assay.dialects.harbor.rewards import Profile, Rewards, Step, Strategy, trial_rewards
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job, Problem, read_rewards_of
from assay.engine.jobs.job_metrics import groups_of, whole_number
from assay.engine.ports import JobFolder
from assay.formats.counting import counted

# Errors that only the reward files can cause.
_REWARD_ERRORS = frozenset({"RewardFileNotFoundError", "RewardFileEmptyError", "VerifierOutputParseError"})


class Standing(Enum):
    """How a recorded field compares with the value that follows from the trials."""

    SAME = "same"
    SAME_BUT_FOR_ORDER = "same but for the order of trials"
    DIFFERS = "differs"
    TAKEN = "taken as recorded"


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One field of a job's result, or one trial's rewards: the recorded value and the derived one."""

    field: str
    standing: Standing
    recorded: object = None
    derived: object = None


def audit_rewards(folder: JobFolder, trials: Iterable[Trial], profile: Profile) -> list[AuditFinding]:
    """One finding for each trial that differs from its files, and one for all the others."""
    agreed = unchecked = 0
    different: list[AuditFinding] = []
    for trial in trials:
        finding = _audit(folder, trial, profile)
        if finding is None:
            unchecked += 1
        elif finding.standing is Standing.DIFFERS:
            different.append(finding)
        else:
            agreed += 1
    kept = f"{agreed} agree with their reward files, {unchecked} have no reward files"
    return [AuditFinding("trials", Standing.SAME, kept, kept), *different]


def _audit(folder: JobFolder, trial: Trial, profile: Profile) -> AuditFinding | None:
    """The finding on one trial; None if there is nothing to compare."""
    recorded: object = dict(trial.rewards) if trial.rewards is not None else trial.exception_type
    if trial.rewards is None and not _is_reward_error(trial):
        return None
    found = _from_files(folder, trial, profile)
    if isinstance(found, RewardFileNotFoundError) and trial.rewards is not None:
        return None
    derived: object = found.exception_type if isinstance(found, RewardError) else found
    agrees = _same(trial.rewards, found) if not isinstance(found, RewardError) else derived == recorded
    return AuditFinding(f"trial {trial.name}", Standing.SAME if agrees else Standing.DIFFERS, recorded, derived)


def _is_reward_error(trial: Trial) -> bool:
    """Whether the trial has no rewards because of its reward files."""
    return trial.exception_type in _REWARD_ERRORS or is_invalid_reward(
        trial.exception_type, trial.exception_message
    )


def _from_files(folder: JobFolder, trial: Trial, profile: Profile) -> Rewards | RewardError | None:
    if not trial.steps:
        return read_rewards_of(folder, trial.name, None, profile)
    found = [read_rewards_of(folder, trial.name, step, profile) for step in trial.steps]
    steps = [Step(verified=True, rewards=one) for one in found if not isinstance(one, RewardError)]
    if not steps:
        return RewardFileNotFoundError("no step left a reward file")
    # The trial's folder doesn't say which strategy the task has, so either may match.
    results = [trial_rewards(steps, strategy) for strategy in Strategy]
    derived = [None if result is None else result.rewards for result in results]
    return next((rewards for rewards in derived if _same(trial.rewards, rewards)), derived[0])


def _same(one: Rewards | None, other: Rewards | None) -> bool:
    """Whether values and their types are equal, with NaN equal to NaN."""
    if one is None or other is None:
        return one is other
    return {key: repr(value) for key, value in one.items()} == {key: repr(value) for key, value in other.items()}


USAGE = ("stats.n_input_tokens", "stats.n_cache_tokens", "stats.n_output_tokens", "stats.cost_usd")


def in_order_of_end(trials: Sequence[Trial]) -> list[Trial]:
    """The trials as they ended. Those that don't say when keep their order, at the end."""
    return sorted(trials, key=lambda trial: moment(trial.finished_at))


def as_of(recorded: Mapping[str, Any], job: Job) -> Job:
    """An unfinished job as it was when its record was written. Trials that ended later are no difference."""
    spoken_of = _names_in(recorded)
    gone = list(_retried(recorded, spoken_of - {trial.name for trial in job.trials}, job.metrics.by_dataset))
    named = {trial.name for trial in job.trials if trial.name in spoken_of}
    # A record doesn't name a trial that has neither a reward nor an error. It only counts it.
    silent = [trial for trial in job.trials if trial.rewards is None and trial.exception_type is None]
    n_silent = _completed(recorded) - len(named) - len(gone)
    if not 0 <= n_silent <= len(silent):
        return job
    named |= {trial.name for trial in in_order_of_end(silent)[:n_silent]}
    behind = [trial for trial in job.trials if trial.name not in named]
    later = [Problem(trial.name, "harbor_trial_result_missing", "ended later") for trial in behind]
    notes = [f"{counted(len(behind), 'trial')} ended after the record was written"] if behind else []
    if gone:
        notes.append(
            f"the record counts {counted(len(gone), 'attempt')} to be retried, of which the folder is gone"
        )
    return replace(
        job,
        trials=[*(trial for trial in job.trials if trial.name in named), *gone],
        problems=[*_without(job.problems, len(gone)), *later],
        notes=[*job.notes, *notes],
    )


def has_gone(job: Job, known: Job) -> bool:
    """Whether the record counts attempts of which nothing else is known."""
    return not {trial.name for trial in known.trials} <= {trial.name for trial in job.trials}


def without_leftovers(recorded: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record without the empty lists that retries leave behind."""
    stats = recorded["stats"]
    if not whole_number(stats, "n_retries"):
        return recorded
    evals = {key: _without_empty_lists(group) for key, group in groups_of(recorded)}
    kept = {key: group for key, group in evals.items() if any(group.values())}
    return {**recorded, "stats": {**stats, "evals": kept}}


def _without_empty_lists(group: Mapping[str, Any]) -> dict[str, Any]:
    cleaned = dict(group)
    rewards, exceptions = group.get("reward_stats"), group.get("exception_stats")
    if isinstance(rewards, dict):
        buckets = {key: _filled(value) for key, value in rewards.items()}
        cleaned["reward_stats"] = {key: value for key, value in buckets.items() if value}
    if isinstance(exceptions, dict):
        cleaned["exception_stats"] = _filled(exceptions)
    return cleaned


def _filled(lists: Any) -> Any:
    return {key: names for key, names in lists.items() if names != []} if isinstance(lists, dict) else lists


def _completed(recorded: Mapping[str, Any]) -> int:
    stats = recorded["stats"]
    return whole_number(stats, "n_completed_trials" if "n_completed_trials" in stats else "n_trials")


def _names_in(recorded: Mapping[str, Any]) -> set[str]:
    """The trials that a record names."""
    return {
        name
        for _, group in groups_of(recorded)
        for field in ("reward_stats", "exception_stats")
        for name in _texts(group.get(field))
    }


def _texts(value: Any) -> Iterator[str]:
    """All strings in lists, however deeply nested in objects."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))


def _retried(recorded: Mapping[str, Any], names: set[str], datasets: Collection[str]) -> Iterator[Trial]:
    """Attempts that only the record knows. Each has an error, because nothing else is retried."""
    for key, group in groups_of(recorded):
        exceptions = group.get("exception_stats")
        for kind, failed in exceptions.items() if isinstance(exceptions, dict) else ():
            for name in _texts(failed):
                if name in names:
                    rewards = dict(_rewards_of(group, name)) or None
                    agent, dataset = _parts(key, datasets)
                    yield Trial(
                        name,
                        name.rpartition("__")[0],
                        agent,
                        dataset=dataset,
                        rewards=rewards,
                        exception_type=kind,
                    )


def _parts(key: str, datasets: Collection[str]) -> tuple[str, str]:
    """Agent and dataset of a group. A dataset's name may contain the two underscores that stand between them."""
    parts = key.split("__")
    splits = [("__".join(parts[:i]), "__".join(parts[i:])) for i in range(1, len(parts))]
    return next((split for split in splits if split[1] in datasets), (splits or [(key, "")])[-1])


def _rewards_of(group: Mapping[str, Any], name: str) -> Iterator[tuple[str, float]]:
    rewards = group.get("reward_stats")
    for key, buckets in rewards.items() if isinstance(rewards, dict) else ():
        for value, names in buckets.items() if isinstance(buckets, dict) else ():
            if name in _texts(names):
                number = as_number(value)
                if number is not None:
                    yield key, number


def as_number(text: str) -> float | None:
    """The number that names a bucket of rewards; None if it isn't one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _without(problems: Sequence[Problem], count: int) -> list[Problem]:
    """The problems without some of those that have no result: their trials are known otherwise."""
    kept: list[Problem] = []
    for problem in problems:
        if problem.missing and count:
            count -= 1
        else:
            kept.append(problem)
    return kept
