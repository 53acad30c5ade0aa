"""A listener for HL7 v2 over MLLP: records every message that comes, then acknowledges it.

A message counts as received only when its recorder has it, so the acknowledgement comes after. What can't be read
is recorded too, and rejected. Field values never reach a log.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from assay.formats.hl7.acknowledge import reject, reply_to
from assay.formats.hl7.framing import Broken, Frame, FrameReader, frame_content

LOOPBACK = "127.0.0.1"
_log = logging.getLogger(__name__)
_CHUNK = 65536


@dataclass(frozen=True, slots=True)
class MllpLimits:
    """Limits for one listener's senders; times are in seconds."""

    message_bytes: int = 10 * 1024 * 1024
    connections: int = 64
    idle: float = 300.0
    message: float = 30.0
    """From the first byte of a message to its last."""
    missing_end: float = 0.5
    """How long to wait for a frame's last byte, which some senders never send."""
    answer: float = 10.0
    linger: float = 1.0
    """How long to go on reading what a rejected sender still sends; hanging up at once could lose the answer."""


class MessageRecorder(Protocol):
    """Where messages go. It is called with one message at a time, outside of the event loop's thread."""

    def record(self, message: bytes, received_at: datetime, peer: str) -> None: ...


@asynccontextmanager
async def listening(
    recorder: MessageRecorder, host: str = LOOPBACK, port: int = 0, limits: MllpLimits | None = None
) -> AsyncIterator[int]:
    """Listen while the context lasts; gives the port, which the system chooses if it is 0."""
    limits = limits or MllpLimits()
    listener = _Listener(recorder, limits)
    server = await asyncio.start_server(listener.serve, host, port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await listener.hang_up()
        # A sender that does not read its answers keeps its connection half open; nobody waits for it for ever.
        with suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), limits.answer)


class _Listener:
    """All connections of one listener."""

    def __init__(self, recorder: MessageRecorder, limits: MllpLimits) -> None:
        self._recorder = recorder
        self._limits = limits
        self._one_at_a_time = asyncio.Lock()
        self._open: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its beginning to its end."""
        task = asyncio.current_task()
        if task is None or len(self._open) >= self._limits.connections:
            writer.close()
            return
        self._open.add(task)
        take = partial(self._take, _peer(writer))
        try:
            # A sender that hangs up, and a listener that ends, are ordinary ends of a connection.
            with suppress(ConnectionError, TimeoutError, asyncio.CancelledError):
                await MllpConnection(reader, writer, self._limits, take).run()
        finally:
            self._open.discard(task)
            writer.close()

    async def hang_up(self) -> None:
        """End every connection."""
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, peer: str, content: bytes) -> bytes:
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._record_and_reply, peer, content)

    def _record_and_reply(self, peer: str, content: bytes) -> bytes:
        received_at = _now()
        try:
            self._recorder.record(content, received_at, peer)
            stored = True
        except Exception as error:  # noqa: BLE001 - whatever a recorder raises, the sender must hear that it failed
            # Only the type: the text of a database's error may quote the message.
            _log.error("an HL7 message was not recorded: %s", type(error).__name__)
            stored = False
        return reply_to(content, stored=stored, now=received_at, new_id=_new_id)


def _peer(writer: asyncio.StreamWriter) -> str:
    """The sender's address; one that has hung up already has none."""
    name = writer.get_extra_info("peername")
    return f"{name[0]}:{name[1]}" if name else "unknown"


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    """Twenty characters are what MSH-10 could hold in the older versions."""
    return uuid.uuid4().hex[:20].upper()


@dataclass
class MllpConnection:
    """``take`` is given each whole message and gives the answer to it."""

    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter
    _limits: MllpLimits
    _take: Callable[[bytes], Awaitable[bytes]]

    def __post_init__(self) -> None:
        self._frames = FrameReader(self._limits.message_bytes)
        self._deadline: float | None = None

    async def run(self) -> None:
        """Answer until the sender is done, or wrong in a way that leaves no next frame to be found."""
        while True:
            try:
                data = await asyncio.wait_for(self._reader.read(_CHUNK), self._patience())
            except TimeoutError:
                if await self._stops_after_silence():
                    return
                continue
            if not data:
                await self._answer(self._frames.finish())
                return
            if await self._stops_after(data):
                await self._linger()
                return

    async def _stops_after(self, data: bytes) -> bool:
        for item in self._frames.feed(data):
            # The time that answering takes is ours, not the sender's.
            self._deadline = None
            if await self._answer(item):
                return True
        return False

    async def _stops_after_silence(self) -> bool:
        """Silence ends a frame of which only the last byte is missing, and the connection otherwise."""
        was_whole = self._frames.may_be_over
        self._deadline = None
        return await self._answer(self._frames.finish()) or not was_whole

    def _patience(self) -> float:
        """How long to wait for the next bytes. A message has one deadline, however slowly its bytes drip in."""
        if not self._frames.is_within_frame:
            self._deadline = None
            return self._limits.idle
        now = asyncio.get_running_loop().time()
        if self._deadline is None:
            self._deadline = now + self._limits.message
        left = max(self._deadline - now, 0.0)
        return min(left, self._limits.missing_end) if self._frames.may_be_over else left

    async def _answer(self, item: Frame | Broken | None) -> bool:
        """Answer what came, and say whether the connection can't go on."""
        if item is None:
            return False
        if isinstance(item, Frame):
            await self._send(await self._take(item.content))
            return False
        await self._send(reject(item.reason, now=_now(), new_id=_new_id))
        return item.fatal

    async def _linger(self) -> None:
        self._writer.write_eof()
        async with asyncio.timeout(self._limits.linger):
            while await self._reader.read(_CHUNK):
                pass

    async def _send(self, content: bytes) -> None:
        if content:
            self._writer.write(frame_content(content))
            await asyncio.wait_for(self._writer.drain(), self._limits.answer)
