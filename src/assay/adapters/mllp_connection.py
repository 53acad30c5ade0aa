"""One sender's connection to an MLLP listener: frames in, answers out, with a limit on everything."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from assay.formats.hl7.framing import Broken, Frame, FrameReader, framed
from assay.formats.hl7.reply import reject

_CHUNK = 65536


@dataclass(frozen=True, slots=True)
class Limits:
    """What one listener lets its senders do; times are in seconds."""

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


class Connection:
    """``take`` is given each whole message and gives the answer to it."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        limits: Limits,
        take: Callable[[bytes], Awaitable[bytes]],
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._limits = limits
        self._take = take
        self._clock = clock
        self._new_id = new_id
        self._frames = FrameReader(limits.message_bytes)
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
        await self._send(reject(item.reason, now=self._clock(), new_id=self._new_id))
        return item.fatal

    async def _linger(self) -> None:
        self._writer.write_eof()
        async with asyncio.timeout(self._limits.linger):
            while await self._reader.read(_CHUNK):
                pass

    async def _send(self, content: bytes) -> None:
        if content:
            self._writer.write(framed(content))
            await asyncio.wait_for(self._writer.drain(), self._limits.answer)
