"""A server on loopback that speaks OpenAI's chat completions, and answers as it was told to."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.servers.scripted_server import Reply, send, serving


@dataclass(frozen=True)
class Chat:
    """One answer: the text of a completion, or a body of any other form."""

    text: str = ""
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0
    finish: str = "stop"
    usage: dict[str, Any] | None = None

    def reply(self) -> Reply:
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "finish_reason": self.finish, "message": message}
        usage = {} if self.usage is None else {"usage": self.usage}
        completion = {"object": "chat.completion", "choices": [choice], **usage}
        return Reply(self.status, completion if self.body is None else self.body, self.headers, self.delay)


@dataclass
class Talk:
    """What was asked: paths, headers and bodies."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        return [body["messages"][0]["content"] for body in self.bodies]


@contextmanager
def chatting(*answers: Chat | Callable[[str], str], modes: frozenset[str] | None = None) -> Iterator[Talk]:
    """A server that gives these answers, the last one for all that follows. A function is given the prompt.

    With ``modes``, a request in another mode (json_schema, json_object, text) is refused with 400.
    """
    talk = Talk()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            talk.paths.append(self.path)
            talk.headers.append(dict(self.headers.items()))
            mode = body.get("response_format", {}).get("type", "text")
            talk.modes.append(mode)
            if modes is not None and mode not in modes:
                return send(self, Reply(400, {"error": {"message": "response_format is not supported"}}))
            talk.bodies.append(body)
            chosen = answers[min(len(talk.bodies), len(answers)) - 1]
            return send(self, (chosen if isinstance(chosen, Chat) else Chat(chosen(talk.prompts[-1]))).reply())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Handler) as base:
        talk.url = f"{base}/v1"
        yield talk
