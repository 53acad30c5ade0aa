"""The runs of a job, gathered in one pass: what they came to, their groups, and the reasons that they have."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern

from assay.dialects.harbor.trial import evals_key
from assay.engine.report.intervals import TaskScores
from assay.evidence.run import Run, State


@dataclass(slots=True)
class GateCounts:
    """The three gates of coding runs: how many runs each says what of, and the runs that they disagree on."""

    runs: int = 0
    checks: dict[str, int] = field(default_factory=dict)
    judge: dict[str, int] = field(default_factory=dict)
    run: dict[str, int] = field(default_factory=dict)
    disagree: list[str] = field(default_factory=list)

    def add(self, run: Run) -> None:
        self.runs += 1
        for counts, said in ((self.checks, run.checks), (self.judge, run.judge), (self.run, run.run_status)):
            counts[said or "none"] = counts.get(said or "none", 0) + 1
        if run.gates_disagree:
            self.disagree.append(run.name)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Runs in the same state for the same reason."""

    reason: str
    what: str
    trials: list[str]
    state: State
    cause: str | None = None


def _all_states(counts: Mapping[State, int]) -> dict[State, int]:
    return {state: counts.get(state, 0) for state in State}


def group_of(run: Run) -> str:
    """The group that a run counts in, by harbor's name; "" if it has no result that says so."""
    known = run.agent or run.dataset or run.kind != "trial"
    return evals_key(run.agent or run.kind, run.model, run.dataset or "adhoc") if known else ""


class RunGroup:
    """One group of runs. It keeps numbers of them; each pass over it goes through all the runs again.

    ``gates`` are None unless there are coding runs, or trials that were judged. ``keys`` are those of the rewards.
    """

    def __init__(self, key: str, runs: Sequence[Run], *, successes: bool = False) -> None:
        self.key = key
        self.tasks = TaskScores()
        self.names: set[str] = set()
        self.keys: dict[str, None] = {}
        self.gates: GateCounts | None = None
        self._counts: Counter[State] = Counter()
        self._runs, self._successes = runs, successes

    @property
    def states(self) -> dict[State, int]:
        return _all_states(self._counts)

    def add(self, run: Run) -> None:
        self._counts[run.state] += 1
        if run.task not in self.names:
            self.names.add(intern(run.task))
        for key in run.rewards or ():
            self.keys[key] = None
        passed = float(run.state is State.PASSED)
        self.tasks.add(run, passed if self._successes and run.score is not None else run.score)
        if run.kind == "coding" or run.judge is not None:
            self.gates = self.gates or GateCounts()
            self.gates.add(run)

    def __iter__(self) -> Iterator[Run]:
        return (run for run in self._runs if group_of(run) == self.key)


@dataclass(slots=True)
class Gathered:
    """The findings of a pass over runs. ``lost`` of them broke and have no group; ``kept`` were asked for."""

    states: dict[State, int]
    groups: dict[str, RunGroup] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    lost: int = 0
    kept: dict[str, Run] = field(default_factory=dict)


def gather(runs: Sequence[Run], keep: Collection[str] = (), *, successes: bool = False) -> Gathered:
    """Go through the runs once. With ``successes``, a run counts as 1 if it passed and as 0 otherwise."""
    groups: dict[str, RunGroup] = {}
    # Different names may give the same key; the key decides.
    by_parts: dict[tuple[str, str | None, str, str], RunGroup] = {}
    troubles: dict[tuple[str, str, State, str | None], list[str]] = {}
    kept: dict[str, Run] = {}
    for run in runs:
        parts = (run.agent, run.model, run.dataset, run.kind)
        group = by_parts.get(parts)
        if group is None:
            key = group_of(run)
            group = by_parts[parts] = groups.get(key) or groups.setdefault(
                key, RunGroup(key, runs, successes=successes)
            )
        group.add(run)
        if run.reason is not None:
            troubles.setdefault((run.reason, run.detail or "", run.state, run.cause), []).append(run.name)
        if run.name in keep:
            kept[run.name] = run
    states = _all_states(sum((Counter(group.states) for group in groups.values()), Counter()))
    return Gathered(
        states,
        groups,
        [Trouble(reason, what, names, state, cause) for (reason, what, state, cause), names in troubles.items()],
        groups[""].states[State.BROKEN] if "" in groups else 0,
        kept,
    )
