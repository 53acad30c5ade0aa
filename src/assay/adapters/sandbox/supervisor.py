"""The parent of a command that runs without a namespace of its own. Run as a script, by path.

It adopts whatever the command leaves behind (it is a child subreaper), so nothing can slip away by forking twice,
and kills all of it when the command ends, when it is told to by SIGTERM, or when its control pipe closes: Assay
holds the other end, so it closes even if Assay is killed. Standard library only; it imports nothing of Assay.

    python supervisor.py CONTROL_FD STATUS_FD UID GID FILE_MB MEMORY_MB PROCESSES ENV_FD VIEW_FD RULES_FD
                         NUMBER WORKDIR COMMAND…

VIEW_FD is open in the command as NUMBER. RULES_FD has filters for its system calls, after a line with their sizes.
The command's environment is read from ENV_FD. In the supervisor's own, which may be root's, it could do harm, and
on its command line everybody could read it. Why a command could not be started is written to STATUS_FD.
"""

import os
import select
import signal
import sys

# The folder of this script is not on the path of an isolated interpreter.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from kernel import filter_calls, gain_nothing  # type: ignore[import-not-found]
from limits import become, execute  # type: ignore[import-not-found]
from orphans import adopt_orphans, kill_all, take_new_keyring  # type: ignore[import-not-found]


def main(arguments: list[str]) -> int:
    control, status_fd, uid, gid, file_mb, memory_mb, processes, env_fd, view, rules_fd, number = map(
        int, arguments[:11]
    )
    workdir, *command = arguments[11:]
    rules = read_rules(rules_fd)
    os.set_inheritable(view, False)
    with open(env_fd, "rb") as file:
        env = dict(pair.split(b"=", 1) for pair in file.read().split(b"\0") if pair)
    os.set_inheritable(status_fd, False)
    adopt_orphans()
    told = listen()
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(control)
        os.setsid()
        memory = {"AS": memory_mb * 2**20} if memory_mb else {}
        limit = {"NPROC": processes} if uid >= 0 else {}
        try:
            take_new_keyring()
            become(uid, gid, FSIZE=file_mb * 2**20, CORE=0, **memory, **limit)
            os.dup2(view, number)
            gain_nothing()
            for program in rules:
                filter_calls(program)
            os.chdir(workdir)
            execute(list(map(os.fsencode, command)), env)
        except OSError as error:
            os.write(status_fd, f"{error.strerror}: {os.fsdecode(error.filename or command[0])}".encode()[:1000])
            os._exit(1)
    status = attend(pid, control, told)
    kill_all()
    if status is None:
        return 1
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def read_rules(fd: int) -> list[bytes]:
    with open(fd, "rb") as file:
        sizes = file.readline().split()
        return [file.read(int(size)) for size in sizes]


def listen() -> int:
    """Prepare to be told to stop, before there is anything to stop. Returns what becomes readable then."""
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
