"""Find out where this machine lets us make control groups, which limit a whole tree of processes."""

import os
import secrets
from dataclasses import dataclass

V2_ROOT = "/sys/fs/cgroup"


@dataclass(frozen=True, slots=True)
class Controllers:
    """The folders in which groups can be made; None where they can't."""

    memory: str | None
    pids: str | None
    cpu: str | None
    quota: str | None
    version: int

    def name(self, folder: str | None, otherwise: str = "rlimit") -> str:
        return f"cgroup v{self.version}" if folder else otherwise

    @property
    def roots(self) -> list[str]:
        """Each folder once: version 2 has one for all."""
        return list(dict.fromkeys(root for root in (self.memory, self.pids, self.cpu, self.quota) if root))


def find_controllers() -> Controllers:
    """Look for places where this process may make groups, by making one."""
    if os.path.exists(f"{V2_ROOT}/cgroup.controllers"):
        folder = _usable(_own_v2_folder(), ("memory.max", "pids.max"))
        return Controllers(folder, folder, folder, _usable(_own_v2_folder(), ("cpu.max",)), 2)
    return Controllers(
        memory=_usable(f"{V2_ROOT}/memory", ("memory.limit_in_bytes",)),
        pids=_usable(f"{V2_ROOT}/pids", ("pids.max",)),
        cpu=_usable(f"{V2_ROOT}/cpuacct", ("cpuacct.usage",)),
        quota=_usable(f"{V2_ROOT}/cpu", ("cpu.cfs_quota_us",)),
        version=1,
    )


def _own_v2_folder() -> str:
    try:
        with open("/proc/self/cgroup") as file:
            path = next(line.split(":", 2)[2].strip() for line in file if line.startswith("0::"))
    except (OSError, StopIteration):
        path = "/"
    return V2_ROOT + path.rstrip("/")


def _usable(folder: str, files: tuple[str, ...]) -> str | None:
    # Another PID namespace may have a process with our id, which is looking at this very moment.
    trial = f"{folder}/assay-probe-{secrets.token_hex(6)}"
    try:
        os.mkdir(trial)
    except OSError:
        return None
    try:
        return folder if all(os.access(f"{trial}/{file}", os.W_OK) for file in files) else None
    finally:
        os.rmdir(trial)
