"""What loading a task needs from the outside: its folder, and the folder that its Dockerfile copies from."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Script:
    """A script of a task, as it lies there."""

    is_link: bool
    is_executable: bool


class BuildContext(Protocol):
    """The folder that COPY and ADD read from."""

    @property
    def folder(self) -> str:
        """Where it is."""
        ...

    @property
    def ignored(self) -> frozenset[str]:
        """The paths that a .dockerignore keeps out."""
        ...

    def find(self, pattern: str) -> list[str]:
        """The paths that a word of COPY names, sorted. Nothing outside of the folder can be named."""
        ...


class TaskFolder(Protocol):
    """The folder of one task. Names are relative to it."""

    @property
    def root(self) -> str:
        """Where it is, as an absolute path."""
        ...

    def text(self, name: str) -> str:
        """The text of a file. Raises ``InputError`` if it can't be read."""
        ...

    def is_file(self, name: str) -> bool: ...
    def is_folder(self, name: str) -> bool: ...

    def script(self, name: str) -> Script | None:
        """A script as it lies there; None if there is no such file."""
        ...

    def build_context(self, name: str) -> BuildContext:
        """A folder that a Dockerfile copies from."""
        ...

    def checksum(self) -> str:
        """The checksum of everything in the folder."""
        ...
