"""Measures what a sandbox holds: commands try to get through, and nobody takes the sandbox at its word.

``HOLDS`` is the one list of these. `assay doctor` prints it, each grading records it, and a page of the reference
is written from it. The commands need a shell and nothing else, because the image of a container may have no more.
"""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import own_tree
from assay.adapters.sandbox import hide
from assay.core.errors import MeasurementError
from assay.engine.sandbox import PATH, CommandLimits, Mount, Ran, Sandbox, SandboxCommand

HELD, NOT_HELD = "held", "not held"
HELD_EACH = "held for each process, not for all together"

# Each is what a command can't do where it is held.
HOLDS = {
    "files": "see files of the machine that aren't its own, such as other trials and the tests of tasks",
    "processes": "see or touch processes of the machine",
    "network": "reach the network, unless the task asks for it",
    "system": "change programs of the system",
    "memory": "use more memory than its limit",
    "process count": "have more processes than its limit",
    "CPU": "use more processors than its limit",
    "file size": "write a larger file than its limit",
    "disk": "use more disk in its folders than its limit",
    "memory folders": "fill the memory by files in /tmp, /dev/shm or /",
    "system calls": "make system calls that a filter refuses: keyrings, io_uring, bpf, unusual sockets",
    "namespaces": "make namespaces, to be root in them",
    "setuid": "gain rights from a setuid program",
}

_TRY = 20.0
_TICK = 0.01
# What gets a fiftieth of a processor takes fifty times as long as it computes; on a busy machine, anything takes
# some times as long.
_WAITING = 10
_SHOWN_PLACES = ("/opt", "/usr/local/share", "/usr/local/lib")
_WRITE = "s=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do s=$s$s; done"
_FACTS = """
for secret in {secrets}; do [ -r $secret ] && echo 'see files'; done
read -r name < /proc/{pid}/comm && echo 'see processes'
while read -r line; do echo "interface $line"; done < /proc/net/dev
{{ echo > /usr/bin/assay-holds || echo > /bin/assay-holds; }} && echo 'change system'
{{ echo > /assay-holds || echo > /dev/assay-holds; }} && echo 'write root'
while read -r line; do echo "status $line"; done < /proc/self/status
while read -r line; do echo "mount $line"; done < /proc/self/mounts
unshare -U true; echo "unshare $?"
"""
_LAST = "unshare "


@dataclass(frozen=True, slots=True)
class Trying:
    """Runs commands that try to get through."""

    sandbox: Sandbox
    image: str | None
    folder: str

    def run(self, lines: str, limits: CommandLimits) -> Ran:
        mounts = (Mount(self.folder, "/workspace", writable=True),)
        env = {"PATH": PATH}
        argv = ("/bin/sh", "-c", lines)
        return self.sandbox.run(SandboxCommand(argv, "/workspace", limits, mounts, env, image=self.image))

    def survives(self, lines: str, limits: CommandLimits) -> str:
        """Whether lines that must fail at a limit come to their end."""
        ran = self.run(f"{lines}; echo survived", limits)
        return NOT_HELD if b"survived" in ran.output else HELD


def measure(sandbox: Sandbox, image: str | None = None) -> dict[str, str]:
    """Each hold with ``held``, ``not held``, or why it couldn't be measured."""
    with temporary_folder(0o755) as around, temporary_folder(0o755) as elsewhere, _in_system() as in_system:
        folder = f"{around}/workspace"
        os.mkdir(folder)
        own_tree(folder, sandbox.owner)
        Path(elsewhere, "secret").write_text("secret\n")
        os.chmod(f"{elsewhere}/secret", 0o644)
        trying = Trying(sandbox, image, folder)
        secrets = [f"{folder}/secret" for folder in (elsewhere, *in_system)]
        found = {**_measure_or_explain(lambda: dict(_facts(trying, secrets)), HOLDS)}
        for name, look in _LIMITS.items():
            found.update(_measure_or_explain(lambda look=look, name=name: {name: look(trying)}, (name,)))  # type: ignore[misc]
    return {name: found[name] for name in HOLDS}


def _measure_or_explain(look: Callable[[], Mapping[str, str]], names: Iterable[str]) -> Mapping[str, str]:
    try:
        return look()
    except MeasurementError as error:
        return dict.fromkeys(names, f"not measured: {str(error)[:200]}")


@contextlib.contextmanager
def _in_system() -> Iterator[list[str]]:
    """Folders that are in use in places that sandboxes show, as far as this user can make some."""
    with contextlib.ExitStack() as made:
        folders = []
        for place in _SHOWN_PLACES:
            if os.path.isdir(place) and os.access(place, os.W_OK):
                folders.append(made.enter_context(tempfile.TemporaryDirectory(prefix="assay-holds-", dir=place)))
                os.chmod(folders[-1], 0o755)  # noqa: S103 - whether a sandbox shows it is the question
                Path(folders[-1], "secret").write_text("secret\n")
                hide(folders[-1])
        yield folders


