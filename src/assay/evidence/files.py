"""A file that somebody else may have written, after it was opened with care: absent, content, or refused."""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


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
    """Nothing is there, or only a link that points nowhere."""

    path: str


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a regular file, read once."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """Something is there that must not or can't be read."""

    path: str
    why: Refusal
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.path} is {self.why.value}{self.detail}"


File: TypeAlias = Absent | Content | Refused


@dataclass(frozen=True, slots=True)
class RewardFiles:
    """What a verifier left behind: reward.json and reward.txt, each as it was found."""

    json: File
    text: File
