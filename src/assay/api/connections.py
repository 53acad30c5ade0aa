"""Connections that keep the server waiting: each has so many seconds for a request's head, and there is a most.

Uvicorn waits for the rest of a request for ever, and for a reader of an answer, too. A caller who opens many
connections and sends a byte now and then would take them all. Here a connection that waits for a request has a
time limit, whether nothing, half a head or the rest of a refused body comes; so has one whose reader has stopped
reading. Where there are as many connections as are held, the one that has waited for longest makes room.
"""

import asyncio
import resource
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from h11 import RemoteProtocolError
from h11._receivebuffer import ReceiveBuffer
from uvicorn.protocols.http.h11_impl import H11Protocol

from assay.api.answers import ApiAnswer, problem

HEAD_SEC: Final = 20.0
READ_SEC: Final = 30.0
MOST: Final = 50_000
MOST_HEAD_BYTES: Final = 256 * 1024
# Files that aren't connections of callers: the database, sources, the log.
OTHER_FILES: Final = 256


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """``head_seconds`` for the head of a request, ``read_seconds`` for reading on in an answer."""

    head_seconds: float = HEAD_SEC
    read_seconds: float = READ_SEC
    most: int = MOST


def most_connections() -> int:
    """As many as this process may have, after it was allowed as many as its user may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + OTHER_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST + OTHER_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError):
            # Then there are as many as there were.
            pass
    return max(1, (wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)) - OTHER_FILES)


def limited_protocol(limits: ConnectionLimits) -> type[H11Protocol]:
    """The protocol of a server with these limits."""
    waiting: OrderedDict[GuardedConnection, None] = OrderedDict()

    class Limited(GuardedConnection):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(limits, waiting, *args, **more)

    return Limited


class StrictBuffer(ReceiveBuffer):
    """The bytes of a connection. A head that leaves it open where a request ends is refused.

    A proxy may read other ends of lines, or two lengths, in another way: then a request could hide in another.
    """

    def maybe_extract_lines(self) -> list[bytearray] | None:
        before = bytes(self._data[:MOST_HEAD_BYTES])
        lines = super().maybe_extract_lines()
        if lines:
            head = before[: sum(map(len, lines)) + 2 * len(lines) + 2]
            names = {bytes(line).partition(b":")[0].strip().lower() for line in lines}
            if not head.endswith(b"\r\n\r\n") or head.count(b"\r\n") != head.count(b"\n"):
                raise RemoteProtocolError("lines of a head must end with CR and LF")
            if {b"content-length", b"transfer-encoding"} <= names:
                raise RemoteProtocolError("a request must have one length")
        return lines


class GuardedConnection(H11Protocol):
    """One connection. ``waiting`` has those without a request, the one that has waited for longest first."""

    def __init__(
        self, limits: ConnectionLimits, waiting: "OrderedDict[GuardedConnection, None]", *args: Any, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self._limits = limits
        self._waiting = waiting
        self._began = False
        self._late: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # As in uvicorn.
        super().connection_made(transport)
        self.conn._receive_buffer = StrictBuffer()
        if len(self.connections) > self._limits.most and not self._make_room():
            self._end(_FULL)
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._go_on()
        self._read_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._began = True
        super().data_received(data)
        if self._is_busy():
            self._go_on()

    def send_400_response(self, _msg: str) -> None:
        self._end(_NOT_HTTP)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and not self._is_busy():
            self._began = False
            self._wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(self._limits.read_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._read_on()
        super().resume_writing()

    def _is_busy(self) -> bool:
        """Whether a request has come that isn't answered yet."""
        # Before the first request there is none, whatever uvicorn's types say.
        return bool(self.cycle) and not self.cycle.response_complete

    def _wait(self) -> None:
        self._waiting[self] = None
        if self._late is None:
            self._late = self.loop.call_later(self._limits.head_seconds, self._too_late)

    def _go_on(self) -> None:
        self._waiting.pop(self, None)
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _read_on(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _too_late(self) -> None:
        """Answer a client that sent something; one that has an answer, or sent nothing, is just left."""
        told = self._began and not bool(self.cycle)
        self._end(_too_slow(self._limits.head_seconds) if told else None)

    def _make_room(self) -> bool:
        """Whether another connection could be ended for this one."""
        if not self._waiting:
            return False
        oldest, _ = self._waiting.popitem(last=False)
        oldest._end(None)
        return True

    def _end(self, answer: ApiAnswer | None) -> None:
        self._go_on()
        if self.transport.is_closing():
            return
        if answer is None:
            self.transport.abort()
            return
        self.transport.write(_as_bytes(answer))
        self.transport.close()


def _too_slow(seconds: float) -> ApiAnswer:
    return problem(408, "too_slow", f"the head of a request must arrive within {seconds:g} s")


_NOT_HTTP: Final = problem(
    400, "bad_request", "the request must be HTTP/1.1, with lines that end with CR and LF, and one length"
)
_FULL: Final = problem(503, "too_many_connections", "there are too many connections; try again", retry_after=1)


def _as_bytes(answer: ApiAnswer) -> bytes:
    """An answer of a few lines, for a connection on which there is no request to be answered."""
    title = {400: "Bad Request", 408: "Request Timeout", 503: "Service Unavailable"}[answer.status]
    headers = {
        **answer.headers,
        "Content-Type": answer.media_type,
        "Content-Length": len(answer.body),
        "Connection": "close",
    }
    lines = [f"HTTP/1.1 {answer.status} {title}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode() + answer.body
