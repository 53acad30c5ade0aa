"""Put together what a judge reads about a coding run: the task, the agent's record, the diff and the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.dialects.scorers.report import Row, ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.evidence.coding_run import (
    AgentEnd,
    AgentRecord,
    AuthorNote,
    CodingRecord,
    Diff,
    MetricRow,
    ProcessEnd,
    ScorerRow,
    SessionTurn,
    Speaker,
    Trajectory,
    add_usage,
)
from assay.evidence.workspace import Baseline, KnownBaseline


def turns_of(requests: Sequence[str], records: Sequence[AgentRecord]) -> tuple[SessionTurn, ...]:
    """A turn for each request. A run with a single request may have more turns in its own trajectory."""
    if len(requests) == 1 and len(records) == 1:
        return tuple(_told_turns(requests[0], records[0]))
    answers = [record.final_response for record in records]
    answers += [None] * (len(requests) - len(answers))
    pairs = zip(requests, answers, strict=False)
    return tuple(SessionTurn(number, request, answer) for number, (request, answer) in enumerate(pairs, start=1))


def session(records: Sequence[AgentRecord]) -> AgentRecord:
    """The records of all turns as one. The last one says how the session ended."""
    if not records:
        return AgentRecord()
    trajectory: Trajectory | None = None
    for record in records:
        trajectory = _continued(trajectory, record.trajectory)
    return AgentRecord(
        trajectory=trajectory,
        final_response=records[-1].final_response,
        outputs=records[-1].outputs,
        end=_whole_end([record.end for record in records if record.end is not None]),
        remarks=tuple(dict.fromkeys(remark for record in records for remark in record.remarks)),
    )


def _told_turns(request: str, record: AgentRecord) -> Iterator[SessionTurn]:
    """The turns in a trajectory: each begins where the user speaks after the agent did."""
    asked, answer, number = request, None, 0
    for step in record.trajectory.steps if record.trajectory is not None else ():
        if step.speaker is Speaker.USER and answer is not None:
            number += 1
            yield SessionTurn(number, asked, answer)
            asked, answer = step.text, None
        elif step.speaker is Speaker.AGENT and step.text.strip():
            answer = step.text
    yield SessionTurn(number + 1, asked, record.final_response if record.final_response is not None else answer)


def _continued(one: Trajectory | None, other: Trajectory | None) -> Trajectory | None:
    """Two trajectories after each other. One that begins with all of the other is the whole already."""
    if one is None or other is None:
        return one or other
    if other.steps[: len(one.steps)] == one.steps:
        return other
    steps = (*one.steps, *(replace(step, number=step.number + len(one.steps)) for step in other.steps))
    return replace(
        other,
        steps=steps,
        usage=add_usage(one.usage, other.usage),
        subagents=(*one.subagents, *other.subagents),
        remarks=(*one.remarks, *other.remarks),
    )


def _whole_end(ends: Sequence[AgentEnd]) -> AgentEnd | None:
    """How the first turn that went wrong ended, or the last one; with the time of all, and all that they had."""
    if not ends:
        return None
    fine = ProcessEnd(exit_code=0)
    decisive = next((one for one in ends if one.end != fine), ends[-1])
    limits = [one.limit_sec for one in ends if one.limit_sec is not None]
    limit = sum(limits) if len(limits) == len(ends) else None
    return AgentEnd(decisive.end, sum(one.duration_sec for one in ends), limit)


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
        notes=tuple(AuthorNote(one.name, one.required, one.rubric) for one in report.judge.rubric_notes),
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
