"""The scorers and judges of seeded tasks, and their results.

Run a seeded task: the agent turn by turn, then its scorers at once, then the record.

::

    run_agent      the agent, in each turn, in the same workspace      engine/run/run_trial.py
    WorkspaceScoring     captures, scores and keeps, where the files are     adapters/jobs/run_scoring.py
    Judges         read the whole run and give their verdict           adapters/models/judge_setup.py
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from assay.core.errors import InputError, MeasurementError
from assay.dialects.harbor.rewards import TrialRewards
from assay.dialects.scorers.report import Judges, ScorersReport, is_judged, with_verdict
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.coding_record import coding_run
from assay.engine.jobs.trial_additions import gate_facts, gates_of
from assay.engine.machine import TrialSite
from assay.engine.run.ports import Agent, Bench, TrialFolder
from assay.engine.run.run_trial import run_agent
from assay.engine.run.run_verifier import DEFAULT_AGENT_TIMEOUT_SEC
from assay.engine.run.trial_record import AGENT_LOG, BROKEN, ORACLE_LOG, Failure, StepRecord, TrialRecord
from assay.engine.sandbox import Ran
from assay.engine.tasks.task import LoadedTask, TaskStep
from assay.evidence.coding_run import AgentEnd, AgentRecord, Diff, RunStatus
from assay.evidence.run import State, decide


@dataclass(frozen=True, slots=True)
class ScoredWorkspace:
    """The scorers' report on a workspace, the scenario that decided, and the changes."""

    scenario: Scenario
    report: ScorersReport
    diff: Diff | None


class WorkspaceScoring(Protocol):
    """Scores runs and keeps the results in their folders."""

    def agent_record(self, trial: str, turn: str | None, end: AgentEnd | None, agent: str) -> AgentRecord:
        """The agent's own record of one turn."""

    def score(self, task: str, workspace: str, agent: Sequence[AgentRecord], status: RunStatus) -> ScoredWorkspace:
        """Score a folder by a seeded task. Raises ``AssayError`` if the task or the measurement is broken."""

    def keep(self, trial: str, task: str, scored: ScoredWorkspace, agent: Sequence[AgentRecord]) -> None:
        """Add the result to the run, as a new record beside earlier ones."""


@dataclass(frozen=True, slots=True)
class SeededGrading:
    """The scorers and judges of seeded tasks."""

    scoring: WorkspaceScoring
    judges: Judges | None = None


def judge_workspace(
    scored: ScoredWorkspace, agent: Sequence[AgentRecord], judges: Judges | None
) -> ScoredWorkspace:
    """The same with the judge's word, if there is a judge. Only a completed run is judged."""
    if judges is None or not is_judged(scored.report.run.status):
        return scored
    run = coding_run(scored.scenario, scored.report, agent, scored.diff)
    verdict = judges.judge(scored.scenario.judge)(run)
    return replace(scored, report=with_verdict(scored.report, verdict))


def rewards_of(report: ScorersReport) -> tuple[TrialRewards | None, str | None]:
    """The reward that follows from what the run came to, or why the measurement broke. Not judged is neither."""
    decision = decide(gate_facts(gates_of(report)))
    if decision.state is State.BROKEN:
        broken = next((row for row in report.scorers if row.hard_failure), None)
        return None, decision.reason if broken is None else f"the scorer {broken.name!r} broke: {broken.detail}"
    return None if decision.score is None else TrialRewards({"reward": decision.score}), None


class KeptWork(Protocol):
    """The folder of a finished run. Each method raises ``InputError`` for what can't be read."""

    @property
    def path(self) -> str:
        """The path of the folder, as the user wrote it."""

    def task_path(self) -> str:
        """The path of the run's task."""

    def status(self) -> RunStatus: ...

    def agent_records(self) -> Sequence[AgentRecord]:
        """The agent's own records, turn by turn."""

    def workspace(self, task: str) -> AbstractContextManager[str | None]:
        """The working folder as the agent left it, for the time of the block; None if it wasn't kept."""


def score_trial(run: KeptWork, task: str | None, coding: SeededGrading) -> ScorersReport:
    """Score a run by its task, or by another one, and add the result to the run."""
    path = task or run.task_path()
    agent = run.agent_records()
    with run.workspace(path) as workspace:
        if workspace is None:
            raise InputError(f"{run.path} can't be scored: its workspace was not kept as a whole")
        scored = coding.scoring.score(path, workspace, agent, run.status())
    scored = judge_workspace(scored, agent, coding.judges)
    coding.scoring.keep(run.path, path, scored, agent)
    return scored.report


@dataclass(frozen=True, slots=True)
class CodingTrials:
    """Fulfils ``SeededTasks``."""

    coding: SeededGrading

    def run(
        self, site: TrialSite, bench: Bench, task: LoadedTask, agent: Agent, folder: TrialFolder
    ) -> TrialRecord:
        return run_coding_trial(site, bench, task, agent, folder, self.coding)


def run_coding_trial(
    site: TrialSite, bench: Bench, task: LoadedTask, agent: Agent, folder: TrialFolder, coding: SeededGrading
) -> TrialRecord:
    """Run all turns of a seeded task, and score what the agent left as soon as it has stopped."""
    started = site.host.now()
    steps: list[StepRecord] = []
    records: list[AgentRecord] = []
    try:
        bench.seed()
        for step in task.steps:
            run = run_agent(site, bench, task, step, agent)
            ran = run.ran
            steps.append(StepRecord(step.name, ran, run.failure, None, model=run.model))
            folder.keep_agent(step.name, bench, [], ran, ORACLE_LOG if agent.oracle else AGENT_LOG)
            folder.tell_trajectory(step.name, agent)
            records.append(coding.scoring.agent_record(folder.path, step.name, _end(ran, step), agent.name))
            run.check_measured()
            if ran is not None and (ran.end.timed_out or ran.end.excess):
                break
        rewards, broken = _score(task, bench, folder, records, coding)
    except MeasurementError as error:
        rewards, broken = None, str(error)
        steps = steps or [StepRecord(task.steps[0].name, None, None, None)]
    failure = steps[-1].failure if broken is None else Failure(BROKEN, broken, site.host.now())
    return TrialRecord(started, site.host.now(), steps, rewards, failure)


def _score(
    task: LoadedTask, bench: Bench, folder: TrialFolder, records: Sequence[AgentRecord], coding: SeededGrading
) -> tuple[TrialRewards | None, str | None]:
    """The rewards of the run, or why the measurement broke."""
    scored = coding.scoring.score(task.path, bench.workdir(), records, RunStatus.COMPLETED)
    scored = judge_workspace(scored, records, coding.judges)
    coding.scoring.keep(folder.path, task.path, scored, records)
    return rewards_of(scored.report)


def _end(ran: Ran | None, step: TaskStep) -> AgentEnd | None:
    if ran is None:
        return None
    seconds = (ran.finished_at - ran.started_at).total_seconds()
    return AgentEnd(ran.end, seconds, step.agent.timeout_sec or DEFAULT_AGENT_TIMEOUT_SEC)
