"""How an endpoint is asked: where, what goes into a request, and what is left out because the endpoint refused it.

The address says which protocol is spoken there: one that ends in ``/messages`` is Anthropic's Messages API, every
other one OpenAI's chat completions. One with ``?api-version=`` is Azure's, which wants the key in its own header.
"""

import ipaddress
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

from assay.adapters.models.wire_reply import ProviderError
from assay.judge.model import Mode, ModelQuestion

MODES: Final[tuple[Mode, ...]] = ("json_schema", "json_object", "text")
_FORMS: Final = frozenset({"response_format", "tools", "tool_choice"})
_LENGTHS: Final = ("max_tokens", "max_completion_tokens")
_IN_WORDS: Final = {"json_object": "asked in JSON mode", "text": "asked for JSON in plain words"}
TOKENS_OF_A_MESSAGE: Final = 4096
MESSAGES_VERSION: Final = "2023-06-01"


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """The form of the answer, and the parameters that are sent. ``changes`` says in words what was adapted."""

    mode: Mode = "json_schema"
    speaks_messages: bool = False
    stream: bool = False
    length: str = _LENGTHS[0]
    left_out: frozenset[str] = frozenset()
    changes: tuple[str, ...] = ()

    def body(self, model: str, request: ModelQuestion) -> dict[str, Any]:
        """The body of a request. What is None isn't sent, nor what was refused."""
        sampling, schema = request.sampling, request.prompt.schema
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": "user", "content": request.prompt.text}],
            "temperature": sampling.temperature,
            self.length: sampling.max_tokens,
            "seed": sampling.seed,
        }
        if self.speaks_messages:
            body |= {"max_tokens": sampling.max_tokens or TOKENS_OF_A_MESSAGE, "seed": None}
            # An answer by schema is the input of a tool there.
            tool = {"name": "answer", "description": "Give the answer.", "input_schema": schema}
            choice = {"type": "tool", "name": "answer"}
            body |= {"tools": [tool], "tool_choice": choice} if self.mode == "json_schema" else {}
        elif self.mode != "text":
            named = {"json_schema": {"name": "answer", "strict": True, "schema": schema}}
            body["response_format"] = {"type": self.mode} | (named if self.mode == "json_schema" else {})
        if self.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return {name: value for name, value in body.items() if value is not None and name not in self.left_out}

    def adapted(self, error: ProviderError, sent: dict[str, Any]) -> "RequestPlan | None":
        """The plan without the one thing that the endpoint refuses; None if nothing can be left out."""
        name = error.named(sent.keys() - {"model", "messages"})
        if name in _LENGTHS:
            return self._with_other_length(name, error)
        if name is not None and name not in _FORMS:
            out = {name, "stream_options"} if name == "stream" else {name}
            return self._changed(f"{name} left out", left_out=self.left_out | out)
        if (name is None and not error.may_be_of_form) or self.mode == "text":
            return None
        mode: Mode = "text" if self.speaks_messages else MODES[MODES.index(self.mode) + 1]
        return self._changed(_IN_WORDS[mode], mode=mode)

    def _with_other_length(self, name: str, error: ProviderError) -> "RequestPlan | None":
        other = _LENGTHS[name == _LENGTHS[0]]
        if other in error.message and f"{name} sent as {other}" not in self.changes:
            return self._changed(f"{name} sent as {other}", length=other)
        if self.speaks_messages:
            return None
        return self._changed(f"{name} left out", left_out=self.left_out | {name})

    def _changed(self, words: str, **fields: Any) -> "RequestPlan":
        return replace(self, changes=(*self.changes, words), **fields)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address to post to. ``is_local`` is a model on this machine, which answers one question at a time."""

    url: str
    speaks_messages: bool = False
    is_azure: bool = False
    is_local: bool = False

    def headers(self, key: str | None) -> dict[str, str]:
        """The headers of a request, with the key if there is one."""
        found = {"Accept": "application/json", "Content-Type": "application/json"}
        if self.speaks_messages:
            found["anthropic-version"] = MESSAGES_VERSION
        if key is None:
            return found
        name = "x-api-key" if self.speaks_messages else "api-key" if self.is_azure else "Authorization"
        return found | {name: f"Bearer {key}" if name == "Authorization" else key}


def endpoint_at(url: str) -> Endpoint:
    """The endpoint at a base URL, or at the URL of its requests."""
    base, mark, query = url.partition("?")
    is_whole = base.endswith(("/messages", "/chat/completions"))
    return Endpoint(
        (base if is_whole else f"{base}/chat/completions") + mark + query,
        base.endswith("/messages"),
        query.startswith("api-version="),
        _is_local(urlsplit(base).hostname or ""),
    )


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
