"""OpenTelemetry's spans of generative AI as chat messages, in OTLP's JSON or as one object a span.

A span of a model has the whole conversation until then, so each message is taken once, from the first span that
has it. A span of a tool counts where no conversation tells what the tool answered.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.formats.trajectories.values import json_of, name_of, object_in, objects_in, parse_json

_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def spans_in(values: Iterable[object]) -> list[dict[str, Any]]:
    """The spans of generative AI in some JSON values, by the time at which they began."""
    found = [span for value in values if isinstance(value, dict) for span in _spans(value)]
    named = [{**span, "attributes": _attributes(span.get("attributes"))} for span in found]
    ours = [span for span in named if any(name.startswith("gen_ai.") for name in span["attributes"])]
    return sorted(ours, key=lambda span: _time(span) or "")


def span_messages(spans: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The conversation that the spans tell, with the usage of each of its questions."""
    told: Counter[str] = Counter()
    called: set[str | None] = set()
    answered: set[str | None] = set()
    for span in spans:
        about, time = span["attributes"], _time(span)
        if "gen_ai.tool.name" in about:
            call = name_of(about.get("gen_ai.tool.call.id"))
            if call is None or call not in answered:
                yield {**_used(span, call, known=call is not None and call in called), "timestamp": time}
                answered.update([call] if call else [])
            continue
        here: Counter[str] = Counter()
        for message in map(_message, _conversation(about)):
            key = json_of(message)
            here[key] += 1
            parts = [one for one in message["content"] if one.get("tool_use_id") not in answered]
            if here[key] > told[key] and parts:
                told[key] += 1
                called.update(one.get("id") for one in parts)
                answered.update(one["tool_use_id"] for one in parts if "tool_use_id" in one)
                yield {**message, "content": parts, "timestamp": time}
        yield _spent(about)


def _spent(about: dict[str, Any]) -> dict[str, Any]:
    """The usage of a question. An agent's span has the sum of its own questions, which isn't counted twice."""
    names = {"input_tokens": "input_tokens", "output_tokens": "output_tokens"}
    names["cached_tokens"] = "cache_read.input_tokens"
    usage = {name: about.get(f"gen_ai.usage.{key}") for name, key in names.items()}
    whole = about.get("gen_ai.operation.name") == "invoke_agent"
    model = about.get("gen_ai.response.model") or about.get("gen_ai.request.model")
    return {"usage": {} if whole else usage, "model": model}


def _used(span: dict[str, Any], call: str | None, known: bool) -> dict[str, Any]:
    """The answer of a tool; with the call itself, if no conversation has told it yet."""
    about, status = span["attributes"], object_in(span, "status")
    code = status.get("code", status.get("status_code"))
    failed = "error.type" in about or code in (2, "STATUS_CODE_ERROR", "ERROR")
    given = about.get("gen_ai.tool.call.arguments")
    use = {"type": "tool_use", "id": call, "name": about["gen_ai.tool.name"], "input": given}
    why = about.get("error.type") or "" if failed else ""
    said = json_of(about.get("gen_ai.tool.call.result") or why)
    result = {"type": "tool_result", "tool_use_id": call, "content": said, "is_error": failed}
    return {"role": "user", "content": [result]} if known else {"role": "assistant", "content": [use, result]}


def _conversation(about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    system = _parsed(about.get("gen_ai.system_instructions"))
    if system:
        yield {"role": "system", "parts": system}
    for name in ("input", "output"):
        yield from objects_in(_parsed(about.get(f"gen_ai.{name}.messages")))


def _message(written: dict[str, Any]) -> dict[str, Any]:
    parts = [_part(part) for part in objects_in(written.get("parts"))]
    if isinstance(written.get("content"), str):
        parts.append({"type": "text", "text": written["content"]})
    role = "user" if any(part["type"] == "tool_result" for part in parts) else written.get("role")
    return {"role": role, "content": parts}


def _part(part: dict[str, Any]) -> dict[str, Any]:
    kind, call = name_of(part.get("type")), name_of(part.get("id"))
    if kind == "tool_call":
        return {"type": "tool_use", "id": call, "name": part.get("name"), "input": part.get("arguments")}
    if kind == "tool_call_response":
        said = json_of(part.get("response", part.get("result")))
        return {"type": "tool_result", "tool_use_id": call, "content": said}
    if kind == "reasoning":
        return {"type": "thinking", "thinking": part.get("content")}
    return {"type": kind or "?", "text": part.get("content")}


def _spans(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "attributes" in value and "name" in value:
        yield value
    for resource in objects_in(value.get("resourceSpans")):
        for scope in objects_in(resource.get("scopeSpans")):
            yield from objects_in(scope.get("spans"))


def _attributes(written: object) -> dict[str, Any]:
    if isinstance(written, dict):
        return written
    pairs = ((one.get("key"), one.get("value")) for one in objects_in(written))
    return {key: _value(value) for key, value in pairs if isinstance(key, str)}


def _value(value: object) -> object:
    """A value of OTLP, which names its type. Whole numbers are written as text."""
    if not isinstance(value, dict):
        return value
    found = next((value[name] for name in _VALUES if name in value), None)
    whole = "intValue" in value and isinstance(found, str) and len(found) < 17 and found.isdecimal()
    return int(found) if whole and isinstance(found, str) else found


def _parsed(value: object) -> Any:
    return parse_json(value) if isinstance(value, str) else value


def _time(span: dict[str, Any]) -> str | None:
    """When a span began."""
    nanos: Any = span.get("startTimeUnixNano", span.get("start_time"))
    if isinstance(nanos, str) and not nanos.isdecimal():
        return nanos
    try:
        return (_EPOCH + timedelta(microseconds=int(nanos) // 1000)).isoformat()
    except (TypeError, ValueError, OverflowError):
        return None
