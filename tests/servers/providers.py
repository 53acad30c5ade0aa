"""Providers of models on loopback, each with the oddities that its documentation tells of.

A provider looks at a request and answers. Its address and its oddities are a row of a table; what it says when
nothing is odd is the test's. All of them are one server.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.servers.scripted_server import Reply, send, serving

Body = dict[str, Any]


@dataclass
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: Body

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][0]["content"])


@dataclass(frozen=True)
class Provider:
    """One provider: where its base URL ends, its row in the docs, and its answer to a request.

    ``answer`` is given the request, the text to say, and how many requests came before.
    """

    name: str
    ends: str
    answer: Callable[[Asked, str, int], Reply]
    adapted: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()


@dataclass
class Provided:
    """A provider that is up, and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def provided(provider: Provider, *texts: str) -> Iterator[Provided]:
    """A provider that says these texts, the last one for all that follows."""
    up = Provided("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = Asked(self.path, dict(self.headers.items()), body)
            up.asked.append(asked)
            before = len(up.asked) - 1
            send(self, provider.answer(asked, texts[min(before, len(texts) - 1)], before))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Handler) as base:
        up.url = base + provider.ends
        yield up


def error(status: int, message: str, kind: str = "invalid_request_error", **more: Any) -> Reply:
    """An error as OpenAI writes it."""
    return Reply(status, {"error": {"message": message, "type": kind, "param": None, "code": None, **more}})


def completion(content: Any, prompt: str = "", finish: str = "stop", **message: Any) -> Reply:
    usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 9}
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    return Reply(200, {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})


