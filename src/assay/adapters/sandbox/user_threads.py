"""Count what a user has on the whole machine, which the kernel holds against a limit on processes."""

import contextlib
import os


def threads_of(user: int) -> int:
    """How many threads the processes of a user have."""
    count = 0
    for process in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if process.isdigit() and os.stat(f"/proc/{process}").st_uid == user:
                count += len(os.listdir(f"/proc/{process}/task"))
    return count
