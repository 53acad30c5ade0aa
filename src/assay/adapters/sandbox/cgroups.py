"""Memory, process and CPU limits for a whole tree of processes, and what it used.

A group serves one command after the other: moving a process into a group makes the whole machine wait for a
moment, so the launcher stays in its group and whatever it starts begins there.

A group or a container can't be locked as a folder can: containers are the engine's, and each cgroup namespace has
an inode of its own for a group. So both carry the id of the process that made them, and when it began: those of a
killed Assay can be found and removed. What was made elsewhere is left alone.
"""

import contextlib
import os
import re
import secrets
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from assay.engine.sandbox import CommandLimits, Ran

_BOOT_ID = "/proc/sys/kernel/random/boot_id"


def place() -> str:
    """Where this process has its id: on this machine, since it was started, in this PID namespace."""
    return f"{Path(_BOOT_ID).read_text().strip()}-{os.stat('/proc/self/ns/pid').st_ino}"


@dataclass(frozen=True, slots=True)
class MakerProcess:
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


def this_process() -> MakerProcess:
    """The maker of what is made here and now."""
    return MakerProcess(os.getpid(), _began("self"))


def _began(process: str) -> int:
    """When a process began, in ticks. The name before it, in brackets, may have anything in it."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])


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


PERIOD = 100_000
LINGER_SEC = 1.0
PASSES = 100
UNLIMITED = {1: "-1", 2: "max"}
DAY_SEC = 24 * 3600
_NAME = re.compile(r"assay-(\d+)-(\d+)-(.+)-[0-9a-f]+")


class ControlGroup:
    """A control group: one folder in version 2, one for each controller in version 1, or none at all."""

    def __init__(self, controllers: Controllers) -> None:
        name = new_name() if controllers.roots else ""
        self._version = controllers.version
        self.memory, self.pids, self.cpu, self.quota = (
            f"{root}/{name}" if root else None
            for root in (controllers.memory, controllers.pids, controllers.cpu, controllers.quota)
        )
        self.folders = [f"{root}/{name}" for root in controllers.roots]
        for folder in self.folders:
            os.mkdir(folder)
        self._limits: tuple[int | None, int, float | None] | None = None
        self._kills = 0
        self._cpu_sec = 0.0
        self._peak: int | None = None

    def take_in(self, pid: int) -> None:
        """Whatever this process starts from now on begins in the group."""
        for folder in self.folders:
            _write(f"{folder}/cgroup.procs", pid)

    def begin(self, limits: CommandLimits) -> None:
        """Set the limits of the next command, and start counting again."""
        wanted = limits.memory_mb, limits.processes, limits.cpus
        if wanted != self._limits:
            self._limits = None  # For the case that only some of them can be set.
            self._limit_memory(limits.memory_mb)
            if self.pids is not None:
                # The launcher is one of them.
                _write(f"{self.pids}/pids.max", limits.processes + 1)
            self._limit_cpus(limits.cpus)
            self._limits = wanted
        self._kills = self._memory_kills()
        self._cpu_sec = self._cpu_usage() or 0.0
        self._open_peak()

    def add_usage(self, ran: Ran) -> Ran:
        """Add what the group knows about the command that ran in it."""
        end = ran.end
        if self.ran_out_of_memory and not end.timed_out:
            end = replace(end, out_of_memory=True)
        used = self._cpu_usage()
        cpu_sec = ran.cpu_sec if used is None else used - self._cpu_sec
        return replace(ran, end=end, peak_memory_mb=self._peak_memory_mb(), cpu_sec=cpu_sec)

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed something for its memory since the command began."""
        return self._memory_kills() > self._kills

    def stop_all_but(self, pid: int) -> None:
        """Kill what is in the group now, without waiting. A process that waits for its quota can't even die.

        All are stopped first: who is stopped starts nobody, and doesn't go on when what it waits for is killed.
        """
        self._limits = None
        with contextlib.suppress(OSError):
            self._limit_cpus(None)
        stopped = {pid}
        for _ in range(PASSES):
            others = self._members() - stopped
            if not others:
                break
            _signal(others, signal.SIGSTOP)
            stopped |= others
        _signal(self._members() - {pid}, signal.SIGKILL)

    def kill_all_but(self, pid: int) -> bool:
        """Kill what a command left in the group. Returns whether the process is soon alone in it."""
        until = time.monotonic() + LINGER_SEC
        while time.monotonic() < until:
            others = self._members() - {pid}
            if not others:
                return True
            _signal(others, signal.SIGKILL)
            time.sleep(0.0005)
        return False

    def _members(self) -> set[int]:
        return {int(line) for folder in self.folders[:1] for line in _lines(f"{folder}/cgroup.procs")}

    def remove(self) -> None:
        """Remove the group once it is empty. The kernel takes a moment to forget processes that ended."""
        if self._peak is not None:
            os.close(self._peak)
            self._peak = None
        until = time.monotonic() + LINGER_SEC
        for folder in self.folders:
            while not _remove_folder(folder) and time.monotonic() < until:
                time.sleep(0.002)

    def _limit_memory(self, memory_mb: int | None) -> None:
        if self.memory is None:
            return
        limit: int | str = UNLIMITED[self._version] if memory_mb is None else memory_mb * 2**20
        if self._version == 2:
            _write(f"{self.memory}/memory.max", limit)
            with contextlib.suppress(OSError):
                _write(f"{self.memory}/memory.swap.max", "max" if memory_mb is None else 0)
            return
        # Memory with swap can't be limited below memory alone: the order depends on the direction.
        names = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]
        with contextlib.suppress(OSError):
            _write(f"{self.memory}/{names[1]}", UNLIMITED[1])
        _write(f"{self.memory}/{names[0]}", limit)
        with contextlib.suppress(OSError):
            _write(f"{self.memory}/{names[1]}", limit)

    def _limit_cpus(self, cpus: float | None) -> None:
        if self.quota is None:
            return
        if self._version == 2:
            _write(f"{self.quota}/cpu.max", f"{int(cpus * PERIOD) if cpus else 'max'} {PERIOD}")
        else:
            _write(f"{self.quota}/cpu.cfs_quota_us", int(cpus * PERIOD) if cpus else -1)

    def _memory_kills(self) -> int:
        """How often the kernel killed something in the group for its memory."""
        name = "memory.events" if self._version == 2 else "memory.oom_control"
        return 0 if self.memory is None else _counts(f"{self.memory}/{name}").get("oom_kill", 0)

    def _cpu_usage(self) -> float | None:
        """The CPU seconds of everything that ever ran in the group; None where they aren't counted."""
        if self.cpu is None:
            return None
        with contextlib.suppress(OSError, ValueError):
            if self._version == 2:
                return _counts(f"{self.cpu}/cpu.stat")["usage_usec"] / 1e6
            return int(_read(f"{self.cpu}/cpuacct.usage")) / 1e9
        return None

    def _open_peak(self) -> None:
        """Start measuring the peak memory, which the kernel does for whoever holds this descriptor."""
        name = "memory.peak" if self._version == 2 else "memory.max_usage_in_bytes"
        if self._peak is None and self.memory is not None:
            with contextlib.suppress(OSError):
                self._peak = os.open(f"{self.memory}/{name}", os.O_RDWR | os.O_CLOEXEC)
        if self._peak is not None:
            os.pwrite(self._peak, b"0", 0)

    def _peak_memory_mb(self) -> float | None:
        """The most memory that the group held at once; None where it isn't measured."""
        with contextlib.suppress(OSError, ValueError):
            return None if self._peak is None else int(os.pread(self._peak, 64, 0)) / 2**20
        return None


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def new_name() -> str:
    """A name for a group of this process."""
    return f"assay-{this_process()}-{place()}-{secrets.token_hex(6)}"


