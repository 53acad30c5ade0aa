"""Remember a workspace from one capture to the next, so that files that nobody touched are not read again.

The memory is in the user's cache, outside every workspace. A file's ``ctime`` belongs to the kernel: it moves
with every change of content, mode or name, and no program can set it back. Files that changed around the time of
the capture are not remembered, because a clock has ticks. Nothing is remembered on file systems where a mapped
file can change without moving its ``ctime``, such as tmpfs.

The agent is gone when a capture is made: a process that still has a file mapped, and wrote to it just before,
could write once more without being seen.

Commands are remembered by one hash of all that their result follows from: files, command, surroundings, sandbox,
machine, Assay. The files of a workspace and of its baseline go in by their content. The folders of an environment
and the programs of the machine are the user's own, and large: they go in by names, sizes and times.
"""

import contextlib
import functools
import hashlib
import os
import platform
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from glob import glob

import msgspec

from assay import version
from assay.adapters.machine.tree_walk import WalkReach, file_checksum, walk
from assay.adapters.machine.trees import MAX_BYTES
from assay.adapters.workspace.walk import Record, digest_below, parse_record
from assay.engine.sandbox import PATH, CommandEnvironment, Sandbox
from assay.evidence.workspace import Baseline, Entry, EntryKind, Tree

_PACKAGES = ("/var/lib/dpkg/status", "/lib/apk/db/installed", "/var/lib/rpm", "/usr/lib/sysimage/rpm")
_LIBRARIES = ("/usr/lib/python3*/*-packages", "/usr/local/lib/python3*/*-packages", "/usr/local/lib/node_modules")


def hashed(*parts: object) -> str:
    """One hash of parts that JSON can hold, each apart from the others."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def key_of(around: str, command: str, tree: Tree, collect: tuple[str, ...], time: int) -> str:
    """The key of a run: what is around it, and what it is asked. ``time`` counts repetitions."""
    files = [(_text(path), hashlib.sha256(data).hexdigest()) for path, data in tree.files.items()]
    seen = (tree.side.value, tree.swapped, tree.without, sorted(files))
    return hashed(around, _text(command), seen, [_text(path) for path in collect], time)


def content_of(root: str, without: Iterable[str]) -> str | None:
    """The hash of a folder's files, modes and links; None if something can't be read, or is too large to copy."""
    digest, reach = hashlib.sha256(), WalkReach()
    skipped, room = set(without), MAX_BYTES
    for path, found in walk(root, reach):
        if path in skipped or os.path.dirname(path) in skipped:
            skipped.add(path)
            continue
        room -= found.st_size
        told = _content_mark(root, path, found) if room >= 0 else None
        if told is None:
            return None
        digest.update(f"{_text(path)}\0{found.st_mode:o}\0{told}\0".encode())
    return None if reach.left else digest.hexdigest()


def baseline_content(baseline: Baseline) -> str:
    """The hash of a baseline's files, which know their own hashes."""
    digest = hashlib.sha256()
    for path in sorted(baseline.paths()):
        entry = baseline.entry(path)
        if entry is not None:
            digest.update(f"{_text(path)}\0{entry.kind.value}\0{entry.mode:o}\0{entry.digest}\0".encode())
    return digest.hexdigest()


def surroundings(around: CommandEnvironment, sandbox: Sandbox) -> str | None:
    """The hash of all that a command sees beside the workspace; None if it may change without a sign."""
    if not _keeps_apart(sandbox) or (around.image is not None and "sha256:" not in around.image):
        return None
    settings = {name: value for name, value in asdict(sandbox.isolation).items() if name != "measured"}
    mounts = [(mount.target, mount.writable, _signs(mount.source)) for mount in around.mounts]
    home = None if around.home is None else file_checksum(around.home)
    linked = [(folder.path, folder.target, folder.names) for folder in around.linked]
    placed = [(path, file_checksum(source)) for path, source in around.placed]
    shown = (around.image, mounts, linked, around.variables(), home, placed)
    return hashed(settings, shown, None if around.image else machine(), own_code())


def _keeps_apart(sandbox: Sandbox) -> bool:
    """Whether a command can't write where results are kept: it has a view of its own, or is another user."""
    return sandbox.isolation.pid_namespace or sandbox.owner is not None


@functools.cache
def own_code() -> str:
    """The hash of Assay's own code: whatever changes there may change which files a command sees."""
    here = os.path.dirname(version.__file__)
    paths = (path for path, found in walk(here) if path.endswith(".py") and stat.S_ISREG(found.st_mode))
    return hashed(version.VERSION, [(path, file_checksum(f"{here}/{path}")) for path in paths])


@functools.cache
def machine() -> str:
    """The programs and packages of this machine, by name, size and time."""
    folders = [*PATH.split(":"), *sorted(path for pattern in _LIBRARIES for path in glob(pattern))]
    listed = [(folder, list(_listed(folder))) for folder in folders]
    packages = [(path, *_size_and_time(path)) for path in _PACKAGES if os.path.exists(path)]
    return hashed(platform.machine(), platform.release(), listed, packages)


def _listed(folder: str) -> Iterator[tuple[str, int, int]]:
    if os.path.isdir(folder):
        yield from ((_text(name), *_size_and_time(f"{folder}/{name}")) for name in sorted(os.listdir(folder)))


def _size_and_time(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_size, found.st_mtime_ns


def _signs(source: str) -> str:
    """Names, sizes and times below a folder. Compiled files follow from the others."""
    rows = (
        f"{_text(path)}\0{found.st_mode:o}\0{found.st_size}\0{found.st_mtime_ns}"
        for path, found in walk(source)
        if "__pycache__" not in path and stat.S_ISREG(found.st_mode)
    )
    return hashed(list(rows)) if os.path.isdir(source) else hashed(*_size_and_time(source))


def _content_mark(root: str, path: str, found: os.stat_result) -> str | None:
    """The content at a path: the hash of a file, the target of a link, empty for anything else."""
    if stat.S_ISREG(found.st_mode):
        return digest_below(root, path)
    try:
        return _text(os.readlink(f"{root}/{path}")) if stat.S_ISLNK(found.st_mode) else ""
    except OSError:
        return None


def _text(name: str) -> str:
    """A file name may be any bytes, and JSON holds only text."""
    return name.encode(errors="backslashreplace").decode()


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
                return _parse_memory(text)
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
    """True if it may change once more without its time moving."""
    tick = COARSE_TICK_SEC if record.changed.is_integer() else TICK_SEC
    return record.changed >= taken - tick


def _seal(text: bytes) -> bytes:
    """A hash, because half of a memory would hide a deletion."""
    return hashlib.sha256(text).hexdigest().encode()


def _parse_memory(text: bytes) -> Remembered:
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
                kinds[_ESCAPED.sub(_unescape_byte, place)] = kind.decode()
    except (OSError, ValueError):
        return frozenset()
    above = max((place for place in kinds if _is_in(here, place)), key=len, default=None)
    below = [place for place in kinds if _is_in(place, here)]
    return frozenset(kinds[place] for place in ([above] if above is not None else []) + below)


def _is_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _unescape_byte(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])
