"""Runs in an agent's sandbox, as a script: a loopback port that leads to a socket, then the agent's own command.

    python forward.py PORT SOCKET COMMAND…

The sandbox has a loopback of its own and nothing else. Whatever connects to the port is passed on to the socket,
behind which Assay listens. The agent could do the same by itself, so nothing here has to be trusted.
"""

from __future__ import annotations  # The system's Python may be an older one.

import contextlib
import os
import selectors
import signal
import socket
import sys

MOST = 64
CHUNK = 64 * 1024


class Pipes:
    """The open connections, in pairs."""

    def __init__(self, listener: socket.socket, path: str) -> None:
        self.listener = listener
        self.path = path
        self.selector = selectors.DefaultSelector()
        self.others: dict[socket.socket, socket.socket] = {}
        self.selector.register(listener, selectors.EVENT_READ)

    def serve(self) -> None:
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.listener:
                    self.accept()
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self.others:
                    self.move(key.fileobj)

    def accept(self) -> None:
        near = self.listener.accept()[0]
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(self.path)
        except OSError:
            near.close()
            far.close()
            return
        for one, other in ((near, far), (far, near)):
            self.others[one] = other
            self.selector.register(one, selectors.EVENT_READ)
        if len(self.others) >= 2 * MOST:
            self.selector.unregister(self.listener)

    def move(self, source: socket.socket) -> None:
        try:
            data = source.recv(CHUNK)
            if data:
                self.others[source].sendall(data)
                return
            # The other way may still be in use: a client may say that it has said all, and wait for the answer.
            self.others[source].shutdown(socket.SHUT_WR)
            self.selector.unregister(source)
            if self.others[source] in self.selector.get_map():
                return
        except (OSError, ValueError, KeyError):
            pass
        self.drop(source)

    def drop(self, one: socket.socket) -> None:
        full = len(self.others) >= 2 * MOST
        for end in (one, self.others[one]):
            self.others.pop(end, None)
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(end)
            end.close()
        if full:
            self.selector.register(self.listener, selectors.EVENT_READ)


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
            Pipes(listener, path).serve()
    finally:
        os._exit(0)


def main(port: str, path: str, *command: str) -> None:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(port)))
    listener.listen(MOST)
    serve_apart(listener, path)
    listener.close()
    for usual in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and a command would inherit that.
        signal.signal(usual, signal.SIG_DFL)
    os.execv(command[0], command)  # noqa: S606 - it is the agent's command line


if __name__ == "__main__":
    main(*sys.argv[1:])
