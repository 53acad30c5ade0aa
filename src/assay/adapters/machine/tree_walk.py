"""Walk a tree of files that an agent may have made: no link is followed, and it ends.

An agent can nest folders so that every look at the lowest one takes as many steps, or make more files than anybody
wants to wait for. So a walk goes only so deep and looks at only so many. ``Reach.left`` has what it left out.
"""

import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_DEPTH = 128
MAX_ENTRIES = 2_000_000


@dataclass(slots=True)
class Reach:
    """How far a walk goes; and afterwards, the folders that it didn't go into, each with the reason."""

    depth: int = MAX_DEPTH
    entries: int = MAX_ENTRIES
    left: list[tuple[str, str]] = field(default_factory=list)

    def leaves(self, path: str, why: str) -> None:
        self.left.append((path, why))


def walk(root: str, reach: Reach | None = None, *, in_order: bool = True) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below a folder, parents before children, names sorted; a folder that can't be read is skipped."""
    reach = reach or Reach()
    pending = [("", 1)]
    room = reach.entries
    while pending:
        folder, depth = pending.pop()
        if depth > reach.depth:
            reach.leaves(folder, f"more than {reach.depth} folders deep")
            continue
        found, whole = _listed(f"{root}/{folder}", room, in_order=in_order)
        if not whole:
            reach.leaves(folder, f"beyond the first {reach.entries:,} files and folders")
        room -= len(found)
        deeper: list[tuple[str, int]] = []
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                deeper.append((path, depth + 1))
        pending += reversed(deeper)


def _listed(folder: str, most: int, *, in_order: bool) -> tuple[list["os.DirEntry[str]"], bool]:
    """What a folder has, up to so many, and whether that is all."""
    try:
        with os.scandir(folder) as entries:
            found = list(itertools.islice(entries, most))
            whole = len(found) < most or next(entries, None) is None
    except OSError:
        return [], True
    if in_order:
        found.sort(key=lambda entry: entry.name)
    return found, whole
