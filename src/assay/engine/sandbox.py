"""The interface of a sandbox: run one command under limits, with nothing left running afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assay.evidence.coding_run import Printed, ProcessEnd

# The default environment variables of a command. Never the host's.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BASE_ENV = {"PATH": PATH, "HOME": "/tmp", "LANG": "C.UTF-8", "TERM": "dumb"}  # noqa: S108 - in the sandbox


# Asks whether there is a file at a path that follows, or a folder with something in it.
IS_THERE = ("/bin/sh", "-c", '[ -e "$0" ] && { [ ! -d "$0" ] || [ "$(echo "$0"/*)" != "$0/*" ]; }')


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder or file of the host that is visible at a path in the sandbox."""

    source: str
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """A command's limits. Output beyond the tail is read and dropped, so it can't block or fill a disk.

    ``disk_mb`` is for all that it may write to together, ``file_mb`` for a single file.
    """

    timeout_sec: float
    memory_mb: int | None = None
    cpus: float | None = None
    processes: int = 1024
    file_mb: int = 4096
    output_bytes: int = 256 * 1024
    disk_mb: int | None = None


@dataclass(frozen=True, slots=True)
class SandboxCommand:
    """One command and all that it can see. Its environment is exactly ``env``; ``image`` is for containers.

    With ``apart``, its standard output and its standard error are also kept by themselves, where that can be had.
    ``network_of`` is the network of a container that isn't to have one of its own, as its engine calls it.
    """

    argv: tuple[str, ...]
    workdir: str
    limits: CommandLimits
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    network: bool = False
    stdin: bytes = b""
    user: str | int | None = None
    image: str | None = None
    apart: bool = False
    network_of: str | None = None

    @property
    def written(self) -> tuple[str, ...]:
        """The folders of the host that it may write to."""
        return tuple(mount.source for mount in self.mounts if mount.writable)


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended, the tail of its output, and the resources that it used.

    ``apart`` has its standard output and its standard error, or nothing if they are only known together.
    """

    end: ProcessEnd
    output: bytes
    output_cut: bool
    started_at: datetime
    finished_at: datetime
    cpu_sec: float | None = None
    peak_memory_mb: float | None = None
    disk_mb: float | None = None
    apart: tuple[Printed, ...] = ()


@dataclass(frozen=True, slots=True)
class Isolation:
    """How well a sandbox isolates on this machine, as probed. Recorded on every grading.

    ``measured`` says of each thing that a command must not do whether it can't: ``held`` or ``not held``.
    """

    backend: str
    pid_namespace: bool
    no_network: bool
    read_only_system: bool
    memory_limit: str
    process_limit: str
    cpu_limit: str
    user: str
    system_calls: str = "not filtered"
    nested_namespaces: bool = True
    temporary_folders: str = "not limited"
    measured: Mapping[str, str] = field(default_factory=dict)


class Images(Protocol):
    """How a sandbox of containers handles images. Methods raise ``InputError`` or ``MeasurementError``."""

    def build(self, folder: str, timeout_sec: float, log: str | None = None) -> str:
        """Build the image of a folder with a Dockerfile, unless it is there. Returns its id.

        ``log`` is a file for what the engine says.
        """

    def workdir_of(self, image: str) -> str | None:
        """The working folder of an image; None if it has none."""

    def has(self, image: str, path: str) -> bool:
        """Whether an image has something at a path."""

    def copy_out(self, image: str, path: str, target: str) -> None:
        """Copy a folder of an image to a folder of the host."""


class Sandbox(Protocol):
    """A backend that can run commands."""

    @property
    def images(self) -> Images | None:
        """Access to images; None for a sandbox that shows the host's own system."""

    @property
    def isolation(self) -> Isolation:
        """How well the sandbox isolates on this machine."""

    @property
    def owner(self) -> tuple[int, int] | None:
        """The user and group that commands run as; None if they run as the caller."""

    def run(self, command: SandboxCommand) -> Ran:
        """Run the command to its end. Raises ``MeasurementError`` if the sandbox itself can't start."""


# The home folder of setup, agent and commands, if setup left something there.
HOME = "/home/assay"


@dataclass(frozen=True, slots=True)
class CommandEnvironment:
    """The surroundings of a command. ``path`` has folders of programs that come before those of the system.

    ``linked`` are folders of the workspace whose entries are links into a mount: the folder itself can be written
    to, which programs do that keep a cache there. ``placed`` has paths of the workspace and the files of the host
    that are copied there. ``home`` is the archive of the home folder that setup left: each
    command gets a fresh copy of it.
    """

    image: str | None = None
    mounts: tuple[Mount, ...] = ()
    linked: tuple["LinkedFolder", ...] = ()
    path: tuple[str, ...] = ()
    home: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    placed: tuple[tuple[str, str], ...] = ()

    def variables(self) -> dict[str, str]:
        """The environment variables of a command. An image brings its own."""
        home = {} if self.home is None else {"HOME": HOME}
        if self.image is not None:
            return {**home, **self.env}
        programs = () if self.home is None else (f"{HOME}/.local/bin", f"{HOME}/bin", f"{HOME}/node_modules/.bin")
        return {**BASE_ENV, "PATH": ":".join((*self.path, *programs, BASE_ENV["PATH"])), **home, **self.env}


@dataclass(frozen=True, slots=True)
class LinkedFolder:
    """A folder of the workspace, the mount that its links lead to, and their names."""

    path: str
    target: str
    names: tuple[str, ...]


NO_ENVIRONMENT = CommandEnvironment()
