"""What an audit finds: the rewards that trials record, compared with the files that their verifiers wrote."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from assay.dialects.harbor.errors import RewardError, RewardFileNotFoundError
from assay.dialects.harbor.reasons import is_invalid_reward
from assay.dialects.harbor.rewards import Profile, Rewards, Step, Strategy, trial_rewards
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import read_rewards_of
from assay.engine.ports import JobFolder

# Errors that only the reward files can cause.
_REWARD_ERRORS = frozenset({"RewardFileNotFoundError", "RewardFileEmptyError", "VerifierOutputParseError"})


class Standing(Enum):
    """How a recorded field compares with the value that follows from the trials."""

    SAME = "same"
    SAME_BUT_FOR_ORDER = "same but for the order of trials"
    DIFFERS = "differs"
    TAKEN = "taken as recorded"


@dataclass(frozen=True, slots=True)
class Finding:
    """One field of a job's result, or one trial's rewards: the recorded value and the derived one."""

    field: str
    standing: Standing
    recorded: object = None
    derived: object = None


def audit_rewards(folder: JobFolder, trials: Iterable[Trial], profile: Profile) -> list[Finding]:
    """One finding for each trial that differs from its files, and one for all the others."""
    agreed = unchecked = 0
    different: list[Finding] = []
    for trial in trials:
        finding = _audit(folder, trial, profile)
        if finding is None:
            unchecked += 1
        elif finding.standing is Standing.DIFFERS:
            different.append(finding)
        else:
            agreed += 1
    kept = f"{agreed} agree with their reward files, {unchecked} have no reward files"
    return [Finding("trials", Standing.SAME, kept, kept), *different]


def _audit(folder: JobFolder, trial: Trial, profile: Profile) -> Finding | None:
    """The finding on one trial; None if there is nothing to compare."""
    recorded: object = dict(trial.rewards) if trial.rewards is not None else trial.exception_type
    if trial.rewards is None and not _is_reward_error(trial):
        return None
    found = _from_files(folder, trial, profile)
    if isinstance(found, RewardFileNotFoundError) and trial.rewards is not None:
        return None
    derived: object = found.exception_type if isinstance(found, RewardError) else found
    agrees = _same(trial.rewards, found) if not isinstance(found, RewardError) else derived == recorded
    return Finding(f"trial {trial.name}", Standing.SAME if agrees else Standing.DIFFERS, recorded, derived)


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
