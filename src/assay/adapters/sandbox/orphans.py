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
PASSES = 100


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant, so that nothing escapes by forking twice."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def take_new_keyring() -> None:
    """Leave the session's keyring, which belongs to whoever started Assay. If that fails, the filter remains."""
    number = KEYCTL.get(os.uname().machine)
    if number is not None:
        ctypes.CDLL(None).syscall(number, KEYCTL_JOIN_SESSION_KEYRING, None, 0, 0, 0)


def kill_all() -> None:
    """Kill children until there are none: the orphans of those just killed become children too.

    All are stopped first. Otherwise a process that forks as fast as it can takes the place of each that is killed.
    """
    stop_all()
    while True:
        for child in children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def stop_all() -> None:
    """Stop every descendant. Who is stopped starts nobody, so that a pass that finds no other is the last."""
    stopped: set[int] = set()
    for _ in range(PASSES):
        found = descendants(os.getpid()) - stopped
        for one in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGSTOP)
        if not found:
            return
        stopped |= found


def descendants(process: int) -> "set[int]":
    found: set[int] = set()
    pending = children(process)
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += children(one)
    return found


def children(process: int) -> "list[int]":
    """Those of all threads of a process."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children") as file:
                found += [int(pid) for pid in file.read().split()]
    return found
