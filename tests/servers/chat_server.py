"""A server on loopback that speaks OpenAI's chat completions, and answers as it was told to."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Chat:
    """One answer: the text of a completion, or a body of any other form."""

    text: str = ""
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0

    def content(self) -> bytes:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": self.text}}
        return (
            json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
            if self.body is None
            else self.body
        )


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
            _send(self, chosen if isinstance(chosen, Chat) else Chat(chosen(talk.prompts[-1])))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        talk.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield talk
        finally:
            server.shutdown()
            thread.join()


def _send(handler: BaseHTTPRequestHandler, answer: Chat) -> None:
    time.sleep(answer.delay)
    content = answer.content()
    try:
        handler.send_response(answer.status)
        for name, value in {"Content-Length": str(len(content)), **answer.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)
    except ConnectionError:
        """Whoever asked is gone."""
