"""Remember a workspace from one capture to the next, so that files that nobody touched are not read again.

The memory is in the user's cache, outside every workspace. A file's ``ctime`` belongs to the kernel: it moves
with every change of content, mode or name, and no program can set it back. Files that changed around the time of
the capture are not remembered, because a clock has ticks. Nothing is remembered on file systems where a mapped
file can change without moving its ``ctime``, such as tmpfs.

The agent is gone when a capture is made: a process that still has a file mapped, and wrote to it just before,
could write once more without being seen.
"""

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from assay.adapters.workspace.walk import Record, parse_record
from assay.evidence.workspace import Entry, EntryKind

TICK_SEC = 0.05
# Where times have no fraction, the file system counts in whole seconds, or in every second one.
COARSE_TICK_SEC = 2.5
# How many workspaces are remembered at a time: each run of an agent may have one of its own.
MAX_KEPT = 500
TRUSTED = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "overlay"})
MOUNTS = "/proc/self/mounts"
_ESCAPED = re.compile(rb"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Remembered:
    """The records of what was settled, and how those paths differed from the baseline: None for one that was
    gone.
    """

    records: frozenset[bytes] = frozenset()
    differing: Mapping[str, Entry | None] = field(default_factory=dict)


class Memory:
    """The memory of one workspace against one baseline."""

    def __init__(self, root: str, baseline: str, cache: str | None = None) -> None:
        found = os.stat(root)
        key = f"{os.path.realpath(root)}\0{found.st_dev}\0{found.st_ino}\0{baseline}"
        name = hashlib.sha256(os.fsencode(key)).hexdigest()[:32]
        self._path = f"{cache or _cache()}/{name}"
        kinds = kinds_below(root)
        self._trusted = bool(kinds) and kinds <= TRUSTED

    def recall(self) -> Remembered:
        """The memory; empty if there is none, or if it can't be read."""
        if not self._trusted:
            return Remembered()
        with contextlib.suppress(OSError, ValueError, msgspec.MsgspecError), open(self._path, "rb") as file:
            seal, _, text = file.read().partition(b"\n")
            if seal == _seal(text):
                return _remembered(text)
        return Remembered()

    def keep(
        self,
        taken: float,
        records: frozenset[bytes],
        new: frozenset[bytes],
        differing: Mapping[str, Entry | None],
    ) -> None:
        """Remember a capture that began at ``taken``. The records that are new may be fresh. Failing to is no
        harm.
        """
        if not self._trusted:
            return
        fresh = {row: record.path for row in new if _is_fresh(record := parse_record(row), taken)}
        rows = {_hex(path): None if entry is None else _row(entry) for path, entry in differing.items()}
        # None also stands for "look again": what is there then shows up as a record that nobody knew.
        rows.update((_hex(path), None) for path in fresh.values())
        text = msgspec.json.encode(rows) + b"\n" + b"".join(row + b"\0" for row in records - fresh.keys())
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            temporary = f"{self._path}.{os.getpid()}.{time.monotonic_ns()}"
            with open(temporary, "xb") as file:
                file.write(_seal(text) + b"\n" + text)
            os.replace(temporary, self._path)
            _forget_the_oldest(os.path.dirname(self._path))


def _forget_the_oldest(folder: str) -> None:
    with os.scandir(folder) as found:
        kept = [entry.path for entry in found]
    if len(kept) > MAX_KEPT:
        kept.sort(key=lambda path: os.lstat(path).st_mtime)
        for path in kept[:-MAX_KEPT]:
            os.unlink(path)


def _is_fresh(record: Record, taken: float) -> bool:
    """Whether it may change once more without its time moving."""
    tick = COARSE_TICK_SEC if record.changed.is_integer() else TICK_SEC
    return record.changed >= taken - tick


def _seal(text: bytes) -> bytes:
    """A hash, because half of a memory would hide a deletion."""
    return hashlib.sha256(text).hexdigest().encode()


def _remembered(text: bytes) -> Remembered:
    head, _, rows = text.partition(b"\n")
    found = msgspec.json.decode(head, type=dict[str, tuple[str, int, int, str, int] | None])
    differing = {
        os.fsdecode(bytes.fromhex(path)): None if row is None else _entry(row) for path, row in found.items()
    }
    return Remembered(frozenset(rows.split(b"\0")[:-1]), differing)


def _hex(path: str) -> str:
    return os.fsencode(path).hex()


def _row(entry: Entry) -> tuple[str, int, int, str, int]:
    return entry.kind.value, entry.mode, entry.size, entry.digest, entry.names


def _entry(row: tuple[str, int, int, str, int]) -> Entry:
    return Entry(EntryKind(row[0]), *row[1:])


def _cache() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return f"{base}/assay/workspaces"


def kinds_below(folder: str, mounts: str = MOUNTS) -> frozenset[str]:
    """Their kinds, as the kernel names them. Empty if the kernel doesn't say."""
    here = os.fsencode(os.path.realpath(folder))
    kinds: dict[bytes, str] = {}
    try:
        with open(mounts, "rb") as file:
            for line in file:
                _, place, kind, *_ = line.split(b" ")
                # A later mount at the same place covers the earlier one.
                kinds[_ESCAPED.sub(_unescaped, place)] = kind.decode()
    except (OSError, ValueError):
        return frozenset()
    above = max((place for place in kinds if _is_in(here, place)), key=len, default=None)
    below = [place for place in kinds if _is_in(place, here)]
    return frozenset(kinds[place] for place in ([above] if above is not None else []) + below)


def _is_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])