def _facts(trying: Trying, secrets: Sequence[str]) -> Iterator[tuple[str, str]]:
    script = _FACTS.format(secrets=" ".join(secrets), pid=os.getpid())
    limits = CommandLimits(timeout_sec=_TRY, output_bytes=2**20)
    lines = trying.run(f"{{ {script} }} 2>/dev/null", limits).output.decode(errors="replace").splitlines()
    if not lines or not lines[-1].startswith(_LAST):
        raise MeasurementError("the commands didn't come to their end")
    yield "files", _hold_word("see files" not in lines)
    yield "processes", _hold_word("see processes" not in lines)
    yield (
        "network",
        _hold_word({_interface(line) for line in lines if line.startswith("interface ")} <= {"lo", ""}),
    )
    yield "system", _hold_word("change system" not in lines)
    status = dict(line.removeprefix("status ").split(":", 1) for line in lines if line.startswith("status "))
    yield "system calls", _hold_word(status.get("Seccomp", "").strip() == "2")
    yield "setuid", _hold_word(status.get("NoNewPrivs", "").strip() == "1")
    mounts = {line.split()[2]: line.split()[4] for line in lines if line.startswith("mount ")}
    sized = all("size=" in mounts.get(path, "") for path in ("/tmp", "/dev/shm"))  # noqa: S108
    yield "memory folders", _hold_word(sized and "write root" not in lines)
    answer = lines[-1].removeprefix(_LAST)
    missing = "not measured: there is no unshare to try it with"
    yield "namespaces", missing if answer == "127" else _hold_word(answer != "0")


def _interface(line: str) -> str:
    name, colon, _ = line.removeprefix("interface ").partition(":")
    return name.strip() if colon else ""


def _hold_word(holds: bool) -> str:
    return HELD if holds else NOT_HELD


def _memory(trying: Trying) -> str:
    """One process that is too large, and then some that are too large together."""
    limits = CommandLimits(timeout_sec=_TRY, memory_mb=64)
    if trying.survives(f"{_WRITE}; {_doubling_loop(11)}", limits) == NOT_HELD:
        return NOT_HELD
    some = f"{_WRITE}; for j in 1 2 3 4 5; do ( {_doubling_loop(8)}; sleep 1; echo one ) & done; wait"
    return HELD_EACH if trying.run(some, limits).output.count(b"one") == 5 else HELD


def _doubling_loop(times: int) -> str:
    return f"for i in {' '.join(map(str, range(times)))}; do s=$s$s; done"


def _process_count(trying: Trying) -> str:
    many = " ".join(map(str, range(40)))
    return trying.survives(f"for i in {many}; do sleep 2 & done", CommandLimits(timeout_sec=_TRY, processes=20))


def _cpu(trying: Trying) -> str:
    """Others may take the processors, too, so its time is compared with the time that it computes."""
    return _hold_word(all(_waits(trying) for _ in range(2)))


def _waits(trying: Trying) -> bool:
    """Whether a loop with a fiftieth of a processor takes many times as long as it computes, by its own clocks."""
    spin = "read a _ < /proc/uptime; i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; read b _ < /proc/uptime"
    ran = trying.run(f"{spin}; echo $a $b; times", CommandLimits(timeout_sec=_TRY, cpus=0.02))
    if ran.end.timed_out:
        return True
    try:
        began, ended, minutes_sec, *_ = re.findall(rb"[0-9.]+(?:m[0-9.]+)?", ran.output)
        minutes, seconds = minutes_sec.split(b"m")
        computed = 60 * int(minutes) + float(seconds)
        return float(ended) - float(began) > _WAITING * max(computed, _TICK)
    except ValueError as error:
        raise MeasurementError("a command can't tell how long it takes") from error


def _file_size(trying: Trying) -> str:
    write = f"{_WRITE}; for i in 1 2 3 4 5 6 7 8 9 10; do echo $s$s$s$s; done > large"
    trying.run(write, CommandLimits(timeout_sec=_TRY, file_mb=1))
    return _hold_word(os.path.getsize(f"{trying.folder}/large") <= 2**20)


def _disk(trying: Trying) -> str:
    write = f"{_WRITE}; for i in 1 2 3 4 5 6 7 8 9 10; do echo $s$s$s$s$s$s$s$s > $i; done; sleep 5"
    return _hold_word(trying.run(write, CommandLimits(timeout_sec=_TRY, disk_mb=1)).end.excess != "")


_LIMITS: dict[str, Callable[[Trying], str]] = {
    "memory": _memory,
    "process count": _process_count,
    "CPU": _cpu,
    "file size": _file_size,
    "disk": _disk,
}


def threads_of(user: int) -> int:
    """How many threads the processes of a user have."""
    count = 0
    for process in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if process.isdigit() and os.stat(f"/proc/{process}").st_uid == user:
                count += len(os.listdir(f"/proc/{process}/task"))
    return count
