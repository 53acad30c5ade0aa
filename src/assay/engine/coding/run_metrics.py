"""The generic metrics behind the status of a run: did the agent end by itself, in time, and with a result?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.evidence.coding_run import AgentEnd, AgentRecord, MetricRow
from assay.evidence.trajectory import Usage
from assay.formats.counting import counted


@dataclass(frozen=True, slots=True)
class MetricLimits:
    """What a scenario allows a run to use. None is no limit."""

    time_s: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    steps: int | None = None


def run_metrics(agent: AgentRecord, changed: int | None, limits: MetricLimits) -> tuple[MetricRow, ...]:
    """A row for each metric. ``changed`` is the number of changed files; None for a run without a workspace.

    There are none if nobody recorded how the agent ended: a workspace alone says nothing about a run.
    """
    return () if agent.end is None else tuple(_rows(agent, agent.end, changed, limits))


def passed(metrics: Iterable[MetricRow]) -> bool | None:
    """Whether all metrics that have to hold do. None if one with a limit is unknown, and if there are none."""
    rows = list(metrics)
    if any(row.passed is False for row in rows):
        return False
    unknown = any(row.limit is not None and row.passed is None for row in rows)
    return None if unknown or not rows else True


def _rows(agent: AgentRecord, end: AgentEnd, changed: int | None, limits: MetricLimits) -> Iterator[MetricRow]:
    yield _exit_code(end)
    yield _time(end, limits)
    yield _result(agent, changed)
    trajectory = agent.trajectory
    usage = trajectory.usage if trajectory is not None else Usage()
    yield _within("tokens", usage.tokens, limits.tokens)
    yield _within("cost_usd", usage.cost_usd, limits.cost_usd)
    yield _within("steps", trajectory.agent_steps() if trajectory is not None else None, limits.steps)


def _exit_code(end: AgentEnd) -> MetricRow:
    code = end.end.exit_code
    if end.end.timed_out:
        said = "the agent was stopped"
    elif code is None:
        said = f"the agent was killed by signal {end.end.signal}"
    else:
        said = f"the agent ended by itself with exit code {code}"
    return MetricRow("exit_code", code, None, code == 0 and not end.end.timed_out, said)


def _time(end: AgentEnd, limits: MetricLimits) -> MetricRow:
    known = [limit for limit in (end.limit_sec, limits.time_s) if limit is not None]
    limit = min(known) if known else None
    late = end.end.timed_out or (limit is not None and end.duration_sec > limit)
    said = "the agent ran out of time" if late else "the agent ended within its time"
    return MetricRow("time_s", round(end.duration_sec, 3), limit, not late, said)


def _result(agent: AgentRecord, changed: int | None) -> MetricRow:
    found = ["a final response"] if (agent.final_response or "").strip() else []
    found += [counted(changed, "changed file")] if changed else []
    said = " and ".join(found) or "neither a final response nor a change"
    return MetricRow("result", bool(found), None, bool(found), said)


def _within(name: str, value: float | None, limit: float | None) -> MetricRow:
    if value is None:
        return MetricRow(name, None, limit, None, "the agent doesn't state it")
    if limit is None:
        return MetricRow(name, value, None, None, "no limit")
    return MetricRow(name, value, limit, value <= limit, f"at most {limit:g}")