def stream(text: str, prompt: str) -> Reply:
    """The pieces of a completion, as servers on one's own machine send them."""
    at = len(text) // 2
    pieces: list[Body] = [{"choices": [{"delta": {"content": part}}]} for part in (text[:at], text[at:])]
    pieces.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    pieces.append({"choices": [], "usage": {"prompt_tokens": len(prompt) // 4, "completion_tokens": 9}})
    lines = "".join(f"data: {json.dumps(one)}\n\n" for one in pieces)
    return Reply(200, f"{lines}data: [DONE]\n\n".encode(), {"Content-Type": "text/event-stream"})


def only_by_schema(asked: Asked) -> Reply | None:
    if asked.body.get("response_format", {}).get("type") != "json_schema":
        return error(400, "this test wants an answer by schema")
    return None


def reasoning(asked: Asked, text: str, _before: int) -> Reply:
    """An o- or gpt-5 model: no temperature but its own, and another name for the length."""
    if "max_tokens" in asked.body:
        why = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return error(400, f"Unsupported parameter: {why}", param="max_tokens", code="unsupported_parameter")
    if asked.body.get("temperature", 1) != 1:
        why = "'temperature' does not support 0 with this model. Only the default (1) value is supported."
        return error(400, f"Unsupported value: {why}", param="temperature", code="unsupported_value")
    return only_by_schema(asked) or completion(text, asked.prompt)


def ignoring_forms(asked: Asked, text: str, before: int) -> Reply:
    """Anthropic's OpenAI layer: overloaded at first, then prose around a fence, whatever form was asked for."""
    if before == 0:
        return error(529, "Overloaded", "overloaded_error")
    return completion(f"Here is my verdict:\n\n```json\n{text}\n```\n", asked.prompt)


def strict_forms(asked: Asked, text: str, _before: int) -> Reply:
    """A newer build of that layer: strict schemas only, and no seed."""
    form = asked.body.get("response_format", {})
    if form.get("type") != "json_schema" or not form["json_schema"].get("strict"):
        return error(400, "response_format: strict must be true for json_schema")
    if "temperature" in asked.body:
        return error(400, "`temperature` is deprecated for this model.")
    return completion(text, asked.prompt)


def messages(asked: Asked, text: str, before: int) -> Reply:
    """Anthropic's own Messages API."""
    headers = {name.lower(): value for name, value in asked.headers.items()}
    told: dict[str, Any] = {"type": "authentication_error", "message": "invalid x-api-key"}
    if headers.get("x-api-key") != "secret-key" or "authorization" in headers:
        return Reply(401, {"type": "error", "error": told})
    if "anthropic-version" not in headers or "max_tokens" not in asked.body or "seed" in asked.body:
        return Reply(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "max_tokens"}})
    if before == 0:
        return Reply(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert asked.body["tool_choice"] == {"type": "tool", "name": asked.body["tools"][0]["name"]}
    parts = [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "name": "answer", "input": json.loads(text)},
    ]
    read = len(asked.prompt) // 4
    usage = {"input_tokens": 10, "cache_read_input_tokens": read, "cache_creation_input_tokens": 0}
    answer = {"type": "message", "role": "assistant", "content": parts, "stop_reason": "tool_use"}
    return Reply(200, answer | {"usage": usage | {"output_tokens": 9}})


def vllm(asked: Asked, text: str, _before: int) -> Reply:
    """vLLM with a reasoning parser: thoughts beside the content."""
    return completion(text, asked.prompt, reasoning_content="PASS or FAIL?")


def vllm_unparsed(asked: Asked, text: str, _before: int) -> Reply:
    """vLLM without one: the template has opened the thoughts, the answer only closes them."""
    if "response_format" in asked.body:
        told = {"message": "guided decoding is not enabled", "type": "BadRequestError", "param": None, "code": 400}
        return Reply(400, {"object": "error", **told})
    return completion(f"Is it done? {{maybe}}\n</think>\n\n{text}", asked.prompt)


def vllm_all_reasoning(asked: Asked, text: str, _before: int) -> Reply:
    """vLLM whose parser finds no end of the thoughts: everything is thoughts."""
    return completion(None, asked.prompt, reasoning_content=text)


def ollama(asked: Asked, text: str, _before: int) -> Reply:
    """Ollama: streams, and names a model that isn't there."""
    if asked.body["model"] != "m":
        return error(404, 'model "x" not found, try pulling it first', "api_error")
    return stream(text, asked.prompt)


def llama_cpp(asked: Asked, text: str, _before: int) -> Reply:
    """llama.cpp: a context that is too small is an error of its own."""
    if len(asked.prompt) > 40_000:
        told = "request (12345 tokens) exceeds the available context size (4096 tokens), try increasing it"
        return Reply(400, {"error": {"code": 400, "message": told, "type": "exceed_context_size_error"}})
    return stream(text, asked.prompt)


def openrouter(asked: Asked, text: str, before: int) -> Reply:
    """OpenRouter: no provider of the model has schemas, and an error comes under 200."""
    if asked.body.get("response_format", {}).get("type") == "json_schema":
        told = "No endpoints found that can handle the requested parameters. To learn more, visit the docs."
        return Reply(404, {"error": {"message": told, "code": 404}})
    if before < 2:
        told = "Provider returned error"
        return Reply(200, {"error": {"message": told, "code": 429, "metadata": {"raw": asked.prompt}}})
    return completion(text, asked.prompt)


def mistral(asked: Asked, text: str, _before: int) -> Reply:
    """Mistral: content as parts, and unknown parameters are named by their place."""
    if "seed" in asked.body:
        detail = {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}
        return Reply(422, {"object": "error", "message": {"detail": [detail]}, "type": "invalid_request_error"})
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": "PASS?"}]}
    return completion([thoughts, {"type": "text", "text": text}], asked.prompt)


def azure(asked: Asked, text: str, _before: int) -> Reply:
    """Azure: a path with the deployment, a version in the query, and a key in its own header."""
    headers = {name.lower(): value for name, value in asked.headers.items()}
    if asked.path != "/openai/deployments/m/chat/completions?api-version=2024-10-21":
        return Reply(404, {"error": {"code": "404", "message": "Resource not found"}})
    if headers.get("api-key") != "secret-key" or "authorization" in headers:
        return Reply(401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key."}})
    return only_by_schema(asked) or completion(text, asked.prompt)


def plain_openai(asked: Asked, text: str, _before: int) -> Reply:
    return only_by_schema(asked) or completion(text, asked.prompt)


PROVIDERS = (
    Provider("OpenAI", "/v1", plain_openai),
    Provider(
        "OpenAI reasoning models",
        "/v1",
        reasoning,
        ("max_tokens sent as max_completion_tokens", "temperature left out"),
    ),
    Provider("Anthropic, OpenAI layer", "/v1", ignoring_forms, repaired=("text around the object",)),
    Provider("Anthropic, OpenAI layer with strict forms", "/v1", strict_forms, ("temperature left out",)),
    Provider("Anthropic, Messages API", "/v1/messages", messages),
    Provider("vLLM with a reasoning parser", "/v1", vllm),
    Provider(
        "vLLM without a reasoning parser",
        "/v1",
        vllm_unparsed,
        ("asked in JSON mode", "asked for JSON in plain words"),
    ),
    Provider("vLLM, everything as thoughts", "/v1", vllm_all_reasoning),
    Provider("Ollama", "/v1", ollama),
    Provider("llama.cpp", "/v1", llama_cpp),
    Provider("OpenRouter", "/api/v1", openrouter, ("asked in JSON mode",)),
    Provider("Mistral", "/v1", mistral, ("seed left out",)),
    Provider("Azure OpenAI", "/openai/deployments/m?api-version=2024-10-21", azure),
)
