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

    def reply(self) -> Reply:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": self.text}}
        body = {"object": "chat.completion", "choices": [choice]} if self.body is None else self.body
        return Reply(self.status, body, self.headers, self.delay)


@dataclass
class Talk:
    """What was asked: paths, headers and bodies."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        return [body["messages"][0]["content"] for body in self.bodies]


@contextmanager
def chatting(*answers: Chat | Callable[[str], str]) -> Iterator[Talk]:
    """A server that gives these answers, the last one for all that follows. A function is given the prompt."""
    talk = Talk()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            talk.paths.append(self.path)
            talk.headers.append(dict(self.headers.items()))
            talk.bodies.append(body)
            chosen = answers[min(len(talk.bodies), len(answers)) - 1]
            send(self, (chosen if isinstance(chosen, Chat) else Chat(chosen(talk.prompts[-1]))).reply())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Handler) as base:
        talk.url = f"{base}/v1"
        yield talk
