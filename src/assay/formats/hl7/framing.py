"""MLLP frames in a stream of bytes: 0x0B, the message, 0x1C 0x0D. Knows bytes only; who reads them is elsewhere.

Tolerated: line ends between frames, and a missing 0x0D in front of the next frame or where the sender waits. A
frame that is cut off by the next one, bytes outside of frames and frames that are too large are broken.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

START, END, CR = b"\x0b", b"\x1c", b"\x0d"
_BETWEEN = b"\r\n \t\x1c"
_FRAME_END = re.compile(b"\x1c\r|\x1c\x0b|\x0bMSH")


@dataclass(frozen=True, slots=True)
class Frame:
    """A whole message."""

    content: bytes


@dataclass(frozen=True, slots=True)
class Broken:
    """Bytes instead of a frame. After a fatal one it can't be known where the next frame begins."""

    reason: str
    fatal: bool


def frame_content(content: bytes) -> bytes:
    """The content as one frame."""
    return START + content + END + CR


class FrameReader:
    """Collects bytes as they come and gives frames as they are complete."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._scanned = 0

    def feed(self, data: bytes) -> Iterator[Frame | Broken]:
        """Take bytes, give what they complete. Stop at the first fatal one."""
        self._buffer += data
        while True:
            found = self._next()
            if found is None:
                return
            yield found
            if isinstance(found, Broken) and found.fatal:
                return

    @property
    def is_within_frame(self) -> bool:
        """Whether a frame has begun and has not ended."""
        return bool(self._buffer)

    @property
    def may_be_over(self) -> bool:
        """Whether only the last 0x0D is missing, which some senders never send."""
        return self._buffer.endswith(END)

    def finish(self) -> Frame | Broken | None:
        """The rest when nothing more comes."""
        if not self._buffer:
            return None
        content = bytes(self._buffer[1:-1])
        if self.may_be_over:
            self._drop(len(self._buffer))
            return Frame(content)
        return Broken("the frame has no end", fatal=True)

    def _next(self) -> Frame | Broken | None:
        if not self._scanned:
            self._skip_between()
            if self._buffer and not self._buffer.startswith(START):
                return Broken("bytes outside of a frame: 0x0B must come before a message", fatal=True)
        return self._frame() or self._too_large()

    def _frame(self) -> Frame | Broken | None:
        """Look at new bytes only, so that a frame in many pieces costs no more than in one."""
        found = _FRAME_END.search(self._buffer, max(self._scanned - 3, 1))
        if found is None:
            self._scanned = len(self._buffer)
            return None
        at, mark = found.start(), found[0]
        # A buffer that a match looks at can't shrink.
        del found
        if at - 1 > self._max_bytes:
            return self._too_large()
        content = bytes(self._buffer[1:at])
        cut_off = mark.startswith(START)
        self._drop(at if cut_off else at + 1 + (mark == END + CR))
        return Broken("the frame was cut off by the next one", fatal=False) if cut_off else Frame(content)

    def _skip_between(self) -> None:
        at = 0
        while self._buffer[at : at + 1] and self._buffer[at] in _BETWEEN:
            at += 1
        self._drop(at)

    def _too_large(self) -> Broken | None:
        # Two more bytes than the message: the frame's first, and an end that is not complete yet.
        if len(self._buffer) <= self._max_bytes + 2:
            return None
        return Broken(f"the message is larger than {self._max_bytes} bytes", fatal=True)

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        self._scanned = 0
