"""The sides of a comparison: one agent of one job each, with its rewards by task, its costs and its provenance.

Two sides were measured with the same thing if their trials and gradings recorded the same hashes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from assay.core.errors import InputError
from assay.core.total import total
from assay.dialects.harbor.trial import Trial, UsageSum
from assay.engine.jobs.job_runs import REWARD, JobQuestion, ReadJob, chosen_key, runs_of
from assay.engine.report.intervals import TaskRewards, rewards_by_task
from assay.engine.report.report import count_states, group_of, groups_of
from assay.evidence.run import Run, State
from assay.formats.counting import counted


@dataclass(frozen=True, slots=True)
class Costs:
    """A trial's mean cost for an agent, over the trials for which it is known. None if it is for none."""

    cost_usd: float | None
    tokens: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class ArmProvenance:
    """An agent's grading: for each task its versions and its verifiers, and the engines and profiles.

    Versions are harbor's checksums of the task, verifiers are hashes of its tests. Empty means not recorded.
    """

    datasets: frozenset[str]
    versions: Mapping[str, frozenset[str]]
    verifiers: Mapping[str, frozenset[str]]
    engines: frozenset[str]
    profiles: frozenset[str]


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison: a group of the ``job`` that was asked for by this name."""

    label: str
    job: str
    group: str
    key: str
    tasks: Mapping[str, TaskRewards]
    states: Mapping[State, int]
    costs: Costs
    provenance: ArmProvenance

    @property
    def runs(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True, slots=True)
class Arms:
    """The sides that can be compared, and a sentence on each one that can't."""

    arms: Sequence[Arm]
    left_out: Sequence[str] = ()


def arms_of(jobs: Sequence[ReadJob], question: JobQuestion, only: Sequence[str], successes: bool) -> Arms:
    """One arm for each group of each job, or for those whose key is in ``only``. One without a score is left out.

    With ``successes``, a run counts as 1 if it passed and as 0 otherwise.
    """
    found = [(one, name, runs) for one in jobs for name, runs in _groups(one, question).items()]
    names = list(dict.fromkeys(name for _, name, _ in found))
    unknown = [name for name in only if name not in names]
    if unknown:
        raise InputError(f"no job has the group {unknown[0]}; there are {', '.join(names)}")
    chosen = [(one, name, runs) for one, name, runs in found if not only or name in only]
    labels = _labels([(one, name) for one, name, _ in chosen])
    arms, left_out = [], []
    for label, (one, name, runs) in zip(labels, chosen, strict=True):
        if any(run.score is not None for run in runs) and _has_key(runs, question):
            arms.append(_arm(label, name, one, runs, question, successes))
        else:
            left_out.append(f"{label} is left out: {_without_score(runs, question)}")
    return Arms(arms, left_out)


def _arm(label: str, name: str, one: ReadJob, runs: Sequence[Run], question: JobQuestion, successes: bool) -> Arm:
    members = {run.name for run in runs}
    trials = [trial for trial in one.job.trials if trial.name in members]
    chosen = chosen_key(dict.fromkeys(key for run in runs for key in run.rewards or ()), question)
    key = REWARD if chosen is None else chosen
    counted = [_as_success(run) for run in runs] if successes else runs
    return Arm(
        label,
        one.path,
        name,
        key,
        rewards_by_task(counted),
        count_states(runs),
        _costs(trials),
        _provenance(one, trials, question),
    )


def _as_success(run: Run) -> Run:
    return run if run.score is None else msgspec.structs.replace(run, score=float(run.state is State.PASSED))


def _groups(one: ReadJob, question: JobQuestion) -> dict[str, list[Run]]:
    """The runs of each group. Those that have no result are in none."""
    runs = runs_of(one.job, one.histories, question) if one.runs is None else one.runs
    return groups_of(run for run in runs if group_of(run))


def _has_key(runs: Sequence[Run], question: JobQuestion) -> bool:
    return question.key is None or any(question.key in (run.rewards or ()) for run in runs)


