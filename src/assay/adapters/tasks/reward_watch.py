"""See whether a verifier's own processes write its reward files. The kernel tells that only to root.

A verifier's tree is ``test.sh`` with all that it started, as long as whoever started it waits for it. A process
that was left alone can write its own reward after the verifier's: a program of the agent may have made it.

Whoever opens a file beside the reward waits until its place in the tree is looked up, so that it can't be gone by
then. That never takes longer than the command: the kernel lets go of a process that is killed.
"""

import contextlib
import ctypes
import os
import select
import stat
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Final

from assay.adapters.machine.own_process import Bell, belongs_here

_CLOSE_ON_EXEC, _DONT_WAIT, _MAY_REFUSE = 0x1, 0x2, 0x4
_MODIFIED, _OPENED, _ASKS_TO_OPEN, _LOST, _IN_FOLDER = 0x2, 0x20, 0x10000, 0x4000, 0x08000000
_ADD, _FORGET_ALL, _HERE, _ALLOW = 0x1, 0x80, -100, 1
_EVENT: Final = struct.Struct("=IBBHQii")
_ANSWER: Final = struct.Struct("=iI")
_MANY: Final = 64 * 1024
_LOOK_SEC: Final = 1.0
_SCRIPTS: Final = ("test.sh", "verify.py")
_REWARDS: Final = ("reward.json", "reward.txt")
_libc = ctypes.CDLL(None, use_errno=True)
_mark = _libc.fanotify_mark
_mark.argtypes = (ctypes.c_int, ctypes.c_uint, ctypes.c_uint64, ctypes.c_int, ctypes.c_char_p)


@contextlib.contextmanager
def watch_rewards(tests: str, folder: str) -> Iterator[Callable[[], list[str]]]:
    """Watch a folder for rewards. Afterwards, says which aren't of the verifier whose tests these are."""
    script = next((path for name in _SCRIPTS if os.path.isfile(path := f"{tests}/{name}")), None)
    watch = RewardWatch()
    # Without a script, the tests are in the image of the verifier, where nobody can look.
    with contextlib.nullcontext() if script is None else _listening(watch, script, folder):
        yield lambda: [
            f"/logs/verifier/{name} was written by a process that test.sh doesn't wait for"
            for name in _REWARDS
            if watch.is_strange(f"{folder}/{name}")
        ]


@contextlib.contextmanager
def _listening(watch: "RewardWatch", script: str, folder: str) -> Iterator[None]:
    """Have a watch see what happens in the time of the block."""
    try:
        ear = _free.pop()
    except IndexError:
        ear = _Ear()
    ear.begin(watch, script, folder)
    try:
        yield
    finally:
        if ear.end():
            _free.append(ear)


class _Ear:
    """Hears of files from the kernel, for one watch after the other: the kernel takes long to let go of one."""

    def __init__(self) -> None:
        # A pipe in the folder must not make this process wait, either.
        reading = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
        self._fd = _libc.fanotify_init(_CLOSE_ON_EXEC | _DONT_WAIT | _MAY_REFUSE, reading)
        self._watch = RewardWatch()
        self._heard_all = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        if self._fd >= 0:
            self._bell = Bell()
            belongs_here(self)
            self._thread.start()

    def let_go(self) -> None:
        """Nobody waits for an answer once the descriptor is closed."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
        _free.clear()

    def begin(self, watch: "RewardWatch", script: str, folder: str) -> None:
        self._watch = watch
        marks = ((script, _OPENED), (folder, _ASKS_TO_OPEN | _MODIFIED | _IN_FOLDER))
        if any(_mark(self._fd, _ADD, events, _HERE, os.fsencode(path)) for path, events in marks):
            watch.lost = True

    def end(self) -> bool:
        """Hear all that has happened, and no more. False if there was nobody to hear it."""
        if self._fd >= 0:
            _mark(self._fd, _FORGET_ALL, 0, _HERE, None)
            self._heard_all.clear()
            self._bell.ring()
        while self._thread.is_alive() and not self._heard_all.wait(_LOOK_SEC):
            pass
        self._watch.lost = self._watch.lost or not self._thread.is_alive()
        return self._thread.is_alive()

    def _listen(self) -> None:
        poll = select.poll()
        for fd in (self._fd, self._bell.fd):
            poll.register(fd, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            with contextlib.suppress(BlockingIOError):
                while events := os.read(self._fd, _MANY):
                    self._hear(events)
            if self._bell.fd in ready:
                self._bell.hear(self._bell.fd)
                self._heard_all.set()

    def _hear(self, events: bytes) -> None:
        place = 0
        while place < len(events):
            size, _, _, _, mask, fd, pid = _EVENT.unpack_from(events, place)
            place += size
            if fd < 0:
                self._watch.lost = self._watch.lost or bool(mask & _LOST)
                continue
            try:
                self._watch.look_at(mask, fd, pid)
            finally:
                if mask & _ASKS_TO_OPEN:
                    os.write(self._fd, _ANSWER.pack(fd, _ALLOW))
                os.close(fd)


# Of this process, and without a watch right now.
_free: list[_Ear] = []


class RewardWatch:
    """What was seen of a folder. The first process that opened the script is the first of the verifier."""

    def __init__(self) -> None:
        self.lost = False
        self._first: int | None = None
        self._belongs: dict[int, bool | None] = {}
        self._written: dict[tuple[int, int], bool] = {}

    def is_strange(self, path: str) -> bool:
        """Whether a file was last written by a process that isn't the verifier's, or made in another folder.

        False where nobody could see that.
        """
        try:
            found = os.lstat(path)
        except OSError:
            return False
        told = self._first is not None and not self.lost and stat.S_ISREG(found.st_mode) and found.st_size > 0
        return told and not self._written.get((found.st_dev, found.st_ino), False)

    def look_at(self, mask: int, fd: int, pid: int) -> None:
        if mask & _OPENED and self._first is None:
            self._first = pid
        if mask & _ASKS_TO_OPEN:
            self._belongs[pid] = self._is_in_tree(pid)
        if mask & _MODIFIED:
            if pid not in self._belongs:
                self._belongs[pid] = self._is_in_tree(pid)
            found = os.fstat(fd)
            self._written[found.st_dev, found.st_ino] = self._belongs[pid] is not False

    def _is_in_tree(self, pid: int) -> bool | None:
        """None for a process that is gone already."""
        while pid > 1 and pid != self._first:
            try:
                with open(f"/proc/{pid}/stat", "rb") as file:
                    pid = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                return None
        return pid == self._first
