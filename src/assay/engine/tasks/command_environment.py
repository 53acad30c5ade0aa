"""What commands on a workspace see beside it: an image, or folders of the host, read-only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.engine.sandbox import BASE_ENV, Mount

# The home folder of setup, agent and commands, if setup left something there.
HOME = "/home/assay"


@dataclass(frozen=True, slots=True)
class CommandEnvironment:
    """The surroundings of a command. ``path`` has folders of programs that come before those of the system.

    ``linked`` are folders of the workspace whose entries are links into a mount: the folder itself can be written
    to, which programs do that keep a cache there. ``home`` is the archive of the home folder that setup left: each
    command gets a fresh copy of it.
    """

    image: str | None = None
    mounts: tuple[Mount, ...] = ()
    linked: tuple["LinkedFolder", ...] = ()
    path: tuple[str, ...] = ()
    home: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)

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
