"""Events of Codex, OpenHands and SWE-agent as chat messages. Those of Claude Code are messages already.

Each event is read by itself, so that a session of any size is read from any place on. An event that says nothing
about what was done, such as a change of settings, is none.
"""

from typing import Any

from assay.evidence.coding_run import StatedUsage
from assay.formats.trajectories.values import (
    json_of,
    name_of,
    object_in,
    objects_in,
    parse_json,
    text_of,
    usage_of,
)

_CODEX_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "web_search_call"}
_CODEX_ITEMS = {"command_execution", "file_change", "mcp_tool_call", "web_search"}
_CODEX_OUTPUTS = {"function_call_output", "custom_tool_call_output"}
_QUIET = {"", "null", "recall", "change_agent_state", "agent_state_changed"}


def event_message(event: dict[str, Any]) -> dict[str, Any] | None:
    """The chat message that an event is; None for any other object."""
    if isinstance(event.get("kind"), str):
        return _openhands_event(event, event["kind"])
    if isinstance(event.get("source"), str) and isinstance(event.get("action"), str):
        return _openhands_action(event)
    if isinstance(event.get("source"), str) and isinstance(event.get("observation"), str):
        return _openhands_observation(event)
    if isinstance(event.get("action"), str) and isinstance(event.get("response"), str):
        acted = _acted(None, "action", event["action"], event.get("observation"))
        return {**acted, "content": [_text(event.get("thought")), *acted["content"]]}
    return _codex(event)


def stated_total(event: dict[str, Any]) -> StatedUsage:
    """The usage of the whole session until here, as some events state it."""
    info = object_in(object_in(event, "payload"), "info")
    if info:
        return usage_of(info.get("total_token_usage"))
    if event.get("type") == "turn.completed":
        return usage_of(event.get("usage"))
    if event.get("type") == "result":  # The last line of Claude Code's stream.
        return usage_of({**object_in(event, "usage"), "cost_usd": event.get("total_cost_usd")})
    spent = object_in(event, "llm_metrics") or object_in(event, "metrics")
    if "accumulated_cost" in spent:
        tokens = object_in(spent, "accumulated_token_usage")
        return usage_of({**tokens, "cost_usd": spent["accumulated_cost"]})
    stats = object_in(object_in(event, "info"), "model_stats")
    sent = {"input_tokens": stats.get("tokens_sent"), "output_tokens": stats.get("tokens_received")}
    return usage_of({**sent, "cost_usd": stats.get("instance_cost")})


def agent_of(event: dict[str, Any]) -> str | None:
    """The agent that writes such events, as far as one event tells."""
    if isinstance(event.get("sessionId"), str) and "parentUuid" in event:
        return "claude-code"
    if event.get("type") in ("session_meta", "thread.started"):
        return "codex"
    if event_message(event) is None:
        return None
    if isinstance(event.get("source"), str):
        return "openhands"
    return "swe-agent" if "response" in event else None


def model_of(event: dict[str, Any]) -> str | None:
    """The model that an event names beside the messages."""
    return name_of(object_in(event, "payload").get("model")) if event.get("type") == "turn_context" else None


def _codex(event: dict[str, Any]) -> dict[str, Any] | None:
    wrapped = {"response_item": "payload", "item.completed": "item"}.get(name_of(event.get("type")) or "")
    item = object_in(event, wrapped) if wrapped else event
    kind = name_of(item.get("type"))
    if kind == "message" and wrapped:
        return item
    if kind == "reasoning":
        thought = "\n".join(filter(None, (text_of(item.get(one)) for one in ("summary", "content", "text"))))
        return {"role": "assistant", "content": [{"type": "thinking", "thinking": thought}]} if thought else None
    if kind is not None and kind in _CODEX_CALLS:
        name = item.get("name") or kind.removesuffix("_call")
        given = _first_of(item, "arguments", "input", "action")
        return {"role": "assistant", "content": [_use(item.get("call_id"), name, given)]}
    if kind in _CODEX_OUTPUTS:
        text, failed = _codex_output(item.get("output"))
        return _answer(item.get("call_id"), text, failed)
    if not wrapped:
        return None
    if kind in _CODEX_ITEMS:
        name = item.get("tool") or kind
        given = _first_of(item, "command", "arguments", "changes", "query")
        answer = next((item[one] for one in ("error", "result", "aggregated_output") if item.get(one)), None)
        return _acted(item.get("id"), name, given, answer, item.get("status") == "failed")
    if kind in ("agent_message", "error"):
        return {"role": "assistant", "content": text_of(item.get("text") or item.get("message"))}
    return None


