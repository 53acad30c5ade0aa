"""Read the reply of an endpoint: a chat completion, a stream of its pieces, a message, or an error.

Every provider writes errors in another form. What is shown of them is one bounded line, with nothing in it of what
was sent: neither the key nor the prompt.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from assay.dialects.scorers.report import JudgeUsage
from assay.judge.model import UNCOUNTED, Finish

LONGEST: Final = 300
_WINDOW: Final = 20
_KEY_WINDOW: Final = 8
_AGAIN: Final = frozenset((408, 429, 500, 502, 503, 504, *range(520, 525), 529))
_REASONS: Final = {401: "the endpoint does not accept the key", 403: "the key does not allow this request"}
# Codes of accounts without money: no pause helps.
_NO_MONEY: Final = re.compile(r"insufficient_|billing|credit|payment", re.IGNORECASE)
_LENGTH: Final = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|too long|too many tokens|too large", re.IGNORECASE
)
_MODEL: Final = re.compile(r"\bmodel\b.*(?:not found|not exist|unknown|does not)|model_not_found", re.IGNORECASE)
_NO_ENDPOINT: Final = re.compile(r"no (?:allowed )?(?:endpoints|providers)", re.IGNORECASE)
_FORM: Final = re.compile(
    r"response.?format|json.?schema|json.?object|json mode|structured.?output|guided|grammar|tool", re.IGNORECASE
)
_CLOSED: Final = (401, 402, 403, 413, 429)
_MAY_BE_FORM: Final = (400, 415, 422, 501)
_FINISHES: Final[dict[object, Finish]] = {
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}
_PIECES: Final = ("content", "reasoning_content", "reasoning", "refusal")


@dataclass(frozen=True, slots=True)
class ProviderError:
    """An answer that is an error. What isn't told is empty."""

    status: int
    message: str = ""
    type: str = ""
    code: str = ""
    param: str = ""

    @property
    def is_passing(self) -> bool:
        """Whether it may be worth another try."""
        return self.status in _AGAIN and not self.has_no_money

    @property
    def has_no_money(self) -> bool:
        """Whether the account is empty."""
        return self.status == 402 or bool(_NO_MONEY.search(f"{self.type} {self.code}"))

    @property
    def is_of_length(self) -> bool:
        """Whether the prompt is too long."""
        return self.status == 413 or bool(_LENGTH.search(f"{self.type} {self.code} {self.message}"))

    @property
    def may_be_of_form(self) -> bool:
        """Whether the form in which an answer was asked for may be what is refused."""
        told = f"{self.message} {self.code}"
        if self.status == 404:
            return bool(_NO_ENDPOINT.search(told))
        named = self.status not in _CLOSED and bool(_FORM.search(told))
        other = self.is_of_length or self.has_no_money or _MODEL.search(told) or "content_filter" in self.code
        return named or (self.status in _MAY_BE_FORM and not other)

    def named(self, sent: Iterable[str]) -> str | None:
        """The parameter of those that were sent that the error is about: the one that it names first."""
        names = set(sent)
        if (param := re.split(r"[.\[]", self.param, maxsplit=1)[0]) in names:
            return param
        if self.status in _CLOSED:
            return None
        places = {
            found.start(): name for name in names if (found := re.search(rf"(?<!\w){name}(?!\w)", self.message))
        }
        return places[min(places)] if places else None

    def sentence(self, prompt: str, key: str | None) -> str:
        """The error in the provider's words, with a hint where one is known."""
        status, known = str(self.status), _REASONS.get(self.status)
        first = f"it answers {status}" if known is None else known
        kinds = list(dict.fromkeys(part for part in (self.type, self.code) if part and part != status))
        told = f" ({', '.join(kinds if known is None else [status, *kinds])})" if kinds else ""
        words = _hidden(_first_line(self.message), prompt, key)
        hint = self._hint()
        return f"{first}{_hidden(told, '', key)}{f': {words}' if words else ''}{f' ({hint})' if hint else ''}"

    def _hint(self) -> str:
        if self.is_of_length:
            return "a smaller --judge-characters makes the prompt shorter"
        if self.has_no_money:
            return "the account has no credit left"
        if self.status != 404:
            return ""
        if _NO_ENDPOINT.search(self.message):
            return "no provider of this model takes these parameters"
        return "is the model's name right, and does the URL end as it should, such as with /v1?"


def read_error(status: int, content: bytes) -> ProviderError:
    """The error in an answer, in whichever of the usual forms."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        text = content.decode(errors="replace").strip()
        return ProviderError(status, "" if text.startswith("<") else text)
    return error_in(answer, status) or ProviderError(status)


def error_in(answer: Any, status: int = 200) -> ProviderError | None:
    """The error in an answer's JSON; None if there is none. A code within it may say what the status doesn't."""
    if isinstance(answer, list) and answer:
        answer = answer[0]
    if not isinstance(answer, dict):
        return None
    inner = answer.get("error")
    told = inner if isinstance(inner, dict) else answer if inner is None and status != 200 else {"message": inner}
    if not inner and status == 200:
        return None
    message, param = told.get("message", told.get("detail", "")), told.get("param")
    if isinstance(message, dict):
        message = message.get("detail", message)
    if isinstance(message, list):
        param, message = _first_detail(message)
    code = told.get("code", told.get("status"))
    if status == 200 and isinstance(code, int) and 400 <= code < 600:
        status = code
    return ProviderError(status, _scalar(message), _scalar(told.get("type")), _scalar(code), _scalar(param))


def _first_detail(details: list[Any]) -> tuple[str, str]:
    """Parameter and message of the first detail, as FastAPI has them."""
    first = details[0] if details and isinstance(details[0], dict) else {}
    place = first.get("loc")
    names = [name for name in place if isinstance(name, str) and name != "body"] if isinstance(place, list) else []
    return (names[0] if names else ""), _scalar(first.get("msg"))


def _scalar(value: Any) -> str:
    """A scalar as text; nothing of what may be an echo of the request."""
    return str(value)[:2000] if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _first_line(message: str) -> str:
    line = next((one.strip() for one in message.splitlines() if one.strip()), "")
    shown = "".join(one if one.isprintable() else " " for one in line)
    return (shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…").rstrip(". ")


def _hidden(words: str, prompt: str, key: str | None) -> str:
    """The words without what they repeat of the prompt or the key."""
    gone: set[int] = set()
    for secret, longest in ((prompt, _WINDOW), (key or "", _KEY_WINDOW)):
        size = min(longest, len(secret))
        for at in range(len(words) - size + 1 if size else 0):
            if words[at : at + size] in secret:
                gone |= set(range(at, at + size))
    kept = "".join("\0" if at in gone else one for at, one in enumerate(words))
    return re.sub("\0+", "…", kept)


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
