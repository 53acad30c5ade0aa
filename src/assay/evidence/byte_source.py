"""Bytes that are somewhere else and are read in pieces: a file of an agent may be larger than the memory."""

from dataclasses import dataclass
from typing import Protocol


class ByteSource(Protocol):
    """Some bytes of a known length."""

    @property
    def size(self) -> int: ...

    def read(self, start: int, length: int) -> bytes:
        """Some of the bytes; fewer if there aren't as many."""
        ...


@dataclass(frozen=True, slots=True)
class HeldBytes:
    """Bytes that are here already. Fulfils ``ByteSource``."""

    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self, start: int, length: int) -> bytes:
        return self.data[start : start + length]


def tail(source: ByteSource, length: int) -> bytes:
    """The last bytes."""
    start = max(0, source.size - length)
    return source.read(start, source.size - start)
