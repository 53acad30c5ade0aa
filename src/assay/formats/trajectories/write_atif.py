"""Write a trajectory as ATIF, harbor's format."""

from collections.abc import Iterator
from typing import Any

from assay.evidence.coding_run import Speaker, ToolCall, ToolResult, Trajectory, TrajectoryStep
from assay.formats.trajectories.values import parse_json

VERSION = "ATIF-v1.4"
_SOURCES = {Speaker.SYSTEM: "system", Speaker.USER: "user", Speaker.AGENT: "agent"}


def atif_of(told: Trajectory, agent: str, version: str | None, model: str | None) -> dict[str, Any]:
    """The trajectory as a JSON value. ``agent`` and ``model`` are as the run names them."""
    about = {"name": agent, "version": version or "unknown", "model_name": model or told.model}
    usage = told.usage
    totals = {
        "total_prompt_tokens": usage.input_tokens,
        "total_completion_tokens": usage.output_tokens,
        "total_cached_tokens": usage.cached_tokens,
        "total_cost_usd": usage.cost_usd,
    }
    steps = list(_steps(told.steps))
    return {
        "schema_version": VERSION,
        "session_id": agent,
        "agent": _set(about),
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        "final_metrics": {**_set(totals), "total_steps": len(steps)},
    }


def _steps(steps: tuple[TrajectoryStep, ...]) -> Iterator[dict[str, Any]]:
    """The steps. What tools answered is part of the step that called them."""
    held: dict[str, Any] | None = None
    for step in steps:
        if step.speaker is Speaker.TOOL and held is not None and held["source"] == "agent":
            _observe(held, step.results or (ToolResult(None, step.text),))
            continue
        if held is not None:
            yield held
        held = _step(step)
    if held is not None:
        yield held


def _step(step: TrajectoryStep) -> dict[str, Any]:
    # A tool that speaks first, before any agent did, is part of the setting.
    source = _SOURCES.get(step.speaker, "system")
    written: dict[str, Any] = {"source": source, "message": step.text}
    if step.speaker is Speaker.TOOL:
        written["message"] = "\n".join(result.text for result in step.results) or step.text
    elif step.speaker is Speaker.AGENT:
        if step.reasoning:
            written["reasoning_content"] = step.reasoning
        if step.calls:
            written["tool_calls"] = [_call(call, number) for number, call in enumerate(step.calls, start=1)]
    if step.results and step.speaker is not Speaker.TOOL:
        _observe(written, step.results)
    return written


def _observe(written: dict[str, Any], results: tuple[ToolResult, ...]) -> None:
    """Add what tools answered. A result may only refer to a call of its own step."""
    called = {call["tool_call_id"] for call in written.get("tool_calls", ())}
    observation = written.setdefault("observation", {"results": []})
    for result in results:
        reference = {"source_call_id": result.call_id} if result.call_id in called else {}
        observation["results"].append({**reference, "content": result.text})


def _call(call: ToolCall, number: int) -> dict[str, Any]:
    arguments = parse_json(call.arguments)
    return {
        "tool_call_id": call.id or f"call-{number}",
        "function_name": call.name,
        "arguments": arguments if isinstance(arguments, dict) else {"text": call.arguments},
    }


def _set(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
