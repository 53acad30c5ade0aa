"""Run a seeded task: the agent turn by turn, then its scorers at once, then the record.

::

    run_agent      the agent, in each turn, in the same workspace      engine/run_trial.py
    WorkspaceScoring     captures, scores and keeps, where the files are     adapters/run_scoring.py
    Judges         read the whole run and give their verdict           adapters/judge_setup.py
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.errors import MeasurementError
from assay.dialects.harbor.multi_step import TrialRewards
from assay.engine.coding_scoring import Coding, judged, rewards_of
from assay.engine.job_plan import Agent
from assay.engine.job_ports import Bench, TrialFolder
from assay.engine.log_names import AGENT_LOG, ORACLE_LOG
from assay.engine.run_trial import run_agent
from assay.engine.sandbox import Ran
from assay.engine.site import Site
from assay.engine.task import Step, Task
from assay.engine.task_commands import DEFAULT_AGENT_TIMEOUT_SEC
from assay.engine.trial_record import BROKEN, Failure, StepRecord, TrialRecord
from assay.evidence.coding_run import AgentEnd, AgentRecord, RunStatus


@dataclass(frozen=True, slots=True)
class CodingTrials:
    """Fulfils ``SeededTasks``."""

    coding: Coding

    def run(self, site: Site, bench: Bench, task: Task, agent: Agent, folder: TrialFolder) -> TrialRecord:
        return run_coding_trial(site, bench, task, agent, folder, self.coding)


def run_coding_trial(
    site: Site, bench: Bench, task: Task, agent: Agent, folder: TrialFolder, coding: Coding
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
            run.check_model()
            if ran is not None and (ran.end.timed_out or ran.end.excess):
                break
        rewards, broken = _score(task, bench, folder, records, coding)
    except MeasurementError as error:
        rewards, broken = None, str(error)
        steps = steps or [StepRecord(task.steps[0].name, None, None, None)]
    failure = steps[-1].failure if broken is None else Failure(BROKEN, broken, site.host.now())
    return TrialRecord(started, site.host.now(), steps, rewards, failure)


def _score(
    task: Task, bench: Bench, folder: TrialFolder, records: Sequence[AgentRecord], coding: Coding
) -> tuple[TrialRewards | None, str | None]:
    """The rewards of the run, or why the measurement broke."""
    scored = coding.scoring.score(task.path, bench.workdir(), records, RunStatus.COMPLETED)
    scored = judged(scored, records, coding.judges)
    coding.scoring.keep(folder.path, task.path, scored, records)
    return rewards_of(scored.report)


def _end(ran: Ran | None, step: Step) -> AgentEnd | None:
    if ran is None:
        return None
    seconds = (ran.finished_at - ran.started_at).total_seconds()
    return AgentEnd(ran.end, seconds, step.agent.timeout_sec or DEFAULT_AGENT_TIMEOUT_SEC)
