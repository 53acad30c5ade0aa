"""Set limits, then become another user. For the scripts that start commands; standard library only."""

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
