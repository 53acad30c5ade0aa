"""Adopt what a command leaves behind, and kill it; give it no keys. For the scripts that start commands.

Standard library only.
"""

import contextlib
import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36
KEYCTL = {"x86_64": 250, "aarch64": 219}
KEYCTL_JOIN_SESSION_KEYRING = 1


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant, so that nothing escapes by forking twice."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def take_new_keyring() -> None:
    """Leave the session's keyring, which belongs to whoever started Assay. If that fails, the filter remains."""
    number = KEYCTL.get(os.uname().machine)
    if number is not None:
        ctypes.CDLL(None).syscall(number, KEYCTL_JOIN_SESSION_KEYRING, None, 0, 0, 0)


def kill_all() -> None:
    """Kill children until there are none: the orphans of those just killed become children too."""
    while True:
        for child in children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def children() -> list[int]:
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]
