"""One request of an agent and its answer, over a connection that is used once.

One request a connection leaves nothing for a second one to hide in.
"""

import contextlib
import json
import select
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import responses

from assay.adapters.models.proxy.upstream import Upstream, UpstreamCall, UpstreamUnreachableError
from assay.engine.model_access import Meter
from assay.formats.model_traffic.requests import (
    END,
    LARGEST_HEAD,
    ModelRequest,
    RefusedRequestError,
    RequestHead,
    parse_head,
    question,
    route,
)
from assay.formats.model_traffic.tokens import AnswerCounter

LARGEST_BODY = 16 * 2**20
HEAD_SEC = 15.0
BODY_SEC = 60.0
ANSWER_SEC = 60.0
_CHUNK = 64 * 1024
_AGENT_IS_THE_CAUSE = (400, 404, 405, 409, 413, 415, 422)
_LIMIT = 429
_FORBIDDEN = 403


@dataclass
class Exchange:
    """Handles one connection. ``watch`` is told of the call that is under way, so that it can be cut off."""

    _connection: socket.socket
    _upstream: Upstream
    _hosts: tuple[str, ...]
    _meter: Meter
    _watch: Callable[[UpstreamCall | None], None]
    _heard: bytes = b""
    _listening: bool = True

    def handle(self) -> None:
        """Read the request and answer it, whatever it is."""
        try:
            self._handle()
        except RefusedRequestError as refused:
            self._meter.refuse()
            self._complain(refused.status, str(refused))
        except (OSError, EOFError):
            pass  # The agent went away.

    def _handle(self) -> None:
        head = parse_head(self._head())
        if head.headers.get("host", self._hosts[0]) not in self._hosts:
            raise RefusedRequestError(
                421, f"the host of a request must be {self._hosts[0]}; no other can be reached"
            )
        inner = route(head, self._upstream.base)
        body = self._body(head)
        asked = question(inner, body) if head.method == "POST" else ModelRequest(b"")
        why = self._meter.refuse_model(asked.model)
        if why is not None:
            raise RefusedRequestError(_FORBIDDEN, why)
        with self._meter.turn:
            if self._meter.takes_turns and self._is_cut():
                return
            why = self._meter.admit(asked.model, len(asked.body))
            if why is None:
                self._pass_on(head, asked)
                return
        # Clients would try again, which can't help.
        self._complain(_LIMIT, why, {"x-should-retry": "false"})

    def _is_cut(self) -> bool:
        """Whether Assay shut the connection down while the request waited for its turn."""
        state = select.poll()
        state.register(self._connection, 0)
        return any(event & select.POLLHUP for _, event in state.poll(0))

    def _head(self) -> bytes:
        end = time.monotonic() + HEAD_SEC
        while END not in self._heard and len(self._heard) <= LARGEST_HEAD:
            self._hear(end, "head")
        head, _, self._heard = self._heard.partition(END)
        if len(head) > LARGEST_HEAD:
            raise RefusedRequestError(431, f"the head of a request must have at most {LARGEST_HEAD} bytes")
        return head

    def _body(self, head: RequestHead) -> bytes:
        if head.length > LARGEST_BODY:
            raise RefusedRequestError(413, f"the body of a request must have at most {LARGEST_BODY} bytes")
        if head.headers.get("expect", "").lower() == "100-continue":
            self._connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        parts, size = [self._heard], len(self._heard)
        end = time.monotonic() + BODY_SEC
        while size < head.length:
            self._heard = b""
            self._hear(end, "body")
            parts.append(self._heard)
            size += len(self._heard)
        return b"".join(parts)[: head.length]

    def _hear(self, end: float, part: str) -> None:
        """More of the request, before its time is up: a byte now and then doesn't hold a place for ever."""
        left = end - time.monotonic()
        try:
            self._connection.settimeout(max(left, 0.001))
            data = self._connection.recv(_CHUNK)
        except TimeoutError as error:
            raise RefusedRequestError(408, f"the {part} of a request took too long") from error
        if not data:
            raise EOFError
        self._heard += data

    def _pass_on(self, head: RequestHead, asked: ModelRequest) -> None:
        call = self._upstream.call()
        self._watch(call)
        try:
            call.send(head, asked.body)
            self._answer(call, asked)
        except UpstreamUnreachableError as error:
            # A call that Assay itself cut off may have been answered and paid for.
            self._meter.failed(str(error), outage=not call.was_cut)
            if call.status == 0 and call.was_cut:
                self._meter.answered(asked.model, None, len(asked.body))
            elif call.status == 0:
                self._complain(502, f"the model's endpoint failed: {error}")
        finally:
            self._watch(None)
            call.close()

    def _answer(self, answer: UpstreamCall, asked: ModelRequest) -> None:
        if 300 <= answer.status < 400:
            self._meter.failed(f"it answers {answer.status}, a redirect", outage=True)
            self._complain(502, "the model's endpoint wants to redirect, which isn't followed")
            return
        if answer.status != 200:
            outage = answer.status not in _AGENT_IS_THE_CAUSE
            self._meter.failed(f"it answers {answer.status}", outage=outage)
        self._say(_status_line(answer.status, {**answer.headers, "transfer-encoding": "chunked"}))
        counter = AnswerCounter(answer.headers.get("content-type", ""), hide=asked.hide_usage)
        size, tokens = len(asked.body), None
        try:
            for piece in answer.pieces():
                size += len(piece)
                self._say_chunk(counter.feed(piece))
        finally:
            rest, tokens = counter.end()
            if answer.status == 200 and asked.body:
                self._meter.answered(asked.model, tokens, size, counter.model)
        self._say_chunk(rest)
        self._say(b"0\r\n\r\n")

    def _say_chunk(self, data: bytes) -> None:
        if data:
            self._say(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _say(self, data: bytes) -> None:
        """Tell the agent. If it went away, the answer is still read to its end, because its tokens count."""
        if not self._listening:
            return
        try:
            self._connection.settimeout(ANSWER_SEC)
            self._connection.sendall(data)
        except OSError:
            self._listening = False

    def _complain(self, status: int, why: str, headers: Mapping[str, str] | None = None) -> None:
        """An error as clients of OpenAI and of Anthropic read it."""
        body = json.dumps({"type": "error", "error": {"type": "assay_proxy", "message": why}}).encode()
        about = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
        self._say(_status_line(status, about) + body)
        # With something unread, closing the socket would take the answer with it.
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
            self._connection.settimeout(0.2)
            end = time.monotonic() + 1.0
            while time.monotonic() < end and self._connection.recv(_CHUNK):
                pass


def _status_line(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {responses.get(status, 'Unknown')}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "connection: close", "", ""]).encode("latin-1")
