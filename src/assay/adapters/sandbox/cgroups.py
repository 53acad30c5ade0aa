"""Memory and process limits for a whole tree of processes, where this machine lets us make control groups."""

import atexit
import contextlib
import functools
import os
import queue
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.engine.sandbox import Limits, Ran

V2_ROOT = "/sys/fs/cgroup"
TRIES = 500
PERIOD = 100_000


@dataclass(frozen=True, slots=True)
class Group:
    """The folders of one group: one in version 2, one for each controller in version 1."""

    memory: str | None
    pids: str | None
    cpu: str | None
    quota: str | None

    @property
    def folders(self) -> list[str]:
        return list(dict.fromkeys(one for one in (self.memory, self.pids, self.cpu, self.quota) if one))

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed something in the group for its memory."""
        if self.memory is None:
            return False
        for name in ("memory.events", "memory.oom_control"):
            counts = _read_counts(f"{self.memory}/{name}")
            if counts.get("oom_kill", 0) > 0:
                return True
        return False

    def peak_memory_mb(self) -> float | None:
        """The most memory that the group held at once; None where nobody counted."""
        for name in ("memory.peak", "memory.max_usage_in_bytes"):
            with contextlib.suppress(OSError, ValueError), open(f"{self.memory}/{name}") as file:
                return int(file.read()) / 2**20
        return None

    def cpu_sec(self) -> float | None:
        """The CPU time of everything that ran in the group; None where nobody counted."""
        with contextlib.suppress(OSError, ValueError), open(f"{self.cpu}/cpuacct.usage") as file:
            return int(file.read()) / 1e9
        used = _read_counts(f"{self.cpu}/cpu.stat").get("usage_usec")
        return None if used is None else used / 1e6


@dataclass(frozen=True, slots=True)
class Controllers:
    """Where groups can be made on this machine. None where they can't."""

    memory: str | None
    pids: str | None
    cpu: str | None
    quota: str | None
    version: int

    def name(self, folder: str | None, otherwise: str = "rlimit") -> str:
        return f"cgroup v{self.version}" if folder else otherwise


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


@contextlib.contextmanager
def limited_group(controllers: Controllers, limits: Limits) -> Iterator[Group]:
    """A group with these limits, removed afterwards together with everything that is still in it."""
    name = f"assay-{uuid.uuid4().hex[:12]}"
    # A group for the share of the CPUs is made only where a share is asked for: it costs a little time.
    roots = (controllers.memory, controllers.pids, controllers.cpu, controllers.quota if limits.cpus else None)
    group = Group(*(f"{root}/{name}" if root else None for root in roots))
    try:
        for folder in group.folders:
            os.mkdir(folder)
        if group.memory is not None and limits.memory_mb is not None:
            _limit_memory(group.memory, limits.memory_mb * 2**20, controllers.version)
        if group.pids is not None:
            _write(f"{group.pids}/pids.max", limits.processes)
        if group.quota is not None and limits.cpus is not None:
            _limit_cpus(group.quota, limits.cpus, controllers.version)
        yield group
    finally:
        for folder in group.folders:
            _remove(folder)


def with_usage(ran: Ran, group: Group) -> Ran:
    """What the group tells of a command that ran in it."""
    end = ran.end
    if group.ran_out_of_memory() and not end.timed_out:
        end = replace(end, out_of_memory=True)
    return replace(ran, end=end, peak_memory_mb=group.peak_memory_mb(), cpu_sec=group.cpu_sec())


def _limit_memory(folder: str, limit: int, version: int) -> None:
    if version == 2:
        _write(f"{folder}/memory.max", limit)
        with contextlib.suppress(OSError):
            _write(f"{folder}/memory.swap.max", 0)
    else:
        _write(f"{folder}/memory.limit_in_bytes", limit)
        with contextlib.suppress(OSError):
            _write(f"{folder}/memory.memsw.limit_in_bytes", limit)


def _limit_cpus(folder: str, cpus: int, version: int) -> None:
    if version == 2:
        _write(f"{folder}/cpu.max", f"{cpus * PERIOD} {PERIOD}")
    else:
        _write(f"{folder}/cpu.cfs_period_us", PERIOD)
        _write(f"{folder}/cpu.cfs_quota_us", cpus * PERIOD)


def _own_v2_folder() -> str:
    try:
        with open("/proc/self/cgroup") as file:
            path = next(line.split(":", 2)[2].strip() for line in file if line.startswith("0::"))
    except (OSError, StopIteration):
        path = "/"
    return V2_ROOT + path.rstrip("/")


def _usable(folder: str, files: tuple[str, ...]) -> str | None:
    trial = f"{folder}/assay-probe-{os.getpid()}"
    try:
        os.mkdir(trial)
    except OSError:
        return None
    try:
        return folder if all(os.access(f"{trial}/{file}", os.W_OK) for file in files) else None
    finally:
        os.rmdir(trial)


def _remove(folder: str) -> None:
    """Remove a group; what is still in it is killed first. One that lingers is left to the janitor."""
    if not _removed(folder):
        _janitor().put(folder)


def _removed(folder: str) -> bool:
    with contextlib.suppress(OSError):
        for pid in _read_lines(f"{folder}/cgroup.procs"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


@functools.cache
def _janitor() -> "queue.SimpleQueue[str]":
    """Removes groups that the kernel still holds. It takes a moment to let go of the dead; nobody waits for it."""
    lingering: queue.SimpleQueue[str] = queue.SimpleQueue()

    def work() -> None:
        while True:
            folder = lingering.get()
            for _ in range(TRIES):
                if _removed(folder):
                    break
                time.sleep(0.01)

    threading.Thread(target=work, daemon=True, name="assay-cgroups").start()
    atexit.register(lambda: time.sleep(0.05) if not lingering.empty() else None)
    return lingering


def _read_counts(path: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    with contextlib.suppress(OSError, ValueError):
        for line in _read_lines(path):
            key, _, value = line.partition(" ")
            counts[key] = int(value)
    return counts


def _read_lines(path: str) -> list[str]:
    with open(path) as file:
        return file.read().split("\n")[:-1]


def _write(path: str, value: int | str) -> None:
    with open(path, "w") as file:
        file.write(str(value))
