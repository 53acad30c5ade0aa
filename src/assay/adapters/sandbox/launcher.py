"""Starts sandboxes for Assay, and ends them all when Assay is gone. Run as a script, by path.

    python launcher.py SOCKET_FD UID GID FILE_MB

It is small, and it is the sandbox's user already: starting a command from here costs one ``exec``, where Assay
would have to copy itself, change the user and pass through a shell first. Each message on the socket starts one
command: it names the limits of the command (``NPROC=…``), says how to start it, and brings descriptors. These are
the command's socket, its command line, its input, its output, its errors, and further ones. ``spawn`` starts a
program, which finds the further ones as 3, 4, …; ``enter`` runs the command in namespaces that the launcher makes
itself. On the command's socket the launcher says that it has begun, and later how it ended; whatever comes from
the other side, or its end, kills the command. When Assay dies, all of these sockets end. A sandbox that was only
half made then can't slip away: the launcher adopts orphans and kills until none is left.
"""

import contextlib
import fcntl
import os
import resource
import select
import signal
import socket
import sys

# The folder of this script is not on the path of an isolated interpreter.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import own_namespaces  # type: ignore[import-not-found]
from limits import become  # type: ignore[import-not-found]
from orphans import adopt_orphans, kill_all, take_new_keyring  # type: ignore[import-not-found]

MAX_FDS = 16
MAX_WORDS = 256
ABOVE_THE_COMMANDS = 64
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
ENV = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}


class Launcher:
    """The commands that run, by process and by socket."""

    def __init__(self, requests: socket.socket, dies_first: int) -> None:
        self._requests = requests
        self._dies_first = dies_first
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._pids: dict[int, int] = {}
        self._children = listen_for_children()
        for fd in (requests.fileno(), self._children):
            self._poll.register(fd, select.EPOLLIN)

    def serve(self) -> None:
        """Until Assay closes its end."""
        while True:
            # One at a time: what is done about one may close the descriptor that the next was about.
            [(fd, _)] = self._poll.poll(maxevents=1)
            if fd == self._requests.fileno():
                if not self._start():
                    return
            elif fd == self._children:
                os.read(fd, 4096)
                self._reap()
            else:
                self._kill(fd)

    def _start(self) -> bool:
        """Start what the next message asks for. False when there is none any more."""
        words, fds, _, _ = socket.recv_fds(self._requests, MAX_WORDS, MAX_FDS, socket.MSG_CMSG_CLOEXEC)
        if not fds:
            return False
        how, *limits = words.decode().split()
        most = {name: int(number) for name, _, number in (limit.partition("=") for limit in limits)}
        # Out of the way of the numbers that the command gets.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, ABOVE_THE_COMMANDS) for fd in fds]
        for fd in fds:
            os.close(fd)
        own = socket.socket(fileno=high[0])
        try:
            pid = self._begin(how, read_all(high[1]), high[2:], most)
        except OSError as error:
            own.send(f"failed {error.errno}".encode())
            own.close()
        else:
            self._sockets[pid], self._pids[own.fileno()] = own, pid
            own.send(b"begun")
            self._poll.register(own.fileno(), select.EPOLLIN)
        for fd in high[1:]:
            os.close(fd)
        return True

    def _begin(self, how: str, argv: list[bytes], fds: list[int], limits: dict[str, int]) -> int:
        """Start a command with its input, its output, its errors and the further descriptors.

        If memory runs out, the command is to die first. A program inherits this; the launcher drops it.
        A fork sees to it itself: it may have used up the memory before the launcher gets its turn again.
        """
        if how == "enter":
            return self._fork(how, argv, fds, limits)
        os.write(self._dies_first, b"1000")
        try:
            if how == "spawn" and not limits:
                return spawn(argv, fds)
            return self._fork(how, argv, fds, limits)
        finally:
            os.write(self._dies_first, b"0")

    def _fork(self, how: str, argv: list[bytes], fds: list[int], limits: dict[str, int]) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._requests.close()
            for number, fd in enumerate(fds[:3]):
                os.dup2(fd, number)
            if how == "enter":
                enter(argv, fds[3:], limits)
            execute(argv, fds[3:], limits)
        except OSError as error:
            os.write(1, f"can't start {os.fsdecode(argv[0])}: {error.strerror}".encode())
        finally:
            os._exit(1)

    def _kill(self, fd: int) -> None:
        self._poll.unregister(fd)
        pid = self._pids[fd]
        os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        """Tell the ends of commands; orphans that were adopted end unheard."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    return
                own = self._sockets.pop(pid, None)
                if own is not None:
                    self._tell(own, f"ended {status} {usage.ru_utime + usage.ru_stime}")

    def _tell(self, own: socket.socket, words: str) -> None:
        """The last words on a command's socket. It may be open in Assay still, so it is taken off the watch."""
        del self._pids[own.fileno()]
        with contextlib.suppress(OSError):
            self._poll.unregister(own.fileno())
        # Assay may ask for an end right now. With something unread, closing would take the report with it.
        with contextlib.suppress(OSError):
            own.shutdown(socket.SHUT_RD)
            while own.recv(16):
                pass
        with contextlib.suppress(OSError):
            own.send(words.encode())
        own.close()


def spawn(argv: list[bytes], given: list[int]) -> int:
    """Start a program with these descriptors as 0, 1, 2, …"""
    actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(given)]
    return os.posix_spawn(argv[0], argv, ENV, file_actions=actions, setsigdef=[*IGNORED, signal.SIGXFSZ])


def execute(argv: list[bytes], fds: list[int], limits: dict[str, int]) -> None:
    """Become a program with these limits. The descriptors are its 3, 4, …"""
    for number, fd in enumerate(fds, 3):
        os.dup2(fd, number)
    for name in (*IGNORED, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)
    for limit, most in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (most, most))
    os.execve(argv[0], argv, ENV)  # noqa: S606


def enter(argv: list[bytes], fds: list[int], limits: dict[str, int]) -> None:
    """Become the command in namespaces of its own. Nothing of the launcher stays open."""
    options, status, rules = read_all(fds[0]), fds[1], content(fds[2])
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd != status:
            with contextlib.suppress(OSError):
                os.close(fd)
    own_namespaces.enter([os.fsdecode(word) for word in options], argv, status, rules, limits)


def read_all(fd: int) -> list[bytes]:
    return content(fd).split(b"\0")


def content(fd: int) -> bytes:
    return os.pread(fd, os.fstat(fd).st_size, 0)


def close_all_above(last: int) -> None:
    """Whatever else Assay was given by those who started it is not for sandboxes."""
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > last:
            with contextlib.suppress(OSError):
                os.close(fd)


def listen_for_children() -> int:
    """A pipe, readable when a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading


def main(arguments: list[str]) -> None:
    fd, uid, gid, file_mb = (int(argument) for argument in arguments)
    close_all_above(fd)
    os.setsid()
    for ignored in IGNORED:
        signal.signal(ignored, signal.SIG_IGN)
    adopt_orphans()
    take_new_keyring()
    # Opened before the user changes: afterwards it is closed to us.
    dies_first = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    become(uid, gid, FSIZE=file_mb * 2**20, CORE=0)
    try:
        Launcher(socket.socket(fileno=fd), dies_first).serve()
    finally:
        kill_all()


if __name__ == "__main__":
    main(sys.argv[1:])
