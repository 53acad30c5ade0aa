"""Chat messages: JSON lines, a JSON list, or an object with a list of ``messages``.

OpenAI's and Anthropic's shapes of a message are read, and also messages that are wrapped in an event, as the
streams and sessions of coding agents have them, the samples of inspect and the spans of OpenTelemetry.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, replace
from typing import Any

from assay.evidence.coding_run import (
    Form,
    Speaker,
    StatedUsage,
    ToolCall,
    ToolResult,
    Trajectory,
    TrajectoryStep,
    add_usage,
)
from assay.formats.counting import counted
from assay.formats.trajectories.agent_events import agent_of, event_message, model_of, stated_total
from assay.formats.trajectories.atif import is_atif, read_atif
from assay.formats.trajectories.inspect_log import InspectLog, read_log, sample_messages, sample_name, sample_usage
from assay.formats.trajectories.spans import span_messages, spans_in
from assay.formats.trajectories.values import decoded, json_of, name_of, objects_in, parse_json, text_of, usage_of

MAX_STEPS = 20_000
_BEFORE = ("system", "user")
_THOUGHTS = ("thinking", "reasoning")
_SPEAKERS = {
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "user": Speaker.USER,
    "human": Speaker.USER,
    "assistant": Speaker.AGENT,
    "agent": Speaker.AGENT,
    "model": Speaker.AGENT,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}


def messages_in(value: object) -> list[dict[str, Any]] | None:
    """The messages in a JSON value; None if it holds none."""
    if isinstance(value, dict):
        value = _listed(value)
    found = [item for item in objects_in(value) if _message(item) is not None]
    return list(objects_in(value)) if found else None


def _listed(value: dict[str, Any]) -> object:
    """The list of messages or events in an object, under the names that agents give it."""
    if isinstance(value.get("trajectory"), list):  # SWE-agent's, which has the questions in its history.
        asked = itertools.takewhile(lambda one: one.get("role") in _BEFORE, objects_in(value.get("history")))
        return [*asked, *value["trajectory"], value]
    name = next((name for name in ("messages", "history", "events") if isinstance(value.get(name), list)), None)
    return None if name is None else [*value[name], {"info": value.get("info"), "metrics": value.get("metrics")}]


def message_lines(text: str) -> tuple[list[dict[str, Any]], int] | None:
    """The objects on the lines of a text, and how many lines hold none; None if this isn't a file of messages.

    The first line decides whether it is one: an agent that was stopped may have left its last line unfinished.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or _object(lines[0]) is None:
        return None
    found = [item for line in lines if (item := _object(line)) is not None]
    if not any(_message(item) is not None for item in found):
        return None
    return found, len(lines) - len(found)


def read_messages(items: Iterable[dict[str, Any]], unread: int = 0) -> Trajectory:
    """The trajectory in some messages. What isn't a message, such as an event, is skipped."""
    steps: list[TrajectoryStep] = []
    remarks = [f"{counted(unread, 'line')} can't be read"] if unread else []
    used: dict[object, StatedUsage] = {}
    total = StatedUsage()
    model = agent = None
    for item in items:
        message = _message(item)
        if message is not None and len(steps) >= MAX_STEPS:
            remarks.append(f"only the first {MAX_STEPS} steps are read")
            break
        if message is not None:
            steps.append(_step(message, len(steps) + 1, name_of(item.get("timestamp"))))
        about = item if message is None else message
        # An answer that is written in several lines has its usage in each of them.
        used[name_of(about.get("id")) or len(used)] = usage_of(about.get("usage"))
        stated = stated_total(item)
        total = total if stated == StatedUsage() else stated
        model = model or name_of(about.get("model")) or model_of(item)
        agent = agent or agent_of(item)
    summed = functools.reduce(add_usage, used.values(), StatedUsage())
    pairs = zip(astuple(total), astuple(summed), strict=True)
    usage = StatedUsage(*(one if one is not None else other for one, other in pairs))
    return Trajectory(Form.MESSAGES, tuple(steps), agent, model, usage, remarks=tuple(remarks))


def message_step(item: dict[str, Any]) -> TrajectoryStep | None:
    """The step that a message is, without its number; None for what isn't one."""
    message = _message(item)
    return None if message is None else _step(message, 0, name_of(item.get("timestamp")))


def _message(item: dict[str, Any]) -> dict[str, Any] | None:
    """The message that an object is, or that an event carries."""
    if _speaks(item):
        return item
    inner = item["message"] if isinstance(item.get("message"), dict) else event_message(item)
    return inner if inner is not None and _speaks(inner) else None


