"""Note which files of a folder are opened for reading while a command runs in a sandbox.

The kernel tells (inotify), to this process and outside of the sandbox: the sandbox shows the same folder under
another name, so whoever opens a file there opens it here. It needs no rights, no runner and no language, and the
command can neither see it nor keep a file out of the list. It could open more files than it needs, which only
makes the list longer.

One watch a folder is set before the command starts. Folders that the command makes aren't watched: what is in them
isn't of the workspace. A file that is only asked for, and not opened, isn't noted.
"""

import contextlib
import errno
import os
import select
import stat
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.adapters.machine.tree_walk import walk
from assay.detectors.source_signs.roles import is_vendored
from assay.evidence.workspace import Opened

# The kernel keeps about a kilobyte for each.
MAX_FOLDERS = 20_000
MAX_LINKS = 10_000
_ACCESS, _MODIFY, _OPEN = 0x1, 0x2, 0x20
_OVERFLOW, _IGNORED, _IS_FOLDER = 0x4000, 0x8000, 0x4000_0000
_ONLY_FOLDER, _DONT_FOLLOW = 0x0100_0000, 0x0200_0000
_MASK = _ACCESS | _MODIFY | _OPEN | _ONLY_FOLDER | _DONT_FOLLOW
_EVENT = struct.Struct("iIII")
_READ_AT_ONCE = 256 * 1024
# To wake up for each file would slow the command down; the kernel keeps 16,384 events meanwhile.
_PAUSE_MS = 2


@contextlib.contextmanager
def watching(root: str, most: int = MAX_FOLDERS) -> Iterator["Watcher"]:
    """Watch a folder for as long as the block lasts. Ask for the answer afterwards."""
    from assay.adapters.sandbox.kernel import call  # noqa: PLC0415 - few commands are watched

    watcher = Watcher(root)
    try:
        queue = call("inotify_init1", os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        watcher.missed.append(f"files can't be watched on this machine: {error.strerror}")
        yield watcher
        return
    stop = os.eventfd(0, os.EFD_CLOEXEC)
    reader = threading.Thread(target=watcher.read_until, args=(queue, stop), daemon=True)
    try:
        watcher.begin(queue, most)
        reader.start()
        yield watcher
    finally:
        os.eventfd_write(stop, 1)
        if reader.ident is not None:
            reader.join()
        os.close(queue)
        os.close(stop)


@dataclass
class Watcher:
    """The events so far: by number of a watch and name, everything that happened to a file."""

    root: str
    missed: list[str] = field(default_factory=list)
    _folders: dict[int, str] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)
    _seen: dict[tuple[int, bytes], int] = field(default_factory=dict)

    def begin(self, queue: int, most: int) -> None:
        """Set the watches, those of packages last, and remember where links lead before anybody moves them."""
        from assay.adapters.sandbox.kernel import call  # noqa: PLC0415 - as above

        folders = [""]
        for path, found in walk(self.root):
            if stat.S_ISDIR(found.st_mode):
                folders.append(path)
            elif stat.S_ISLNK(found.st_mode) and len(self._links) < MAX_LINKS:
                self._links[path] = os.path.relpath(os.path.realpath(f"{self.root}/{path}"), self._real_root)
        folders.sort(key=lambda path: (is_vendored(f"{path}/x"), path.count("/")))
        for done, path in enumerate(folders[:most]):
            try:
                watch = call("inotify_add_watch", queue, os.fsencode(f"{self.root}/{path}"), _MASK)
                self._folders[watch] = path
            except OSError as error:
                if error.errno == errno.ENOENT:
                    continue
                self._leave(len(folders) - done, len(folders), f"{error.strerror} ({path or '.'})")
                return
        if len(folders) > most:
            self._leave(len(folders) - most, len(folders), f"the limit is {most:,}")

    @property
    def _real_root(self) -> str:
        return os.path.realpath(self.root)

    def _leave(self, left: int, whole: int, why: str) -> None:
        self.missed.append(f"{left:,} of {whole:,} folders weren't watched: {why}")

    def read_until(self, queue: int, stop: int) -> None:
        """Empty the queue until it is time to stop, and then once more: all that happened is in it by then."""
        anything, ending = select.poll(), select.poll()
        anything.register(queue, select.POLLIN)
        for one in (anything, ending):
            one.register(stop, select.POLLIN)
        last = False
        while not last:
            anything.poll()
            last = bool(ending.poll(_PAUSE_MS))
            with contextlib.suppress(BlockingIOError):
                while data := os.read(queue, _READ_AT_ONCE):
                    self._note(data)

    def _note(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            watch, what, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            if what & _OVERFLOW:
                self._overflow()
            elif not what & (_IS_FOLDER | _IGNORED):
                key = watch, data[at - length : at]
                self._seen[key] = self._seen.get(key, 0) | what

    def _overflow(self) -> None:
        said = "files were opened faster than they could be noted"
        if said not in self.missed:
            self.missed.append(said)

    def opened(self) -> Opened:
        """The files that were opened for reading, also under the names of links that lead to them."""
        found: set[str] = set()
        for (watch, name), what in self._seen.items():
            folder = self._folders.get(watch)
            # A file that is opened and written, but never read from, is only written.
            if folder is not None and name and (what & _ACCESS or not what & _MODIFY):
                plain = os.fsdecode(name.rstrip(b"\0"))
                found.add(f"{folder}/{plain}" if folder else plain)
        return Opened(frozenset(found | set(self._by_links(found))), tuple(self.missed))

    def _by_links(self, found: set[str]) -> Iterator[str]:
        for link, target in self._links.items():
            if target in found:
                yield link
            elif os.path.isdir(f"{self.root}/{target}"):
                below = f"{target}/"
                yield from (f"{link}/{path.removeprefix(below)}" for path in found if path.startswith(below))