def _first_of(item: dict[str, Any], *names: str) -> Any:
    """The value of the first of these fields that is there."""
    return next((item[name] for name in names if name in item), None)


def _codex_output(output: object) -> tuple[str, bool]:
    """A tool's output, which may be JSON with the exit code beside it."""
    found = parse_json(output) if isinstance(output, str) and output.startswith("{") else output
    if not isinstance(found, dict):
        return text_of(output), False
    code = object_in(found, "metadata").get("exit_code")
    text = next((found[one] for one in ("output", "content") if one in found), found)
    return json_of(text), found.get("success") is False or code not in (0, None)


def _openhands_action(event: dict[str, Any]) -> dict[str, Any] | None:
    given, kind = object_in(event, "args"), event["action"]
    if kind in _QUIET:
        return None
    if kind in ("message", "system"):
        role = kind if kind == "system" else _role(event)
        return {"role": role, "content": text_of(given.get("content"))}
    told = object_in(event, "tool_call_metadata")
    thought = text_of(given.get("thought")) or text_of(given.get("final_thought"))
    used = {name: value for name, value in given.items() if name not in ("thought", "final_thought")}
    call = _use(told.get("tool_call_id") or json_of(event.get("id")), told.get("function_name") or kind, used)
    return {"role": _role(event), "content": [_text(thought), call]}


def _openhands_observation(event: dict[str, Any]) -> dict[str, Any] | None:
    if event["observation"] in _QUIET:
        return None
    extras = object_in(event, "extras")
    code = object_in(extras, "metadata").get("exit_code", extras.get("exit_code"))
    called = object_in(event, "tool_call_metadata").get("tool_call_id") or json_of(event.get("cause"))
    failed = event["observation"] == "error" or code not in (0, -1, None)
    return _answer(called, text_of(event.get("content")), failed)


def _openhands_event(event: dict[str, Any], kind: str) -> dict[str, Any] | None:
    """An event of its newer format, whose classes name the kinds."""
    called = event.get("tool_call_id")
    if kind == "MessageEvent":
        message = object_in(event, "llm_message")
        return {**message, "role": _role(event)} if message else None
    if kind == "SystemPromptEvent":
        return {"role": "system", "content": [object_in(event, "system_prompt")]}
    if kind == "ActionEvent":
        given = object_in(event, "tool_call").get("arguments") or event.get("action")
        call = _use(called, event.get("tool_name"), given)
        thought = {"type": "thinking", "thinking": text_of(event.get("reasoning_content"))}
        return {"role": "assistant", "content": [thought, *objects_in(event.get("thought")), call]}
    if kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        seen = object_in(event, "observation")
        said = seen.get("content") or seen.get("output") or event.get("error") or event.get("rejection_reason")
        code = seen.get("exit_code")
        failed = kind != "ObservationEvent" or seen.get("is_error") is True or code not in (0, -1, None)
        return _answer(called, text_of(said), failed)
    return None


def _role(event: dict[str, Any]) -> str:
    return "user" if event.get("source") == "user" else "assistant"


def _acted(call: object, name: str, given: object, answer: object = None, failed: bool = False) -> dict[str, Any]:
    """A call together with what came of it."""
    parts = [_use(call, name, given)]
    if answer is not None:
        parts += _answer(call, json_of(answer), failed)["content"]
    return {"role": "assistant", "content": parts}


def _use(call: object, name: object, given: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def _answer(call: object, text: str, failed: bool) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}],
    }


def _text(text: object) -> dict[str, Any]:
    return {"type": "text", "text": text_of(text)}
