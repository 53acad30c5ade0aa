"""Coding runs over HTTP: seed a task, grade what an agent left, and grade it again.

All three are work on the queue, which may be begun twice: what is written is written once, in one transaction,
and only if nobody else wrote it before. A broken measurement is raised, so that the work is tried again; it never
becomes a result of the agent's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assay.core.errors import InputError
from assay.dialects.scorers.resources import CodingRun, CompletedBy, GradingState, TaskState
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.service.coding_policy import CodingPolicy, check_scenario
from assay.engine.service.coding_runs import CodingGradings, CodingResult, CodingRuns, LeftByAgent
from assay.engine.service.coding_tasks import CodingTasks, SeededTask
from assay.engine.service.errors import ConflictError
from assay.evidence.coding_run import Diff, RunStatus


class CodingGrader(Protocol):
    """Does the grading. Raises ``MeasurementError`` if the measurement breaks."""

    def seed(self, scenario: Scenario, archive: bytes | None) -> SeededTask:
        """Raises ``InputError`` for a scenario that can't be seeded."""

    def grade(self, organisation: str, left: LeftByAgent) -> CodingResult: ...

    def judge(self, organisation: str, left: LeftByAgent, before: Scoring, diff: Diff | None) -> CodingResult:
        """Ask the judge again about a run whose scorers' answers stay."""


@dataclass(frozen=True, slots=True)
class CodingWork:
    """The stores and graders of coding runs, what this machine allows them, and the time."""

    policy: CodingPolicy
    tasks: CodingTasks
    runs: CodingRuns
    gradings: CodingGradings
    grader: CodingGrader
    now: Callable[[], datetime]


def seed_coding_task(coding: CodingWork, organisation: str, identity: str) -> None:
    """Make a task from its version of the scenario. One that can't be made is refused with the reason.

    What the server allowed when it took the scenario need not be what the machine of this worker has to give.
    """
    tasks = coding.tasks
    if tasks.get(organisation, identity).state is not TaskState.SEEDING:
        return
    scenario, archive = tasks.seeded_from(organisation, identity)
    try:
        check_scenario(scenario, coding.policy)
        made = coding.grader.seed(scenario, archive)
    except InputError as error:
        tasks.refuse(organisation, identity, str(error))
        return
    tasks.keep(organisation, identity, made, coding.now())


def complete_coding_run(runs: CodingRuns, organisation: str, identity: str, ending: CompletedBy) -> CodingRun:
    """Close a run for grading. One that was completed before stays as it is. Raises ``ConflictError``."""
    run = runs.get(organisation, identity)
    if run.state is GradingState.OPEN:
        _refuse_without_workspace(runs, organisation, run, ending)
        kept = ending.model_dump(mode="json")
        runs.close(organisation, identity, GradingState.GRADING, runs.host.now(), ending=kept)
        run = runs.get(organisation, identity)
    if run.state is GradingState.CANCELLED:
        raise ConflictError("the coding run can't be completed: it is cancelled")
    return run


def cancel_coding_run(runs: CodingRuns, organisation: str, identity: str) -> CodingRun:
    """Close a run that is not to be graded. Raises ``ConflictError`` for one that was completed."""
    runs.get(organisation, identity)
    runs.close(organisation, identity, GradingState.CANCELLED, runs.host.now())
    run = runs.get(organisation, identity)
    if run.state is not GradingState.CANCELLED:
        raise ConflictError(f"the coding run must be open to be cancelled, but it is {run.state.value}")
    return run


def grade_coding_run(coding: CodingWork, organisation: str, identity: str) -> None:
    """Grade a run that was completed, once. Raises ``MeasurementError``."""
    if coding.runs.get(organisation, identity).state is not GradingState.GRADING:
        return
    graded = coding.grader.grade(organisation, coding.runs.left_by_agent(organisation, identity))
    coding.gradings.keep(organisation, identity, graded, coding.now())


def grade_again(coding: CodingWork, organisation: str, identity: str) -> None:
    """Do what a request asks for, once. Raises ``MeasurementError``."""
    wanted = coding.gradings.request(organisation, identity)
    if wanted.number is not None:
        return
    left = coding.runs.left_by_agent(organisation, wanted.run)
    if wanted.judge_only:
        before, diff = coding.gradings.latest(organisation, wanted.run)
        graded = coding.grader.judge(organisation, left, before, diff)
    else:
        graded = coding.grader.grade(organisation, left)
    coding.gradings.keep(organisation, wanted.run, graded, coding.now(), wanted.id)


def _refuse_without_workspace(runs: CodingRuns, organisation: str, run: CodingRun, ending: CompletedBy) -> None:
    """A run that ended by itself left a workspace, unless its task has no scorers."""
    if run.workspace_sha256 is not None or ending.status != RunStatus.COMPLETED.value:
        return
    if runs.has_scorers(organisation, run):
        raise ConflictError("the workspace must be sent before the coding run is completed")
