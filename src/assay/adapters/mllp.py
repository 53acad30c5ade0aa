"""A listener for HL7 v2 over MLLP: records every message that comes, then acknowledges it.

A message counts as received only when its recorder has it, so the acknowledgement comes after. What can't be read
is recorded too, and rejected. Field values never reach a log.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from assay.adapters.mllp_connection import Connection, Limits
from assay.formats.hl7.reply import reply_to

LOOPBACK = "127.0.0.1"
_log = logging.getLogger(__name__)


class Recorder(Protocol):
    """Where messages go. It is called with one message at a time, outside of the event loop's thread."""

    def record(self, message: bytes, received_at: datetime, peer: str) -> None: ...


@asynccontextmanager
async def listening(
    recorder: Recorder, host: str = LOOPBACK, port: int = 0, limits: Limits | None = None
) -> AsyncIterator[int]:
    """Listen while the context lasts; gives the port, which the system chooses if it is 0."""
    limits = limits or Limits()
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

    def __init__(self, recorder: Recorder, limits: Limits) -> None:
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
                await Connection(reader, writer, self._limits, take, _now, _new_id).run()
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
