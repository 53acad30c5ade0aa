"""A model's answer as it comes over the wire: a chat completion, a stream of its pieces, or a message."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from assay.adapters.models.provider_error import ProviderError, error_in
from assay.dialects.scorers.report import JudgeUsage
from assay.judge.model import UNCOUNTED, Finish

_FINISHES: Final[dict[object, Finish]] = {
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}
_PIECES: Final = ("content", "reasoning_content", "reasoning", "refusal")


class NotACompletionError(ValueError):
    """An answer of no form that is known."""


@dataclass(frozen=True, slots=True)
class WireReply:
    """The text of the first choice, which is all that is looked at. None where there is no text at all."""

    text: str | None
    finish: Finish
    usage: JudgeUsage


def read_wire(content: bytes) -> WireReply | ProviderError:
    """The reply in an answer, or the error. Raises ``NotACompletionError`` for anything else."""
    try:
        answer = _streamed(content) if content.lstrip()[:5] in (b"data:", b"event") else json.loads(content)
        error = error_in(answer)
        if error is None and "choices" in answer:
            error = error_in(answer["choices"][0])
        if error is not None:
            return error
        return _message(answer) if "content" in answer and "choices" not in answer else _completion(answer)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise NotACompletionError from error


def _completion(answer: dict[str, Any]) -> WireReply:
    choice = answer["choices"][0]
    message = choice["message"]
    finish = _FINISHES.get(choice.get("finish_reason"), "stop")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return WireReply(refusal, "refusal", _usage(answer))
    text = _text(message.get("content"))
    # Thoughts that were cut off are no answer.
    if not (text or "").strip() and finish != "length":
        others = (*_calls(message), message.get("reasoning_content"), message.get("reasoning"))
        text = next((one for one in others if isinstance(one, str) and one.strip()), text)
    return WireReply("" if text is None and finish == "length" else text, finish, _usage(answer))


def _calls(message: dict[str, Any]) -> Iterator[str]:
    """The arguments of the first tool call, as text."""
    calls = [one.get("function") for one in (message.get("tool_calls") or [])[:1]]
    for function in (*calls, message.get("function_call")):
        given = function.get("arguments") if isinstance(function, dict) else None
        if given is not None:
            yield given if isinstance(given, str) else json.dumps(given)


def _message(answer: dict[str, Any]) -> WireReply:
    """A message of Anthropic's: the input of a tool, else its text."""
    parts = answer["content"]
    inputs = [json.dumps(one["input"]) for one in parts if isinstance(one, dict) and one.get("type") == "tool_use"]
    finish = _FINISHES.get(answer.get("stop_reason"), "stop")
    return WireReply(inputs[0] if inputs else _text(parts) or "", finish, _usage(answer))


def _text(content: Any) -> str | None:
    """A content that is text, or a list of parts of which some are. Thoughts aren't."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [one for one in content if isinstance(one, dict) and one.get("type") in ("text", "output_text")]
    return "".join(str(one.get("text", "")) for one in parts) if parts else None


def _streamed(content: bytes) -> dict[str, Any]:
    """The completion that the pieces of a stream make."""
    message: dict[str, str] = {}
    found: dict[str, Any] = {}
    finish, arguments, begun = None, "", False
    for line in content.decode(errors="replace").splitlines():
        if not line.startswith("data:") or (data := line[5:].strip()) in ("", "[DONE]"):
            continue
        piece = json.loads(data)
        if error_in(piece) is not None:
            return dict(piece)
        found |= {"usage": piece["usage"]} if piece.get("usage") else {}
        for choice in (piece.get("choices") or [])[:1]:
            begun = True
            delta = choice.get("delta") or choice.get("message") or {}
            for name in _PIECES:
                if (text := _text(delta.get(name))) is not None:
                    message[name] = message.get(name, "") + text
            arguments += "".join(_calls(delta))
            finish = choice.get("finish_reason") or finish
    if not begun or finish is None:
        raise NotACompletionError("the stream has no end")
    calls = [{"function": {"arguments": arguments}}] if arguments else []
    return found | {"choices": [{"message": {**message, "tool_calls": calls}, "finish_reason": finish}]}


def _usage(answer: dict[str, Any]) -> JudgeUsage:
    found = answer.get("usage")
    if not isinstance(found, dict):
        return UNCOUNTED
    # Of a message, tokens that were cached are counted apart.
    cached = [_count(found.get(f"cache_{way}_input_tokens")) or 0 for way in ("read", "creation")]
    read = _count(found.get("input_tokens"))
    tokens_in = _count(found.get("prompt_tokens")) if read is None else read + sum(cached)
    tokens_out = _count(found.get("completion_tokens", found.get("output_tokens")))
    return JudgeUsage(tokens_in=tokens_in, tokens_out=tokens_out)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
