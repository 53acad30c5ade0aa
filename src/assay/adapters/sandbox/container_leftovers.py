"""Containers that are known by their makers, so that those of a killed Assay can be found and removed.

A container's name says which process made it. The number of a process means something only where it was given, and
others may use the same engine: a label says where that was, and nobody else's containers are looked at.
"""

import os
import re
import uuid
from pathlib import Path

from assay.adapters.sandbox.container_engine import REMOVE, Engine

_NAME = re.compile(r"assay-(\d+)-(\d+)-[0-9a-f]+")


def new_name() -> str:
    """A name for a container of this process."""
    return f"assay-{os.getpid()}-{_began(os.getpid())}-{uuid.uuid4().hex[:12]}"


def label() -> str:
    """Where this process has its number: on this machine, since it was switched on, in this namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"assay.place={boot}-{os.stat('/proc/self/ns/pid').st_ino}"


def sweep(engine: Engine) -> None:
    """Remove the containers whose process is gone."""
    listed = engine.call("ps", "--all", "--filter", f"label={label()}", "--format", "{{.Names}}")
    # One by one: at a name that is not there any more, podman forgets the rest.
    for name in filter(is_gone, listed.split()):
        engine.does(*REMOVE, name)


def is_gone(name: str) -> bool:
    """Whether the process that made a container of this name has ended."""
    match = _NAME.fullmatch(name)
    return match is not None and not _alive(int(match[1]), match[2])


def _alive(pid: int, began: str) -> bool:
    """Another process may have the number by now. One of somebody else's that can't be looked at may be it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        return _began(pid) == began
    except OSError:
        return True


def _began(pid: int) -> str:
    """When a process began, in ticks. The name before it, in brackets, may have anything in it."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
