"""Which process made a container or a control group, so that those of a killed Assay can be found and removed.

Neither can be locked as a folder can: containers are the engine's, and each cgroup namespace has an inode of its
own for a group. So both carry the id of the process that made them, and when it began. An id means something only
where it was given, and others may share the engine or the groups: what was made elsewhere is left alone.
"""

import os
from dataclasses import dataclass
from pathlib import Path

_BOOT_ID = "/proc/sys/kernel/random/boot_id"


def place() -> str:
    """Where this process has its id: on this machine, since it was started, in this PID namespace."""
    return f"{Path(_BOOT_ID).read_text().strip()}-{os.stat('/proc/self/ns/pid').st_ino}"


@dataclass(frozen=True, slots=True)
class Maker:
    """A process of this place. ``began`` tells it from a later one with the same id."""

    pid: int
    began: int

    def __str__(self) -> str:
        return f"{self.pid}-{self.began}"

    @property
    def is_gone(self) -> bool:
        """Whether the process has ended. One that can't be looked at may still be there."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        # A /proc of another PID namespace tells of other processes.
        if os.readlink("/proc/self") != str(os.getpid()):
            return False
        try:
            return _began(str(self.pid)) != self.began
        except OSError:
            return False


def this_process() -> Maker:
    """The maker of what is made here and now."""
    return Maker(os.getpid(), _began("self"))


def _began(process: str) -> int:
    """When a process began, in ticks. The name before it, in brackets, may have anything in it."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])
