"""What commands on a workspace see beside it: an image, or folders of the host, read-only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.engine.sandbox import BASE_ENV, Mount


@dataclass(frozen=True, slots=True)
class CommandEnvironment:
    """The surroundings of a command. ``path`` has folders of programs that come before those of the system.

    ``linked`` are folders of the workspace whose entries are links into a mount: the folder itself can be written
    to, which programs do that keep a cache there.
    """

    image: str | None = None
    mounts: tuple[Mount, ...] = ()
    linked: tuple["LinkedFolder", ...] = ()
    path: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def variables(self) -> dict[str, str]:
        """The environment variables of a command. An image brings its own."""
        if self.image is not None:
            return dict(self.env)
        return {**BASE_ENV, "PATH": ":".join((*self.path, BASE_ENV["PATH"])), **self.env}


@dataclass(frozen=True, slots=True)
class LinkedFolder:
    """A folder of the workspace, the mount that its links lead to, and their names."""

    path: str
    target: str
    names: tuple[str, ...]


NO_ENVIRONMENT = CommandEnvironment()