def _speaks(item: dict[str, Any]) -> bool:
    return isinstance(item.get("role"), str) and item["role"] in _SPEAKERS


def _step(message: dict[str, Any], number: int, time: str | None) -> TrajectoryStep:
    content = message.get("content")
    parts = list(objects_in(content))
    speaker = _SPEAKERS[message["role"]]
    results = tuple(_results(message, parts, speaker))
    spoken = _spoken_text(content) if speaker is not Speaker.TOOL else ""
    if speaker is Speaker.USER and results and not spoken.strip():
        speaker = Speaker.TOOL  # Anthropic's messages give the results of tools to the user.
    thought = [part.get(part["type"]) for part in parts if part.get("type") in _THOUGHTS]
    return TrajectoryStep(
        number=number,
        speaker=speaker,
        text=spoken,
        reasoning=text_of(message.get("reasoning_content") or message.get("reasoning") or thought),
        calls=tuple(_calls(message, parts)),
        results=results,
        time=time,
    )


def _spoken_text(content: object) -> str:
    """The text of a message without its thoughts and without what belongs to tools."""
    if not isinstance(content, list):
        return text_of(content)
    apart = (*_THOUGHTS, "redacted_thinking", "tool_use", "tool_result")
    return text_of([part for part in content if not (isinstance(part, dict) and part.get("type") in apart)])


def _calls(message: dict[str, Any], parts: Iterable[dict[str, Any]]) -> Iterator[ToolCall]:
    for call in objects_in(message.get("tool_calls")):
        function = call.get("function")
        about = function if isinstance(function, dict) else call
        name = name_of(about.get("name")) or name_of(function) or "?"
        yield ToolCall(name_of(call.get("id")), name, json_of(about.get("arguments")))
    for part in parts:
        if part.get("type") == "tool_use":
            yield ToolCall(name_of(part.get("id")), name_of(part.get("name")) or "?", json_of(part.get("input")))


def _results(message: dict[str, Any], parts: Iterable[dict[str, Any]], speaker: Speaker) -> Iterator[ToolResult]:
    if speaker is Speaker.TOOL:
        error = message.get("error")
        why = text_of(error.get("message")) if isinstance(error, dict) else ""
        text = text_of(message.get("content")) or why
        yield ToolResult(name_of(message.get("tool_call_id")), text, failed=isinstance(error, dict))
        return
    for part in parts:
        if part.get("type") == "tool_result":
            failed = part.get("is_error") is True
            yield ToolResult(name_of(part.get("tool_use_id")), text_of(part.get("content")), failed=failed)


def _object(line: str) -> dict[str, Any] | None:
    found = parse_json(line)
    return found if isinstance(found, dict) else None


def read_trajectory(data: bytes, name: str, read: Callable[[str], bytes | None]) -> Trajectory:
    """The trajectory in a file's bytes. No bytes raise: what is neither ATIF nor messages is plain text.

    ``read`` gives the bytes of another file beside it, which a trajectory may refer to; None if there is none.
    """
    log = read_log(data)
    if log is not None:
        return _read_inspect(log)
    text = decoded(data)
    value = parse_json(text)
    if isinstance(value, dict) and is_atif(value):
        return read_atif(value, name, read)
    found = messages_in(value)
    if found is not None:
        return read_messages(found)
    lines = message_lines(text)
    if lines is not None:
        return read_messages(*lines)
    # One JSON value, a list of spans, or the lines of an exporter that writes one object for each batch.
    batches = (
        value if isinstance(value, list) else [value] if value is not None else map(parse_json, text.split("\n"))
    )
    spans = spans_in(batches) if '"gen_ai.' in text else []
    return read_messages(span_messages(spans)) if spans else plain_text(text)


def _read_inspect(log: InspectLog) -> Trajectory:
    """The first sample of a log."""
    sample = next(log.samples, {})
    found = read_messages(sample_messages(sample))
    note = [f"the log has {log.n_samples} samples; this is {sample_name(sample)}"] if log.n_samples > 1 else []
    model = name_of(log.header["eval"].get("model"))
    usage = sample_usage(sample)
    usage = found.usage if usage == StatedUsage() else usage
    return replace(found, agent="inspect", model=model, usage=usage, remarks=(*found.remarks, *log.remarks, *note))


def plain_text(text: str) -> Trajectory:
    """A log without any structure, as one message of the agent."""
    steps = (TrajectoryStep(1, Speaker.AGENT, text_of(text)),) if text.strip() else ()
    return Trajectory(Form.TEXT, steps)
