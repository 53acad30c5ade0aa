"""The interface of a backend that others bring: commands run on their machines, and files travel there and back.

A backend starts sessions. Each has one machine of its own for one command: files are put there, the command runs,
folders that it may have changed come back, and the machine is stopped. What is in a session is gone with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from assay.core.errors import MeasurementError
from assay.evidence.coding_run import Printed


@dataclass(frozen=True, slots=True)
class SessionNeeds:
    """The machine that a command needs. None is no limit, and for the image the backend's own."""

    image: str | None = None
    network: bool = False
    cpus: float | None = None
    memory_mb: int | None = None
    disk_mb: int | None = None
    processes: int | None = None


@dataclass(frozen=True, slots=True)
class SessionCommand:
    """A command with exactly this environment. ``user`` is None for the image's own.

    With ``apart``, its standard output and its standard error are wanted by themselves, too.
    """

    argv: tuple[str, ...]
    workdir: str
    env: Mapping[str, str]
    timeout_sec: float
    output_bytes: int
    stdin: bytes = b""
    user: str | int | None = None
    apart: bool = False


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """How a command ended: its exit code, or None if it was stopped at its time limit, and the end of its output.

    What it wrote to its standard output and to its standard error is one stream. ``apart`` has the end of each, if
    that was asked for and can be had. If it can't, the record of an agent says so.

    If the machine ended because the command used up its memory, that is ``out_of_memory``; if it used too much of
    something else, ``excess`` says so. Then nothing that it left comes back.
    """

    exit_code: int | None
    output: bytes
    output_cut: bool = False
    apart: tuple[Printed, ...] = ()
    out_of_memory: bool = False
    excess: str = ""


class LostFilesError(MeasurementError):
    """Raised by ``get`` where the command itself put its files out of reach. That is its own doing."""


class Session(Protocol):
    """One machine for one command. Whatever fails raises any exception: that is a measurement that broke."""

    def put(self, folder: str, archive: BinaryIO) -> None:
        """Unpack an archive (tar, compressed by gzip) in a folder, which may not be there yet."""

    def exec(self, command: SessionCommand) -> SessionEnd:
        """Run a command to its end. At its time limit it is stopped, with all that it started."""

    def get(self, folder: str, archive: BinaryIO) -> None:
        """Write an archive of a folder's content (tar, compressed by gzip), with names from the folder on."""

    def stop(self) -> None:
        """Remove the machine, whatever still runs there. May be called at any moment, and more than once."""


class Backend(Protocol):
    """A place where commands can run. May be asked from several threads."""

    @property
    def trial_image(self) -> str | None:
        """The image in which its sessions are measured; None if they need none."""

    def start(self, needs: SessionNeeds) -> Session:
        """A machine that is ready."""

    def build(self, folder: str, timeout_sec: float) -> str:
        """Build the image of a folder with a Dockerfile, unless it is there. Returns its name."""

    def workdir_of(self, image: str) -> str | None:
        """The working folder that an image declares."""
