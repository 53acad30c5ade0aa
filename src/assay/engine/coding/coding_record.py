"""Put together what a judge reads about a coding run: the task, the agent's record, the diff and the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.dialects.scorers.report import Row, ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.agent_session import session, turns_of
from assay.evidence.baseline import Baseline, KnownBaseline
from assay.evidence.coding_run import AgentRecord, CodingRecord, Diff, MetricRow, RubricNote, ScorerRow


def coding_run(
    scenario: Scenario, report: ScorersReport, records: Sequence[AgentRecord], diff: Diff | None
) -> CodingRecord:
    """The whole of a run. ``records`` has one record for each turn; none if the agent left nothing."""
    agent = session(records)
    requests = scenario.requests
    rows = tuple(_row(row) for row in report.scorers)
    return CodingRecord(
        instruction=requests[0],
        expected_outcome=scenario.expected_outcome,
        status=report.run.status,
        turns=turns_of(requests, records or (AgentRecord(),)),
        trajectory=agent.trajectory,
        final_response=agent.final_response,
        agent_end=agent.end,
        outputs=agent.outputs,
        diff=diff,
        rows=rows,
        objective=next((row for row, told in zip(rows, report.scorers, strict=True) if told.objective), None),
        notes=tuple(RubricNote(one.name, one.required, one.rubric) for one in report.judge.rubric_notes),
        metrics=tuple(MetricRow(**metric.model_dump()) for metric in report.run.metrics),
        remarks=_remarks(agent, diff),
    )


def _row(row: Row) -> ScorerRow:
    return ScorerRow(
        row.name, row.type, row.required, row.verdict.value, row.score, row.detail, row.command, row.output
    )


def _remarks(agent: AgentRecord, diff: Diff | None) -> tuple[str, ...]:
    told = [] if agent.trajectory is None else [f"trajectory: {one}" for one in agent.trajectory.all_remarks()]
    return (*agent.remarks, *told, *(["the diff doesn't show every change"] if diff and diff.cut else ()))


@dataclass(frozen=True, slots=True)
class Seeded:
    """A seeded task. ``notes`` holds what scorers said about their own settings when it was seeded.

    ``home`` is the archive of the home folder that setup left; None if it left none.
    """

    folder: str
    scenario: Scenario
    scenario_sha256: str
    baseline_sha256: str
    baseline: Baseline
    nested: tuple[str, ...]
    workspace_sha256: str
    notes: tuple[str, ...] = ()
    home: str | None = None

    @property
    def known(self) -> KnownBaseline:
        """The baseline together with its hash."""
        return KnownBaseline(self.baseline, self.baseline_sha256, self.nested)
