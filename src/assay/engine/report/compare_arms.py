"""The sides of a comparison: one agent of one job each, with its rewards by task, its costs and its provenance.

Two sides were measured with the same thing if their trials and gradings recorded the same hashes.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from sys import intern

from assay.core.errors import InputError
from assay.core.total import total
from assay.dialects.harbor.trial import UsageSum
from assay.engine.jobs.job_runs import REWARD, JobQuestion, ReadJob, chosen_key, runs_of
from assay.engine.report.intervals import TaskRewards
from assay.engine.report.run_groups import RunGroup, gather
from assay.evidence.run import State
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
    found = [(one, name, group) for one in jobs for name, group in _groups(one, question, successes).items()]
    names = list(dict.fromkeys(name for _, name, _ in found))
    unknown = [name for name in only if name not in names]
    if unknown:
        raise InputError(f"no job has the group {unknown[0]}; there are {', '.join(names)}")
    chosen = [(one, name, group) for one, name, group in found if not only or name in only]
    labels = _labels([(one, name) for one, name, _ in chosen])
    arms, left_out = [], []
    for label, (one, _, group) in zip(labels, chosen, strict=True):
        if group.tasks.passed and _has_key(group, question):
            arms.append(_arm(label, one, group, question))
        else:
            left_out.append(f"{label} is left out: {_without_score(group, question)}")
    return Arms(arms, left_out)


def _arm(label: str, one: ReadJob, group: RunGroup, question: JobQuestion) -> Arm:
    chosen = chosen_key(group.keys, question)
    costs, provenance = _measures(one, group.key, question)
    return Arm(
        label,
        one.path,
        group.key,
        REWARD if chosen is None else chosen,
        group.tasks.rewards,
        group.states,
        costs,
        provenance,
    )


def _groups(one: ReadJob, question: JobQuestion, successes: bool) -> dict[str, RunGroup]:
    """The runs of each group. Those that have no result are in none."""
    runs = runs_of(one.job, one.histories, question) if one.runs is None else one.runs
    groups = gather(runs, successes=successes).groups
    return {name: group for name, group in groups.items() if name}


def _has_key(group: RunGroup, question: JobQuestion) -> bool:
    return question.key is None or question.key in group.keys


def _without_score(group: RunGroup, question: JobQuestion) -> str:
    if group.keys and not _has_key(group, question):
        return f"no run has the reward {question.key}; there are {', '.join(group.keys)}"
    if len(group.keys) > 1 and question.key is None:
        return f"its rewards are {', '.join(group.keys)}; choose one with --key"
    states = ", ".join(f"{count} {state.value}" for state, count in group.states.items() if count)
    return f"no run has a score ({states})"


def _labels(found: Sequence[tuple[ReadJob, str]]) -> list[str]:
    """The shortest names that tell the arms apart: of the jobs, of the groups, both, or the paths."""
    ways = [
        [one.job.name for one, _ in found],
        [key for _, key in found],
        [f"{one.job.name}/{key}" for one, key in found],
    ]
    return next((way for way in ways if len(set(way)) == len(way)), [f"{one.path}/{key}" for one, key in found])


def _measures(one: ReadJob, group: str, question: JobQuestion) -> tuple[Costs, ArmProvenance]:
    """The costs of a group's trials, and what they were measured with."""
    used, seconds, priced, counted = UsageSum(), array("d"), 0, 0
    versions, verifiers = _SetsByTask(), _SetsByTask()
    engines: set[str] = set()
    datasets: set[str] = set()
    histories = {history.trial: history for history in one.histories}
    for trial in one.job.trials:
        if trial.evals_key != group:
            continue
        datasets.add(trial.dataset)
        if trial.seconds is not None and trial.seconds.total is not None:
            seconds.append(trial.seconds.total)
        if trial.usage is not None:
            used.add(trial.usage)
            priced += trial.usage.cost_usd is not None
            counted += trial.usage.n_input_tokens is not None or trial.usage.n_output_tokens is not None
        if trial.task_checksum is not None:
            versions.add(trial.task, trial.task_checksum)
        history = histories.get(trial.name)
        for grading in () if history is None else history.used(question.grading):
            engines.add(f"{grading.provenance.engine} ({grading.provenance.profile})")
            verifiers.add(trial.task, grading.provenance.hashes.tests)
    sum_ = used.total()
    tokens = (sum_.n_input_tokens or 0) + (sum_.n_output_tokens or 0)
    return Costs(
        None if sum_.cost_usd is None else sum_.cost_usd / priced,
        tokens / counted if counted else None,
        total(seconds) / len(seconds) if seconds else None,
    ), ArmProvenance(
        frozenset(datasets),
        versions.found,
        verifiers.found,
        frozenset(engines),
        frozenset({one.job.version.profile.value}),
    )


class _SetsByTask:
    """A set of texts for each task. Equal sets are kept once."""

    def __init__(self) -> None:
        self.found: dict[str, frozenset[str]] = {}
        self._share = dict[frozenset[str], frozenset[str]]().setdefault

    def add(self, task: str, text: str) -> None:
        known = self.found.get(task, frozenset())
        if text not in known:
            more = known | {text}
            self.found[intern(task)] = self._share(more, more)


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
