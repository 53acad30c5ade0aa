"""Killing a process that has sandboxes under way, and seeing what becomes of them."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from assay.adapters.machine import scratch
from tests.builders import REPO
from tests.sandbox.backends import eventually

# A process of its own that runs one command in a sandbox, as Assay would.
_ASSAY = """
import sys
from tests.sandbox.backends import working
backend = working(sys.argv[1])
print("ready", flush=True)
backend.run(sys.argv[2], timeout_sec=300)
"""

# One that lets many processes run a command in a sandbox, and kills each a little later than the one before.
_KILLER = """
import os, signal, sys, time
from tests.sandbox.backends import working
from tests.sandbox.killing import remove_scratch
backend = working(sys.argv[1])
for step in range(int(sys.argv[3])):
    pid = os.fork()
    if pid == 0:
        backend.run(sys.argv[2], timeout_sec=300)
        os._exit(0)
    time.sleep(step * float(sys.argv[4]))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    remove_scratch()
"""


def sleepers(seconds: str) -> list[int]:
    """The processes of the whole machine, in whatever namespace, that sleep for exactly so long."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and Path(f"/proc/{name}/cmdline").read_bytes() == f"sleep\0{seconds}\0".encode():
                found.append(int(name))
    return found


def none_asleep(seconds: str, patience: float = 60) -> bool:
    return eventually(lambda: not sleepers(seconds), patience)


def end_sleepers(seconds: str) -> None:
    """What a failed test left."""
    for pid in sleepers(seconds):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def assay_running(name: str, lines: str) -> Iterator["subprocess.Popen[str]"]:
    """Another process that runs ``lines`` in a sandbox; it is killed at the end of the block, if not before."""
    child = subprocess.Popen(
        [sys.executable, "-c", _ASSAY, name, lines], cwd=REPO, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield child
    finally:
        child.kill()
        child.communicate()
        remove_scratch()


def scratch_homes(pid: int) -> list[str]:
    """The folders that a process holds a lock on, and has its temporary files in."""
    opened = [os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir() if one.is_symlink()]
    return [path for path in opened if "/assay-scratch-" in path]


def remove_scratch() -> None:
    """The temporary files of processes that were killed. The next run of Assay would remove them, too."""
    scratch.sweep(tempfile.gettempdir())


def kill_while_starting(name: str, lines: str, *, times: int, step_sec: float) -> None:
    """Have processes killed that just began to run ``lines`` in a sandbox, each a step later than the last."""
    subprocess.run(
        [sys.executable, "-c", _KILLER, name, lines, str(times), str(step_sec)], cwd=REPO, check=True, timeout=60
    )


def sweep_control_groups(older_than_sec: float = 10) -> None:
    """Remove the groups of killed processes. One that has just been made may be about to be used."""
    for group in Path("/sys/fs/cgroup").glob("*/assay-*"):
        with contextlib.suppress(OSError):
            if time.time() - group.stat().st_mtime > older_than_sec:
                group.rmdir()
