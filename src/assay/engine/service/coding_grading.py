"""Coding runs over HTTP: seed a task, grade what an agent left, and grade it again.

All three are work on the queue, which may be begun twice: what is written is written once, in one transaction,
and only if nobody else wrote it before. A broken measurement is raised, so that the work is tried again; it never
becomes a result of the agent's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.resources import CodingRun, CodingTask, CompletedBy, GradingState, TaskState
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.scored_run import AgentEnded, Scoring
from assay.engine.service.coding_policy import CodingPolicy, check_scenario
from assay.engine.service.errors import ConflictError
from assay.evidence.coding_run import Diff, RunStatus


@dataclass(frozen=True, slots=True)
class SeededTask:
    """A task as it is kept: its record, and the archives of the whole and of the workspace that agents get."""

    record: Mapping[str, Any]
    notes: Sequence[str]
    archive: bytes
    workspace: bytes


@dataclass(frozen=True, slots=True)
class LeftByAgent:
    """What is graded: a seeded task, the archive of a workspace, the agent's logs, and how its program ended."""

    task_id: str
    task: bytes
    workspace: bytes | None
    logs: Mapping[str, bytes]
    ending: CompletedBy


@dataclass(frozen=True, slots=True)
class CodingResult:
    """What came out: the scenario that decided, the report, and what was changed."""

    scenario: Scenario
    report: ScorersReport
    diff: Diff | None
    turns: Sequence[AgentEnded]


@dataclass(frozen=True, slots=True)
class GradingRequest:
    """A wish to grade a run again. ``number`` is that of the grading that came of it, once there is one."""

    id: str
    run: str
    judge_only: bool
    number: int | None


class CodingGrader(Protocol):
    """Does the grading. Raises ``MeasurementError`` if the measurement breaks."""

    def seed(self, scenario: Scenario, archive: bytes | None) -> SeededTask:
        """Raises ``InputError`` for a scenario that can't be seeded."""
        ...

    def grade(self, organisation: str, left: LeftByAgent) -> CodingResult: ...

    def judge(self, organisation: str, left: LeftByAgent, before: Scoring, diff: Diff | None) -> CodingResult:
        """Ask the judge again about a run whose scorers' answers stay."""
        ...


class CodingTaskStore(Protocol):
    """Seeded tasks. One that the organisation doesn't have raises ``NotFoundError``."""

    def coding_task(self, organisation: str, identity: str) -> CodingTask: ...

    def seeded_from(self, organisation: str, identity: str) -> tuple[Scenario, bytes | None]:
        """The version of the scenario that a task is made from, and the archive of its workspace."""
        ...

    def keep_task(self, organisation: str, identity: str, made: SeededTask, at: datetime) -> None:
        """Unless the task is ready or refused already."""
        ...

    def refuse_task(self, organisation: str, identity: str, reason: str) -> None:
        """Unless the task is ready or refused already."""
        ...


class CodingStore(Protocol):
    """Runs. One that the organisation doesn't have raises ``NotFoundError``."""

    def coding_run(self, organisation: str, identity: str) -> CodingRun: ...

    def complete(self, organisation: str, identity: str, ending: CompletedBy, at: datetime) -> bool:
        """Close an open run for grading. Returns whether it was open."""
        ...

    def cancel(self, organisation: str, identity: str, at: datetime) -> bool:
        """Close an open run for good. Returns whether it was open."""
        ...

    def has_scorers(self, organisation: str, identity: str) -> bool:
        """Whether the run's task has any."""
        ...

    def left_by_agent(self, organisation: str, identity: str) -> LeftByAgent: ...


class GradingStore(Protocol):
    """The gradings of coding runs, each of which follows the one before it. They are only added."""

    def keep_grading(
        self, organisation: str, run: str, graded: CodingResult, at: datetime, request: str | None = None
    ) -> None:
        """Add a grading with its number, naming the one before it: the first one of a run that is being graded, or
        that of a request which has none yet. Otherwise nothing is written.
        """
        ...

    def request(self, organisation: str, identity: str) -> GradingRequest: ...

    def latest_grading(self, organisation: str, run: str) -> tuple[Scoring, Diff | None]: ...


@dataclass(frozen=True, slots=True)
class Coding:
    """What coding runs are kept and graded with, what this machine allows them, and the time."""

    policy: CodingPolicy
    tasks: CodingTaskStore
    runs: CodingStore
    gradings: GradingStore
    grader: CodingGrader
    now: Callable[[], datetime]


def seed_coding_task(coding: Coding, organisation: str, identity: str) -> None:
    """Make a task from its version of the scenario. One that can't be made is refused with the reason.

    What the server allowed when it took the scenario need not be what the machine of this worker has to give.
    """
    store = coding.tasks
    if store.coding_task(organisation, identity).state is not TaskState.SEEDING:
        return
    scenario, archive = store.seeded_from(organisation, identity)
    try:
        check_scenario(scenario, coding.policy)
        made = coding.grader.seed(scenario, archive)
    except InputError as error:
        store.refuse_task(organisation, identity, str(error))
        return
    store.keep_task(organisation, identity, made, coding.now())


def complete_coding_run(
    store: CodingStore, organisation: str, identity: str, ending: CompletedBy, at: datetime
) -> CodingRun:
    """Close a run for grading. One that was completed before stays as it is. Raises ``ConflictError``."""
    run = store.coding_run(organisation, identity)
    if run.state is GradingState.OPEN:
        _refuse_without_workspace(store, organisation, run, ending)
        store.complete(organisation, identity, ending, at)
        run = store.coding_run(organisation, identity)
    if run.state is GradingState.CANCELLED:
        raise ConflictError("the coding run can't be completed: it is cancelled")
    return run


def cancel_coding_run(store: CodingStore, organisation: str, identity: str, at: datetime) -> CodingRun:
    """Close a run that is not to be graded. Raises ``ConflictError`` for one that was completed."""
    store.coding_run(organisation, identity)
    store.cancel(organisation, identity, at)
    run = store.coding_run(organisation, identity)
    if run.state is not GradingState.CANCELLED:
        raise ConflictError(f"the coding run must be open to be cancelled, but it is {run.state.value}")
    return run


def grade_coding_run(coding: Coding, organisation: str, identity: str) -> None:
    """Grade a run that was completed, once. Raises ``MeasurementError``."""
    if coding.runs.coding_run(organisation, identity).state is not GradingState.GRADING:
        return
    graded = coding.grader.grade(organisation, coding.runs.left_by_agent(organisation, identity))
    coding.gradings.keep_grading(organisation, identity, graded, coding.now())


def grade_again(coding: Coding, organisation: str, identity: str) -> None:
    """Do what a request asks for, once. Raises ``MeasurementError``."""
    wanted = coding.gradings.request(organisation, identity)
    if wanted.number is not None:
        return
    left = coding.runs.left_by_agent(organisation, wanted.run)
    if wanted.judge_only:
        before, diff = coding.gradings.latest_grading(organisation, wanted.run)
        graded = coding.grader.judge(organisation, left, before, diff)
    else:
        graded = coding.grader.grade(organisation, left)
    coding.gradings.keep_grading(organisation, wanted.run, graded, coding.now(), wanted.id)


def _refuse_without_workspace(store: CodingStore, organisation: str, run: CodingRun, ending: CompletedBy) -> None:
    """A run that ended by itself left a workspace, unless its task has no scorers."""
    if run.workspace_sha256 is not None or ending.status != RunStatus.COMPLETED.value:
        return
    if store.has_scorers(organisation, run.id):
        raise ConflictError("the workspace must be sent before the coding run is completed")