def _without_score(runs: Sequence[Run], question: JobQuestion) -> str:
    keys = dict.fromkeys(key for run in runs for key in run.rewards or ())
    if keys and not _has_key(runs, question):
        return f"no run has the reward {question.key}; there are {', '.join(keys)}"
    if len(keys) > 1 and question.key is None:
        return f"its rewards are {', '.join(keys)}; choose one with --key"
    states = ", ".join(f"{count} {state.value}" for state, count in count_states(runs).items() if count)
    return f"no run has a score ({states})"


def _labels(found: Sequence[tuple[ReadJob, str]]) -> list[str]:
    """The shortest names that tell the arms apart: of the jobs, of the groups, both, or the paths."""
    ways = [
        [one.job.name for one, _ in found],
        [key for _, key in found],
        [f"{one.job.name}/{key}" for one, key in found],
    ]
    return next((way for way in ways if len(set(way)) == len(way)), [f"{one.path}/{key}" for one, key in found])


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


def _provenance(one: ReadJob, trials: Sequence[Trial], question: JobQuestion) -> ArmProvenance:
    versions: dict[str, set[str]] = {}
    for trial in trials:
        if trial.task_checksum is not None:
            versions.setdefault(trial.task, set()).add(trial.task_checksum)
    task_of = {trial.name: trial.task for trial in trials}
    verifiers: dict[str, set[str]] = {}
    engines: set[str] = set()
    for history in one.histories:
        for grading in history.used(question.grading) if history.trial in task_of else ():
            known = grading.provenance
            engines.add(f"{known.engine} ({known.profile})")
            verifiers.setdefault(task_of[history.trial], set()).add(known.hashes.tests)
    return ArmProvenance(
        frozenset(trial.dataset for trial in trials),
        {task: frozenset(found) for task, found in versions.items()},
        {task: frozenset(found) for task, found in verifiers.items()},
        frozenset(engines),
        frozenset({one.job.version.profile.value}),
    )


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Something that two agents were measured with differs, or isn't known. Only a difference refuses."""

    what: str
    refuses: bool


def mismatches(first: Arm, second: Arm, common: Sequence[str]) -> list[Mismatch]:
    """All that differs between the provenance of two agents, on the tasks that both have."""
    return [*_differences(first, second, common), *_unknown(first, second, common)]


def _differences(first: Arm, second: Arm, common: Sequence[str]) -> Iterator[Mismatch]:
    one, other = first.provenance, second.provenance
    for noun, left, right in (
        ("version", one.versions, other.versions),
        ("verifier", one.verifiers, other.verifiers),
    ):
        differing = [task for task in common if _differ(left.get(task), right.get(task))]
        if differing:
            tasks = f"{counted(len(differing), 'task')} such as {differing[0]}"
            yield Mismatch(f"the {noun} differs for {tasks}", refuses=True)
    for noun, known, found in (("engine", one.engines, other.engines), ("profile", one.profiles, other.profiles)):
        if known and found and known != found:
            said = f"{_join_names(known)} and {_join_names(found)}"
            yield Mismatch(f"they were graded under different {noun}s: {said}", refuses=True)
    if first.key != second.key:
        yield Mismatch(f"their rewards are {first.key} and {second.key}", refuses=True)
    if one.datasets != other.datasets:
        said = f"{_join_names(one.datasets)} and {_join_names(other.datasets)}"
        yield Mismatch(f"tasks are paired by name, but their datasets are {said}", refuses=False)


def _differ(left: frozenset[str] | None, right: frozenset[str] | None) -> bool:
    """Whether both are known and differ. Several versions of one task differ from themselves."""
    if left is None or right is None:
        return False
    return left != right or len(left) > 1


def _unknown(first: Arm, second: Arm, common: Sequence[str]) -> Iterator[Mismatch]:
    unknown = sum(
        not _in_both(task, first.provenance.versions, second.provenance.versions)
        and not _in_both(task, first.provenance.verifiers, second.provenance.verifiers)
        for task in common
    )
    if unknown:
        tasks = "any task" if unknown == len(common) else counted(unknown, "task")
        yield Mismatch(f"it isn't recorded whether the version of {tasks} is the same", refuses=False)


def _in_both(task: str, left: Mapping[str, frozenset[str]], right: Mapping[str, frozenset[str]]) -> bool:
    return task in left and task in right


def _join_names(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
