"""Read what was added after a trial's result, for reports: gradings, verdicts of reviewers and a judge, gates, and
later jobs that grade the trial's output again.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from assay.evidence.run import Cause, Facts, Gates, State

if TYPE_CHECKING:
    from assay.dialects.scorers.report import ScorersReport
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.dialects.harbor.rewards import Rewards, Step, Strategy, trial_rewards
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.spool import Lazy
from assay.engine.ports import JobFolder

if TYPE_CHECKING:
    # Importing pydantic takes longer than reporting on a job that has no such records.
    from assay.dialects.evaluation.models import AddedTag, Annotation, Grading
    from assay.dialects.scorers.report import ScorersReport


from assay.dialects.harbor.trial import GradedSource
from assay.dialects.harbor.trial_file import TrialDecoder, TrialFileError
from assay.evidence.files import Content, Refused

_NOTE_FOR_THE_JUDGE: Final = "llm_judge"


class GateRow(msgspec.Struct, frozen=True):
    """A scorer's row, as far as a gate needs it."""

    name: str
    type: str
    required: bool
    verdict: str

    @property
    def hard_failure(self) -> bool:
        return self.required and self.type != _NOTE_FOR_THE_JUDGE and self.verdict in ("FAIL", "ERROR")


def gates_of_rows(rows: Iterable[GateRow], **gates: Any) -> Gates:
    """The gates, with the required scorers that failed. If they all only broke, nothing was measured."""
    failed = [row for row in rows if row.hard_failure]
    broken = bool(failed) and all(row.verdict == "ERROR" for row in failed)
    return Gates(**gates, failed=tuple(row.name for row in failed), broken=broken)


def gates_of(report: "ScorersReport") -> Gates:
    """The gates of a report."""
    verdict = report.judge.verdict
    return gates_of_rows(
        [GateRow(row.name, row.type, row.required, row.verdict.value) for row in report.scorers],
        checks=None if report.overall is None else report.overall.verdict.value,
        judge=report.judge.state.value,
        run_status=report.run.status.value,
        run_metrics_passed=report.run.passed,
        failure_mode=None if verdict is None else verdict.opinion.failure_mode,
        suspicion=None if verdict is None else verdict.suspicion,
    )


def gate_facts(gates: Gates) -> Facts:
    """The facts about a coding run. One that failed before its agent was done says nothing about the agent."""
    if gates.run_status in (State.CANCELLED, State.PENDING, State.RUNNING):
        return Facts(ended=State(gates.run_status))
    if gates.run_status == "failed":
        return Facts(unusable=True, reason="run_failed", cause=Cause.MACHINE)
    if gates.broken:
        return Facts(unusable=True, reason=f"scorer broke: {', '.join(gates.failed)}", cause=Cause.MACHINE)
    return Facts(gates=gates)


AGENT_ERRORS = ("AgentTimeoutError", "NonZeroAgentExitCodeError")


@dataclass(frozen=True, slots=True)
class History:
    """The gradings of one trial, the verdicts on it and the tags that were added, the oldest first.

    ``gates`` are those of its newest scoring, with what a judge said last; None if nobody scored or judged it.
    """

    trial: str
    gradings: "list[Grading]"
    annotations: "list[Annotation]"
    tags: "list[AddedTag]" = field(default_factory=list)
    gates: Gates | None = None

    def latest(self) -> "list[Grading]":
        """The newest grading of each step, in the order of the steps."""
        return list({one.step: one for one in self._of_steps()}.values())

    def first(self) -> "list[Grading]":
        """The first grading of each step."""
        oldest: dict[str | None, Grading] = {}
        for grading in self._of_steps():
            oldest.setdefault(grading.step, grading)
        return list(oldest.values())

    def used(self, which: str) -> "list[Grading]":
        """The first gradings, or else the latest ones."""
        return self.first() if which == "first" else self.latest()

    def graded_again(self) -> bool:
        """Whether a step, or the run itself if it has no steps, was graded more than once."""
        return len(self._of_steps()) > len(self.first())

    def whole(self, used: str) -> "Grading | None":
        """The first or the latest grading of the whole trial; None if there are only those of its steps."""
        shown = self.used(used)
        if shown and shown[0].step is None:
            return shown[0]
        numbers = [one.number for one in shown]
        return next((one for one in self.gradings if one.steps == numbers), None)

    def _of_steps(self) -> "list[Grading]":
        return [one for one in self.gradings if one.steps is None]


