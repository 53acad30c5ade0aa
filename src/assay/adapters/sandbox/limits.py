"""Set limits, become another user, then a command. For the scripts that start commands; standard library only."""

import errno
import os
import resource


def become(uid: int, gid: int, **limits: int) -> None:
    """Set the limits, named as in ``resource`` (``FSIZE=…``), then become the user, which is final.

    The number of processes is limited last: it counts those of the new user. A ``uid`` below 0 keeps the user.
    """
    processes = limits.pop("NPROC", None)
    for name, limit in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, limit))
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if processes is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))


def execute(command: "list[bytes]", env: "dict[bytes, bytes]") -> None:
    """Become the command, looked for on its own path. A script that names no interpreter is run by the shell.

    Python's own search would load a module now, which this user may not be allowed to read.
    """
    program = command[0]
    if b"/" not in program:
        places = [folder + b"/" + program for folder in env.get(b"PATH", b"/usr/bin:/bin").split(b":")]
        program = next((place for place in places if os.access(place, os.X_OK)), program)
    try:
        os.execve(program, command, env)  # noqa: S606
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        os.execve(b"/bin/sh", [b"/bin/sh", program, *command[1:]], env)  # noqa: S606
