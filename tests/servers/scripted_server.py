"""An HTTP server on loopback that answers as it was told to: only for the ways in which a real one fails."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer. ``delay`` is before it, ``trickle`` between its bytes."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0
    trickle: float = 0


@dataclass
class Script:
    """The replies in order, the last one for all that follows; and what was asked."""

    url: str
    replies: list[Reply | Callable[[str], Reply]]
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    posted: list[Any] = field(default_factory=list)

    def reply(self) -> Reply:
        chosen = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return chosen if isinstance(chosen, Reply) else chosen(self.url)


@contextmanager
def scripted(*replies: Reply | Callable[[str], Reply]) -> Iterator[Script]:
    """A server that gives these replies. A function is called with the server's base URL."""
    script = Script("", list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            script.asked.append(self.path)
            script.headers.append(dict(self.headers.items()))
            send(self, script.reply())

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            is_json = "json" in self.headers["Content-Type"]
            script.posted.append(json.loads(content) if is_json else content.decode())
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Handler) as base:
        script.url = f"{base}/r4"
        yield script


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server on loopback in a thread of its own. Gives its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    """Answer a request."""
    time.sleep(reply.delay)
    content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    try:
        # The one also tells the date, which a reply may do itself.
        (handler.send_response_only if "Date" in reply.headers else handler.send_response)(reply.status)
        for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        for part in content.split(b" ") if reply.trickle else [content]:
            handler.wfile.write(part)
            handler.wfile.flush()
            time.sleep(reply.trickle)
    except ConnectionError:
        """Whoever asked is gone."""
