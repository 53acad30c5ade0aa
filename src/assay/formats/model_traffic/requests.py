"""Requests of an agent to a model's endpoint, and those that would reach further and may not.

The head is read strictly: what could be read in two ways is refused. Endpoints offer tools that run on their side,
such as a search of the web, and they fetch pictures by address: both would be a network for an agent without one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

LARGEST_HEAD = 32 * 1024
END = b"\r\n\r\n"
_LINE = re.compile(r"(GET|POST) (/[!-~]*) HTTP/1\.1")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*+)")
_MOST_FIELDS = 100


class RefusedRequestError(Exception):
    """A request that isn't passed on: the status of the answer, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request without its body. The names of headers are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    length: int


def parse_head(data: bytes) -> RequestHead:
    """The head in some bytes, without the empty line at its end. Raises ``RefusedRequestError``."""
    line, *rest = data.decode("latin-1").split("\r\n")
    found = _LINE.fullmatch(line)
    if found is None:
        raise RefusedRequestError(
            400, "a request must be GET or POST of a path such as /v1/chat/completions by HTTP/1.1"
        )
    path, _, query = found[2].partition("?")
    if "//" in path or {"%", "\\", "#"} & set(path) or {".", ".."} & set(path.split("/")):
        raise RefusedRequestError(400, "the path of a request must be plain, without '..', '//', '%' or '\\'")
    headers = _headers(rest)
    return RequestHead(found[1], path, query, headers, _length(headers))


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    if len(lines) > _MOST_FIELDS:
        raise RefusedRequestError(431, f"a request must have at most {_MOST_FIELDS} headers")
    for line in lines:
        found = _FIELD.fullmatch(line)
        if found is None:
            raise RefusedRequestError(
                400, "a header of a request must be one line with a name, a colon and a value"
            )
        name = found[1].lower()
        if name in headers and name in ("content-length", "content-type", "host", "transfer-encoding"):
            raise RefusedRequestError(400, f"a request must have {name} only once")
        headers[name] = found[2].strip(" \t")
    return headers


def _length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise RefusedRequestError(411, "a request must have a content-length, and no transfer-encoding")
    if "content-encoding" in headers:
        raise RefusedRequestError(415, "the body of a request must not be compressed")
    written = headers.get("content-length", "0")
    if not (written.isascii() and written.isdecimal() and len(written) < 16):
        raise RefusedRequestError(400, "the content-length of a request must be a whole number")
    return int(written)


CHAT = "/chat/completions"
_POSTED = (CHAT, "/responses", "/messages", "/completions", "/embeddings", "/messages/count_tokens")
_MODELS = re.compile(r"/models(/[A-Za-z0-9._:@-]+)?(/[A-Za-z0-9._:@-]+)?")
# Tools whose calls the agent itself carries out. The names of Anthropic's end with a date.
_OWN_TOOLS = re.compile(r"function|custom|local_shell|shell|apply_patch|(bash|text_editor|computer|memory)_\d+")
_ELSEWHERE = ("mcp_servers", "web_search_options", "plugins", "container", "background")
_FETCHED = ("image_url", "file_url", "url")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request that may be passed on. ``hide_usage`` says that Assay asked for the usage, not the agent."""

    body: bytes
    model: str | None = None
    hide_usage: bool = False


def route(head: RequestHead, base: str) -> str:
    """The part of the path that says what is asked. Raises ``RefusedRequestError`` for anything unknown."""
    known = (base,) if base else ("/v1", "")
    inner = next((head.path[len(one) :] for one in known if head.path.startswith(f"{one}/")), "")
    wanted = inner in _POSTED if head.method == "POST" else _MODELS.fullmatch(inner) is not None
    if not wanted:
        raise RefusedRequestError(
            404,
            f"{head.method} {head.path[:100]} isn't passed on: only questions to a model below {base or '/'} are",
        )
    return inner


def question(inner: str, body: bytes) -> ModelRequest:
    """The question in a body. Raises ``RefusedRequestError`` if it must not be asked."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedRequestError(400, "the body of a request must be JSON") from error
    if not isinstance(asked, dict):
        raise RefusedRequestError(400, "the body of a request must be a JSON object")
    _refuse_reach(asked)
    model = asked.get("model")
    hide = False
    if asked.get("stream") is True and inner in (CHAT, "/completions"):
        options = asked.get("stream_options")
        options = options if isinstance(options, dict) else {}
        hide = options.get("include_usage") is not True
        asked["stream_options"] = {**options, "include_usage": True}
    # Written anew: what was looked at is what is sent, however the agent spelled it.
    return ModelRequest(json.dumps(asked).encode(), model if isinstance(model, str) else None, hide)


def _refuse_reach(asked: dict[str, Any]) -> None:
    named = next((name for name in _ELSEWHERE if asked.get(name)), None)
    if isinstance(asked.get("prompt"), dict):  # Kept at the endpoint, with tools that nobody here can see.
        named = "a stored prompt"
    if str(asked.get("model")).endswith(":online"):
        named = f"the model {asked['model'][:100]}"
    if named is not None:
        raise RefusedRequestError(403, f"{named} isn't passed on: it would reach further than the model")
    tools = asked.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        kind = tool.get("type", "function") if isinstance(tool, dict) else None
        if not isinstance(kind, str) or _OWN_TOOLS.fullmatch(kind) is None:
            raise RefusedRequestError(
                403, f"the tool {str(kind)[:50]} isn't passed on: it would run at the endpoint, not in the sandbox"
            )
    if any(text.strip().lower().startswith(("http:", "https:", "ftp:")) for text in _fetched_addresses(asked)):
        raise RefusedRequestError(
            403, "addresses that the endpoint would fetch aren't passed on; send the content"
        )


def _fetched_addresses(asked: dict[str, Any]) -> Iterator[str]:
    """The addresses in messages that an endpoint follows by itself. Texts and arguments of tools have none."""
    left: list[object] = [asked.get(name) for name in ("messages", "input", "system")]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += value
        elif isinstance(value, dict):
            yield from (value[name] for name in _FETCHED if isinstance(value.get(name), str))
            left += [inner for name, inner in value.items() if name not in ("tool_calls", "arguments")
                     and not (name == "input" and value.get("type") == "tool_use")]  # fmt: skip
