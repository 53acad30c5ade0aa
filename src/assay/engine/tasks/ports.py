"""Interfaces to the outside for loading a task: its folder, and the folder that its Dockerfile copies from."""

from dataclasses import dataclass
from typing import Protocol

from assay.engine.tasks.task import HarborChecksums


@dataclass(frozen=True, slots=True)
class Script:
    """A script of a task, as it is on disk. ``names_program`` says whether it begins with ``#!``."""

    is_link: bool
    names_program: bool


class BuildContext(Protocol):
    """The folder that COPY and ADD read from."""

    @property
    def folder(self) -> str:
        """The path of the folder."""
        ...

    @property
    def ignored(self) -> frozenset[str]:
        """The paths that a .dockerignore excludes."""
        ...

    def find(self, pattern: str) -> list[str]:
        """The paths that match a word of COPY, sorted. Paths outside the folder never match."""
        ...


class TaskFolder(Protocol):
    """The folder of one task. Names are relative to it."""

    @property
    def root(self) -> str:
        """The absolute path of the folder."""
        ...

    def text(self, name: str) -> str:
        """The text of a file. Raises ``InputError`` if it can't be read."""
        ...

    def is_file(self, name: str) -> bool: ...
    def is_folder(self, name: str) -> bool: ...

    def script(self, name: str) -> Script | None:
        """A script; None if there is no such file."""
        ...

    def build_context(self, name: str) -> BuildContext:
        """A folder that a Dockerfile copies from."""
        ...

    def checksum(self) -> str:
        """The checksum of everything in the folder."""
        ...

    def harbor_checksums(self) -> HarborChecksums:
        """The checksums that harbor would record of the folder."""
        ...
