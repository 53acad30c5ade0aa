"""A file that an agent may have written, after a careful attempt to read it, or to open it for parts of it."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias


class Refusal(Enum):
    """Why a path that exists was not read."""

    LINK = "a symbolic link"
    FOLDER = "a folder"
    FIFO = "a named pipe"
    SOCKET = "a socket"
    DEVICE = "a device"
    TOO_LARGE = "larger than the limit"
    UNREADABLE = "not readable"


@dataclass(frozen=True, slots=True)
class Absent:
    """The path doesn't exist, or is a link that leads nowhere."""

    path: str


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a regular file, read once."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """The path exists, but must not or can't be read."""

    path: str
    why: Refusal
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.path} is {self.why.value}{self.detail}"


File: TypeAlias = Absent | Content | Refused


REWARD_LIMIT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RewardFiles:
    """The reward files of a verifier: reward.json and reward.txt."""

    json: File
    text: File


class ByteSource(Protocol):
    """Some bytes of a known length."""

    @property
    def size(self) -> int: ...

    def read(self, start: int, length: int) -> bytes:
        """Some of the bytes; fewer if there aren't as many."""


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
