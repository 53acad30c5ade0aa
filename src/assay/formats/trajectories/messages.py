"""Chat messages: JSON lines, a JSON list, or an object with a list of ``messages``.

OpenAI's and Anthropic's shapes of a message are read, and also messages that are wrapped in an event, as the
streams of command line agents have them.
"""

from collections.abc import Callable, Iterable, Iterator
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
from assay.formats.trajectories.atif import is_atif, read_atif
from assay.formats.trajectories.values import decoded, json_of, name_of, objects_in, parse_json, text_of, usage_of

MAX_STEPS = 20_000
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
        value = value.get("messages")
    found = [item for item in objects_in(value) if _message(item) is not None]
    return list(objects_in(value)) if found else None


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
    usage = StatedUsage()
    model = None
    for item in items:
        message = _message(item)
        if message is None:
            continue
        if len(steps) >= MAX_STEPS:
            remarks.append(f"only the first {MAX_STEPS} steps are read")
            break
        steps.append(_step(message, len(steps) + 1, name_of(item.get("timestamp"))))
        usage = add_usage(usage, usage_of(message.get("usage")))
        model = model or name_of(message.get("model"))
    return Trajectory(Form.MESSAGES, tuple(steps), model=model, usage=usage, remarks=tuple(remarks))


def message_step(item: dict[str, Any]) -> TrajectoryStep | None:
    """The step that a message is, without its number; None for what isn't one."""
    message = _message(item)
    return None if message is None else _step(message, 0, name_of(item.get("timestamp")))


def _message(item: dict[str, Any]) -> dict[str, Any] | None:
    """The message that an object is, or that an event carries."""
    if _speaks(item):
        return item
    inner = item.get("message")
    return inner if isinstance(inner, dict) and _speaks(inner) else None


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
    thought = [part.get("thinking") for part in parts if part.get("type") == "thinking"]
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
    apart = ("thinking", "redacted_thinking", "tool_use", "tool_result")
    return text_of([part for part in content if not (isinstance(part, dict) and part.get("type") in apart)])


def _calls(message: dict[str, Any], parts: Iterable[dict[str, Any]]) -> Iterator[ToolCall]:
    for call in objects_in(message.get("tool_calls")):
        function = call.get("function")
        about = function if isinstance(function, dict) else call
        yield ToolCall(name_of(call.get("id")), name_of(about.get("name")) or "?", json_of(about.get("arguments")))
    for part in parts:
        if part.get("type") == "tool_use":
            yield ToolCall(name_of(part.get("id")), name_of(part.get("name")) or "?", json_of(part.get("input")))


def _results(message: dict[str, Any], parts: Iterable[dict[str, Any]], speaker: Speaker) -> Iterator[ToolResult]:
    if speaker is Speaker.TOOL:
        yield ToolResult(name_of(message.get("tool_call_id")), text_of(message.get("content")))
        return
    for part in parts:
        if part.get("type") == "tool_result":
            yield ToolResult(name_of(part.get("tool_use_id")), text_of(part.get("content")))


def _object(line: str) -> dict[str, Any] | None:
    found = parse_json(line)
    return found if isinstance(found, dict) else None


def read_trajectory(data: bytes, name: str, read: Callable[[str], bytes | None]) -> Trajectory:
    """The trajectory in a file's bytes. No bytes raise: what is neither ATIF nor messages is plain text.

    ``read`` gives the bytes of another file beside it, which a trajectory may refer to; None if there is none.
    """
    text = decoded(data)
    value = parse_json(text)
    if isinstance(value, dict) and is_atif(value):
        return read_atif(value, name, read)
    found = messages_in(value)
    if found is not None:
        return read_messages(found)
    lines = message_lines(text)
    return read_messages(*lines) if lines is not None else plain_text(text)


def plain_text(text: str) -> Trajectory:
    """A log without any structure, as one message of the agent."""
    steps = (TrajectoryStep(1, Speaker.AGENT, text_of(text)),) if text.strip() else ()
    return Trajectory(Form.TEXT, steps)