def read_histories(folder: JobFolder, trials: Iterable[Trial]) -> list[History]:
    """The histories of the trials that have one. Raises ``InputError`` for a record that can't be read."""
    return list(_read(folder, trials)) if folder.has_records() else []


def with_latest(trials: Sequence[Trial], histories: Iterable[History]) -> Sequence[Trial]:
    """The trials with the rewards of their newest gradings instead of those of the run."""
    by_name = {history.trial: history for history in histories}

    def latest() -> Iterator[Trial]:
        return (_with_latest_rewards(trial, by_name.get(trial.name)) for trial in trials)

    return list(latest()) if isinstance(trials, list) else Lazy(latest, len(trials))


def _read(folder: JobFolder, trials: Iterable[Trial]) -> Iterator[History]:
    for trial in trials:
        gradings, annotations = folder.gradings(trial.name), folder.annotations(trial.name)
        tags, gates = folder.added_tags(trial.name), folder.gates(trial.name)
        if gradings or annotations or tags or gates is not None:
            yield History(trial.name, gradings, annotations, tags, gates)


def _with_latest_rewards(trial: Trial, history: History | None) -> Trial:
    if history is None or not history.graded_again():
        return trial
    latest = history.latest()
    if trial.steps:
        rewards = rewards_of_steps(latest, strategy_of(trial, history.first()))
        return msgspec.structs.replace(trial, rewards=rewards, verified=rewards is not None)
    newest = latest[-1]
    # An exception of the agent stays; one of the verifier is replaced by that of the new grading.
    kept = trial.exception_type if trial.exception_type in AGENT_ERRORS else None
    return msgspec.structs.replace(
        trial,
        rewards=_known_rewards(newest.rewards),
        lost=tuple(key for key, value in (newest.rewards or {}).items() if value is None),
        verified=newest.rewards is not None,
        exception_type=newest.exception_type or kept,
        exception_message="",
    )


def strategy_of(trial: Trial, first: "list[Grading]") -> Strategy:
    """The strategy of the task: the one that leads to the recorded rewards."""
    return next((one for one in Strategy if rewards_of_steps(first, one) == trial.rewards), Strategy.MEAN)


def rewards_of_steps(gradings: "Sequence[Grading]", strategy: Strategy | None) -> Rewards | None:
    """Harbor's rewards of a trial, from the gradings of its steps. Null rewards without an error are a result."""
    steps = [
        Step(verified=one.rewards is not None or one.exception_type is None, rewards=_known_rewards(one.rewards))
        for one in gradings
    ]
    result = trial_rewards(steps, strategy)
    return result.rewards if result is not None else None


def _known_rewards(rewards: dict[str, float | int | None] | None) -> Rewards | None:
    return None if rewards is None else {key: value for key, value in rewards.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Regrade:
    """A trial and its source: the rewards before and after. ``problem`` says why the source isn't shown."""

    trial: str
    source: str | None
    old: Rewards | None
    new: Rewards | None
    old_failure: str | None = None
    new_failure: str | None = None
    problem: str | None = None

    @property
    def changed(self) -> bool:
        return self.problem is None and (self.old, self.old_failure) != (self.new, self.new_failure)


class _Identity(msgspec.Struct):
    id: str | None = None


def read_regrades(folder: JobFolder, trials: Iterable[Trial]) -> list[Regrade]:
    """The trials that grade another one again."""
    return [_regrade(folder, trial, trial.source) for trial in trials if trial.source is not None]


def _regrade(folder: JobFolder, trial: Trial, source: GradedSource) -> Regrade:
    name = None if source.path is None else source.path.rstrip("/").rpartition("/")[2]
    found = _source(folder, source)
    if isinstance(found, str):
        return Regrade(trial.name, name, None, trial.rewards, new_failure=trial.exception_type, problem=found)
    return Regrade(
        trial.name, found.name, found.rewards, trial.rewards, found.exception_type, trial.exception_type
    )


def _source(folder: JobFolder, source: GradedSource) -> Trial | str:
    """The source, or the reason why it can't be shown."""
    if source.path is None:
        return "the source is on a hub"
    file = folder.source_result(source.path)
    if not isinstance(file, Content):
        return f"the source is {file.why.value}" if isinstance(file, Refused) else "the source is gone"
    try:
        trial = TrialDecoder().decode(file.data)
        identity = msgspec.json.decode(file.data, type=_Identity).id
    except (TrialFileError, msgspec.MsgspecError) as error:
        return f"the source can't be read: {error}"
    if source.trial_id is not None and identity is not None and identity != source.trial_id:
        return "another trial is in the source's place"
    return trial
