"""The input and the findings of the task linter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from assay.engine.tasks.rules.kinds import KINDS
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

    @property
    def ignored(self) -> frozenset[str]:
        """The paths that a .dockerignore excludes."""

    def find(self, pattern: str) -> list[str]:
        """The paths that match a word of COPY, sorted. Paths outside the folder never match."""


class TaskFolder(Protocol):
    """The folder of one task. Names are relative to it."""

    @property
    def root(self) -> str:
        """The absolute path of the folder."""

    def text(self, name: str) -> str:
        """The text of a file. Raises ``InputError`` if it can't be read."""

    def is_file(self, name: str) -> bool: ...
    def is_folder(self, name: str) -> bool: ...

    def script(self, name: str) -> Script | None:
        """A script; None if there is no such file."""

    def build_context(self, name: str) -> BuildContext:
        """A folder that a Dockerfile copies from."""

    def checksum(self) -> str:
        """The checksum of everything in the folder."""

    def harbor_checksums(self) -> HarborChecksums:
        """The checksums that harbor would record of the folder."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A likely mistake in a task."""

    rule: str
    place: str
    why: str

    @property
    def is_note(self) -> bool:
        """True if it doesn't count."""
        return KINDS[self.rule].is_note

    @property
    def file(self) -> str:
        return self._split()[0]

    @property
    def line(self) -> int | None:
        return self._split()[1]

    def _split(self) -> tuple[str, int | None]:
        file, _, line = self.place.rpartition(":")
        return (file, int(line)) if file and line.isdecimal() else (self.place, None)


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The text of the files of one step by name, and which of them anybody can write to.

    ``settings`` is the text of task.toml. ``places`` are the paths at which an agent's files are kept for the
    verifier. ``network`` says whether the verifier has network access, and ``says_no_network`` if the task
    says so. ``agent_is_ordinary`` is true if the agent isn't root, and ``solutions_withheld`` if no task
    of the same folder has a solution. ``is_one_of_several`` and ``is_last`` tell which step of a task it is. The
    limits are in seconds.
    """

    tests: Mapping[str, str]
    solution: Mapping[str, str]
    environment: Mapping[str, str]
    writable: frozenset[str]
    settings: str
    instruction: str = ""
    places: tuple[str, ...] = ("/workspace",)
    network: bool = True
    says_no_network: bool = False
    agent_is_ordinary: bool = False
    solutions_withheld: bool = False
    is_one_of_several: bool = False
    is_last: bool = True
    agent_limit: float | None = None
    verifier_limit: float | None = None

    @property
    def script(self) -> str:
        """The text of test.sh, if it is a shell script."""
        text = self.tests.get("test.sh", "")
        return text if is_shell(text) else ""

    def is_kept(self, path: str) -> bool:
        """Whether files that the agent leaves at a path are still there when the verifier runs."""
        return any(path == place or path.startswith(f"{place}/") for place in self.places)


def is_shell(text: str) -> bool:
    """Whether a script is for a shell. A script without a #! line is."""
    first = text.partition("\n")[0]
    return not first.startswith("#!") or any(word.endswith("sh") for word in first.replace("/", " ").split())
