"""Removes the containers of an Assay that is gone. Run as a script, by path.

    python watchdog.py ENGINE

Its input is a pipe whose other end only Assay has. A line ``+NAME`` announces a container of this name, ``-NAME``
says that it was removed. When the pipe closes, Assay is gone, however that happened, and the remaining containers
are removed. Standard library only; it imports nothing of Assay.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time

# More than once: an engine may be busy, and a client that Assay had just started may still make a container.
PAUSES_SEC = (0, 1, 4)
PATIENCE_SEC = 60


def main(engine: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.chdir("/")
    os.closerange(3, 2**16)
    os.write(1, b"ready\n")
    names = listen()
    for pause in PAUSES_SEC if names else ():
        time.sleep(pause)
        remove(engine, names)


def listen() -> set[str]:
    """The containers that are left when Assay ends."""
    names: set[str] = set()
    for line in sys.stdin:
        if not line.endswith("\n"):
            break
        change = names.add if line.startswith("+") else names.discard
        change(line[1:-1])
    return names


def remove(engine: str, names: set[str]) -> None:
    """Remove all at once, each with its own client: a client that fails must not hold up the others."""
    nothing = subprocess.DEVNULL
    clients = [
        subprocess.Popen([engine, "rm", "--force", "--volumes", name], stdin=nothing, stdout=nothing)
        for name in sorted(names)
    ]
    until = time.monotonic() + PATIENCE_SEC
    for client in clients:
        with contextlib.suppress(subprocess.TimeoutExpired):
            client.wait(max(until - time.monotonic(), 0))


if __name__ == "__main__":
    main(sys.argv[1])
