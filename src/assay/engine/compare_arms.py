"""The sides of a comparison: one agent of one job each, with its rewards by task, its costs and its provenance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.core.errors import InputError
from assay.core.total import total
from assay.dialects.harbor.trial import Trial, UsageSum
from assay.engine.history import History, with_latest
from assay.engine.job import Job
from assay.engine.report import Question, chosen_key, groups_of
from assay.engine.task_rewards import TaskRewards, rewards_by_task

if TYPE_CHECKING:
    # Importing pydantic takes longer than comparing jobs that have no gradings.
    from assay.dialects.evaluation.grading import Grading


@dataclass(frozen=True, slots=True)
class Costs:
    """What a trial of an agent cost, on average over the trials for which it is known. None if it is for none."""

    cost_usd: float | None
    tokens: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Provenance:
    """What an agent was graded with: for each task its versions and its verifiers, and the engines and profiles.

    Versions are harbor's checksums of the task, verifiers are hashes of its tests. Empty means not recorded.
    """

    datasets: frozenset[str]
    versions: Mapping[str, frozenset[str]]
    verifiers: Mapping[str, frozenset[str]]
    engines: frozenset[str]
    profiles: frozenset[str]


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison."""

    label: str
    group: str
    key: str
    tasks: Mapping[str, TaskRewards]
    trials: int
    costs: Costs
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class ReadJob:
    """A job with what was added to its trials, under the name by which it was asked for."""

    path: str
    job: Job
    histories: Sequence[History]


def arms_of(jobs: Sequence[ReadJob], question: Question, only: Sequence[str], successes: bool) -> list[Arm]:
    """One arm for each group of each job, or for those whose key is in ``only``.

    With ``successes``, a reward counts as 1 if it reaches the threshold and as 0 otherwise.
    """
    found = [(one, name, trials) for one in jobs for name, trials in _groups(one, question).items()]
    names = list(dict.fromkeys(name for _, name, _ in found))
    unknown = [name for name in only if name not in names]
    if unknown:
        raise InputError(f"no job has the group {unknown[0]}; there are {', '.join(names)}")
    chosen = [(one, name, trials) for one, name, trials in found if not only or name in only]
    labels = _labels([(one, name) for one, name, _ in chosen])
    value = _success(question.threshold) if successes else float
    return [
        Arm(
            label,
            name,
            key := _key(label, trials, question),
            _tasks(trials, key, value),
            len(trials),
            _costs(trials),
            _provenance(one, trials, question),
        )
        for label, (one, name, trials) in zip(labels, chosen, strict=True)
    ]


def _groups(one: ReadJob, question: Question) -> dict[str, list[Trial]]:
    latest = question.grading == "latest"
    return groups_of(with_latest(one.job.trials, one.histories) if latest else one.job.trials)


def _key(label: str, trials: Sequence[Trial], question: Question) -> str:
    keys = dict.fromkeys(key for trial in trials for key in trial.rewards or ())
    chosen = chosen_key(keys, question)
    if chosen is None:
        found = f"its rewards are {', '.join(keys)}" if keys else "it has no reward"
        wanted = "choose one with --key" if question.key is None else f"there is no reward {question.key}"
        raise InputError(f"{label} can't be compared: {found}{f', {wanted}' if keys else ''}")
    return chosen


def _success(threshold: float) -> Callable[[float], float]:
    return lambda reward: float(reward >= threshold)


def _labels(found: Sequence[tuple[ReadJob, str]]) -> list[str]:
    """The shortest names that tell the arms apart: of the jobs, of the groups, both, or the paths."""
    ways = [
        [one.job.name for one, _ in found],
        [key for _, key in found],
        [f"{one.job.name}/{key}" for one, key in found],
    ]
    return next((way for way in ways if len(set(way)) == len(way)), [f"{one.path}/{key}" for one, key in found])


def _tasks(trials: Sequence[Trial], key: str, value: Callable[[float], float]) -> dict[str, TaskRewards]:
    tasks = rewards_by_task(trials, key)
    for task in tasks.values():
        task.rewards = [value(reward) for reward in task.rewards]
    return tasks


def _costs(trials: Sequence[Trial]) -> Costs:
    used = UsageSum()
    lengths = [trial.seconds.total for trial in trials if trial.seconds is not None]
    seconds = [length for length in lengths if length is not None]
    known = [trial.usage for trial in trials if trial.usage is not None]
    for usage in known:
        used.add(usage)
    sum_ = used.total()
    priced = sum(usage.cost_usd is not None for usage in known)
    counted = sum(usage.n_input_tokens is not None or usage.n_output_tokens is not None for usage in known)
    tokens = (sum_.n_input_tokens or 0) + (sum_.n_output_tokens or 0)
    return Costs(
        None if sum_.cost_usd is None else sum_.cost_usd / priced,
        tokens / counted if counted else None,
        total(seconds) / len(seconds) if seconds else None,
    )


def _used(history: History, question: Question) -> "list[Grading]":
    return history.first() if question.grading == "first" else history.latest()


def _provenance(one: ReadJob, trials: Sequence[Trial], question: Question) -> Provenance:
    versions: dict[str, set[str]] = {}
    for trial in trials:
        if trial.task_checksum is not None:
            versions.setdefault(trial.task, set()).add(trial.task_checksum)
    task_of = {trial.name: trial.task for trial in trials}
    verifiers: dict[str, set[str]] = {}
    engines: set[str] = set()
    for history in one.histories:
        for grading in _used(history, question) if history.trial in task_of else ():
            known = grading.provenance
            engines.add(f"{known.engine} ({known.profile})")
            verifiers.setdefault(task_of[history.trial], set()).add(known.hashes.tests)
    return Provenance(
        frozenset(trial.dataset for trial in trials),
        {task: frozenset(found) for task, found in versions.items()},
        {task: frozenset(found) for task, found in verifiers.items()},
        frozenset(engines),
        frozenset({one.job.version.profile.value}),
    )
