"""Watch how much disk a command uses in the folders that it may write to, and say when it is too much.

No quota is needed for that, so that it holds on every machine and for every user. Files that were removed but are
still open count as well: they are looked for in the processes of the command. A look costs time, so the next one
waits: a command can be above its limit for about a second.

The command can make a look take as long as it likes: the kernel lets nobody see what a process has mapped before
that process, which may be one of hundreds, gets its turn. So looks happen in a thread of their own, and nobody
waits for one. One that isn't over when the command ends is forgotten.
"""

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from assay.adapters.machine.tree_walk import WalkReach, walk

FIRST_SEC = 0.25
PAUSE_SEC = 0.5
# The share of the time that may be spent on looking.
SHARE = 0.1
# Small files that a task brings along don't push it over its limit.
SLACK = 2**20
MAX_ENTRIES = 1_000_000


class DiskWatch:
    """Looks at some folders now and then, while a command that ``process`` started runs."""

    def __init__(
        self, folders: Sequence[str], disk_mb: int | None, process: Callable[[], int | None] | None
    ) -> None:
        self._folders = folders
        self._disk_mb = disk_mb
        self._process = process
        self.used_mb: float | None = None
        self.excess = ""
        self.next = time.monotonic() + FIRST_SEC if folders and disk_mb is not None else float("inf")

    def begin_look(self, tell: Callable[[], None]) -> None:
        """Look, in a thread. ``excess`` is set, and ``tell`` called, if a limit is exceeded."""
        self.next = float("inf")
        threading.Thread(target=self._look_and_tell, args=(tell,), daemon=True).start()

    def _look_and_tell(self, tell: Callable[[], None]) -> None:
        began = time.monotonic()
        with contextlib.suppress(OSError):
            self.excess = self._look()
        self.next = time.monotonic() + max(PAUSE_SEC, (time.monotonic() - began) / SHARE)
        tell()

    def look_again(self) -> str:
        """Look once more at the end of a command that was looked at before."""
        self._process = None
        return "" if self.used_mb is None else self._look()

    def _look(self) -> str:
        if self._disk_mb is None:
            return ""
        most = self._disk_mb * 2**20 + SLACK
        seen: set[tuple[int, int]] = set()
        used = 0
        for entries, found in enumerate(self._everything(), 1):
            key = found.st_dev, found.st_ino
            if stat.S_ISREG(found.st_mode) and key not in seen:
                used += found.st_blocks * 512
                if found.st_nlink != 1:
                    seen.add(key)
            if entries > MAX_ENTRIES:
                return f"made more than {MAX_ENTRIES:,} files and folders"
            if used > most:
                break
        self.used_mb = used / 2**20
        return f"used more than {self._disk_mb:,} MB of disk" if used > most else ""

    def _everything(self) -> Iterator[os.stat_result]:
        for folder in self._folders:
            for _, found in walk(folder, WalkReach(entries=MAX_ENTRIES + 1), in_order=False):
                yield found
        process = None if self._process is None else self._process()
        if process is not None:
            devices = {os.stat(folder).st_dev for folder in self._folders}
            yield from (found for found in _removed_files(process) if found.st_dev in devices)


def _removed_files(process: int) -> Iterator[os.stat_result]:
    """The files that nobody can find any more, but some descendant of a process has open or mapped."""
    from assay.adapters.sandbox.orphans import descendants  # noqa: PLC0415 - few commands take long enough

    for one in (process, *descendants(process)):
        for kind in ("fd", "map_files"):
            with contextlib.suppress(OSError):
                for name in os.listdir(f"/proc/{one}/{kind}"):
                    with contextlib.suppress(OSError):
                        found = os.stat(f"/proc/{one}/{kind}/{name}")
                        if found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
                            yield found