def sweep(controllers: Controllers) -> None:
    """Remove the groups of processes that were killed. The kernel keeps every group that has a process in it."""
    for root in controllers.roots:
        for name in os.listdir(root):
            if _is_left_over(name, f"{root}/{name}"):
                _remove_folder(f"{root}/{name}")


def _is_left_over(name: str, folder: str) -> bool:
    """A group that was made elsewhere may be new and still empty, but not for a day."""
    match = _NAME.fullmatch(name)
    if match is not None and match[3] == place():
        return MakerProcess(int(match[1]), int(match[2])).is_gone
    with contextlib.suppress(OSError):
        return name.startswith("assay-") and time.time() - os.stat(folder).st_mtime > DAY_SEC
    return False


def _remove_folder(folder: str) -> bool:
    with contextlib.suppress(FileNotFoundError):
        try:
            os.rmdir(folder)
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                raise
            return False
    return True


def _counts(path: str) -> dict[str, int]:
    pairs = (line.partition(" ") for line in _lines(path))
    return {key: int(value) for key, _, value in pairs if value.isdigit()}


def _lines(path: str) -> list[str]:
    with contextlib.suppress(OSError):
        return _read(path).split("\n")[:-1]
    return []


def _read(path: str) -> str:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 1 << 20).decode()
    finally:
        os.close(fd)


def _write(path: str, value: int | str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, str(value).encode())
    finally:
        os.close(fd)
