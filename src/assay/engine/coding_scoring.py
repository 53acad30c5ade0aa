"""What the runs of seeded tasks are graded with, and what comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from assay.dialects.harbor.multi_step import TrialRewards
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding_record import coding_run
from assay.engine.gates import gate_facts, gates_of
from assay.engine.judge_verdict import Judges, is_judged, with_verdict
from assay.evidence.coding_run import AgentEnd, AgentRecord, Diff, RunStatus
from assay.evidence.run import State, decide


@dataclass(frozen=True, slots=True)
class ScoredWorkspace:
    """What the scorers said about a workspace, the scenario that decided, and what was changed."""

    scenario: Scenario
    report: ScorersReport
    diff: Diff | None


class WorkspaceScoring(Protocol):
    """Scores runs and keeps the results in their folders."""

    def agent_record(self, trial: str, turn: str | None, end: AgentEnd | None, agent: str) -> AgentRecord:
        """What the agent left about itself in one turn."""
        ...

    def score(self, task: str, workspace: str, agent: Sequence[AgentRecord], status: RunStatus) -> ScoredWorkspace:
        """Score a folder by a seeded task. Raises ``AssayError`` if the task or the measurement is broken."""
        ...

    def keep(self, trial: str, task: str, scored: ScoredWorkspace, agent: Sequence[AgentRecord]) -> None:
        """Add the result to the run, as a new record beside earlier ones."""
        ...


@dataclass(frozen=True, slots=True)
class Coding:
    """What the runs of seeded tasks are graded with."""

    scoring: WorkspaceScoring
    judges: Judges | None = None


def judged(scored: ScoredWorkspace, agent: Sequence[AgentRecord], judges: Judges | None) -> ScoredWorkspace:
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
