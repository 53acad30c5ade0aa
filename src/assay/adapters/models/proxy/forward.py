"""Runs in an agent's sandbox, as a script: a loopback port that leads to a socket, then the agent's own command.

    python forward.py PORT SOCKET COMMAND…

The sandbox has a loopback of its own and nothing else. Whatever connects to the port is passed on to the socket,
behind which Assay listens. The agent could do the same by itself, so nothing here has to be trusted.
"""

from __future__ import annotations  # The system's Python may be an older one.

import contextlib
import os
import signal
import socket
import sys
import threading

MOST = 64
CHUNK = 64 * 1024


def serve(listener: socket.socket, path: str) -> None:
    """Pass on whatever connects, some at a time; others wait."""
    places = threading.BoundedSemaphore(MOST)
    while True:
        places.acquire()
        near = listener.accept()[0]
        threading.Thread(target=attend, args=(near, path, places), daemon=True).start()


def attend(near: socket.socket, path: str, places: threading.BoundedSemaphore) -> None:
    """One connection. Each way has a thread: one that waits must not keep the other from moving."""
    try:
        with near, socket.socket(socket.AF_UNIX) as far:
            far.connect(path)
            back = threading.Thread(target=copy, args=(far, near), daemon=True)
            back.start()
            copy(near, far)
            back.join()
    except OSError:
        pass
    finally:
        places.release()


def copy(source: socket.socket, target: socket.socket) -> None:
    """Until one end closes. The other way may still be in use: a client that has said all waits for the answer."""
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    for one, way in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with contextlib.suppress(OSError):
            one.shutdown(way)


def serve_apart(listener: socket.socket, path: str) -> None:
    """Serve in a process that isn't a child of the command: a command may wait for all its children."""
    middle = os.fork()
    if middle:
        os.waitpid(middle, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):  # Nobody should wait for the end of the command's output because of this one.
                os.dup2(nothing, fd)
            serve(listener, path)
    finally:
        os._exit(0)


def main(port: str, path: str, *command: str) -> None:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # What a model says piece by piece doesn't wait for late acknowledgements.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.bind(("127.0.0.1", int(port)))
    listener.listen(MOST)
    serve_apart(listener, path)
    listener.close()
    for usual in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and a command would inherit that.
        signal.signal(usual, signal.SIG_DFL)
    os.execv(command[0], command)  # noqa: S606 - it is the agent's command line


if __name__ == "__main__":
    main(*sys.argv[1:])
