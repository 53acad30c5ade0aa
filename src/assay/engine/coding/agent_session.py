"""The turns of a run: what the user asked in each, and what the agent answered."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.evidence.coding_run import AgentEnd, AgentRecord, ProcessEnd, Turn
from assay.evidence.trajectory import Speaker, Step, Trajectory
from assay.formats.trajectories.values import add_usage


def turns_of(requests: Sequence[str], records: Sequence[AgentRecord]) -> tuple[Turn, ...]:
    """A turn for each request. A run with a single request may have more turns in its own trajectory."""
    if len(requests) == 1 and len(records) == 1:
        return tuple(_told_turns(requests[0], records[0]))
    answers = [record.final_response for record in records]
    answers += [None] * (len(requests) - len(answers))
    pairs = zip(requests, answers, strict=False)
    return tuple(Turn(number, request, answer) for number, (request, answer) in enumerate(pairs, start=1))


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


def _told_turns(request: str, record: AgentRecord) -> Iterator[Turn]:
    """The turns in a trajectory: each begins where the user speaks after the agent did."""
    asked, answer, number = request, None, 0
    for step in record.trajectory.steps if record.trajectory is not None else ():
        if step.speaker is Speaker.USER and answer is not None:
            number += 1
            yield Turn(number, asked, answer)
            asked, answer = step.text, None
        elif step.speaker is Speaker.AGENT and step.text.strip():
            answer = step.text
    yield Turn(number + 1, asked, record.final_response if record.final_response is not None else answer)


def _continued(one: Trajectory | None, other: Trajectory | None) -> Trajectory | None:
    """Two trajectories after each other. One that begins with all of the other is the whole already."""
    if one is None or other is None:
        return one or other
    if other.steps[: len(one.steps)] == one.steps:
        return other
    steps = (*one.steps, *(_numbered(step, len(one.steps)) for step in other.steps))
    return replace(
        other,
        steps=steps,
        usage=add_usage(one.usage, other.usage),
        subagents=(*one.subagents, *other.subagents),
        remarks=(*one.remarks, *other.remarks),
    )


def _numbered(step: Step, before: int) -> Step:
    return replace(step, number=step.number + before)


def _whole_end(ends: Sequence[AgentEnd]) -> AgentEnd | None:
    """How the first turn that went wrong ended, or the last one; with the time of all, and all that they had."""
    if not ends:
        return None
    fine = ProcessEnd(exit_code=0)
    decisive = next((one for one in ends if one.end != fine), ends[-1])
    limits = [one.limit_sec for one in ends if one.limit_sec is not None]
    limit = sum(limits) if len(limits) == len(ends) else None
    return AgentEnd(decisive.end, sum(one.duration_sec for one in ends), limit)
