"""The parent of a command that runs without a namespace of its own. Run as a script, by path.

It adopts whatever the command leaves behind (it is a child subreaper), so nothing can slip away by forking twice,
and kills all of it when the command ends, when it is told to by SIGTERM, or when its control pipe closes: Assay
holds the other end, so it closes even if Assay is killed. Standard library only; it imports nothing of Assay.

    python supervisor.py CONTROL_FD UID GID FILE_MB MEMORY_MB PROCESSES WORKDIR ENV_FD COMMAND…

The command's environment is read from ENV_FD. In the supervisor's own, which may be root's, it could do harm, and
on its command line everybody could read it.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def main(arguments: list[str]) -> int:
    control, uid, gid, file_mb, memory_mb, processes = (int(argument) for argument in arguments[:6])
    with open(int(arguments[7]), "rb") as file:
        env = dict(pair.split(b"=", 1) for pair in file.read().split(b"\0") if pair)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    told = listen()
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(control)
        become(uid, gid, file_mb, memory_mb, processes)
        os.chdir(arguments[6])
        os.execvpe(arguments[8], arguments[8:], env)  # noqa: S606
    status = attend(pid, control, told)
    kill_all()
    if status is None:
        return 1
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def become(uid: int, gid: int, file_mb: int, memory_mb: int, processes: int) -> None:
    """Take the limits, then the user: after that there is no way back."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_mb * 2**20,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_mb:
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb * 2**20,) * 2)
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))


def listen() -> int:
    """Be ready to be told to stop, before there is anything to stop. Returns what becomes readable then."""
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell)
    signal.signal(signal.SIGTERM, lambda *_: None)
    return told


def attend(pid: int, control: int, told: int) -> int | None:
    """Wait for the command. None if Assay went away or asked for an end first."""
    pidfd = os.pidfd_open(pid)
    ready, _, _ = select.select([pidfd, control, told], [], [])
    return os.waitpid(pid, 0)[1] if pidfd in ready else None


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
