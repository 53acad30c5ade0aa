"""The state of a workspace before the agent began: every path with type, mode and hash, and the contents.

It is stored as two files: ``manifest``, with one line per path, sorted, and ``contents``, with an offset for each
path in the manifest. Everything that is read is checked against its hash.
"""

import functools
import hashlib
import os
import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import IO
from urllib.parse import quote_from_bytes, unquote_to_bytes

from assay.adapters.machine.safe_read import read_below
from assay.adapters.workspace.walk import entries_of, walk_workspace
from assay.core.errors import InputError, MeasurementError
from assay.evidence.files import Content
from assay.evidence.workspace import Entry, EntryKind

MANIFEST = "manifest"
CONTENTS = "contents"
MAX_READ = 64 * 2**20
_KINDS = {kind.value: kind for kind in EntryKind}
_PLAIN = "/ !#$&'()+,;=@[]{}~^`"


@dataclass(frozen=True)
class FolderBaseline:
    """A folder of the user's, which nobody changes in the meantime."""

    root: str
    entries: Mapping[str, Entry]
    nested: tuple[str, ...] = ()

    def paths(self) -> Iterable[str]:
        return self.entries.keys()

    def entry(self, path: str) -> Entry | None:
        return self.entries.get(path)

    def read(self, path: str) -> bytes | None:
        entry = self.entries.get(path)
        if entry is None:
            return None
        if entry.kind is EntryKind.LINK:
            return os.fsencode(os.readlink(f"{self.root}/{path}"))
        found = read_below(self.root, path.split("/"), MAX_READ)
        return found.data if isinstance(found, Content) else None


def folder_baseline(root: str) -> FolderBaseline:
    """The folder as it is now. Raises ``MeasurementError`` if a part of it can't be read."""
    walked = walk_workspace(root)
    cut = list(walked.cut)
    entries = entries_of(root, walked.records, cut)
    if cut:
        raise MeasurementError(f"the baseline {root} can't be recorded: {cut[0]}")
    return FolderBaseline(root, entries, walked.nested)


@dataclass(frozen=True)
class StoredBaseline:
    """A baseline that ``store_baseline`` wrote. Lines of its manifest are parsed when they are needed."""

    folder: str
    manifest: bytes

    def paths(self) -> Iterable[str]:
        return (os.fsdecode(unquote_to_bytes(line.split(b"\t", 1)[0])) for line in self.manifest.splitlines())

    def entry(self, path: str) -> Entry | None:
        line = self._line(path)
        return None if line is None else Entry(_KINDS[line[0]], int(line[1], 8), int(line[2]), line[3])

    @functools.cached_property
    def _line(self) -> Callable[[str], list[str] | None]:
        """The line of a path, cached: it is needed more than once, and finding it takes a while."""
        return functools.lru_cache(maxsize=4096)(self._look_up)

    def _look_up(self, path: str) -> list[str] | None:
        """Binary search: few paths are needed, and a manifest is long."""
        quoted = _quote_path(path)
        at = bisect_left(range(len(self.manifest)), quoted, key=self._path_around)
        start = self.manifest.rfind(b"\n", 0, at) + 1
        if not self.manifest.startswith(quoted + b"\t", start):
            return None
        return self.manifest[start + len(quoted) + 1 : self.manifest.index(b"\n", start)].decode().split("\t")

    def _path_around(self, at: int) -> bytes:
        start = self.manifest.rfind(b"\n", 0, at) + 1
        return self.manifest[start : self.manifest.index(b"\t", start)]

    def read(self, path: str) -> bytes | None:
        entry = self.entry(path)
        if entry is None or entry.kind is EntryKind.OTHER or entry.size > MAX_READ:
            return None
        try:
            with open(f"{self.folder}/{CONTENTS}", "rb") as file:
                file.seek(self._offset(path))
                data = file.read(entry.size)
        except OSError as error:
            raise MeasurementError(f"{self.folder}/{CONTENTS} can't be read: {error.strerror}") from error
        if hashlib.sha256(data).hexdigest() != entry.digest:
            raise MeasurementError(f"{self.folder}/{CONTENTS} was changed: {path} is not what was recorded")
        return data

    def _offset(self, path: str) -> int:
        line = self._line(path)
        return 0 if line is None else int(line[4])


def manifest_of(source: FolderBaseline) -> bytes:
    """A line for each path: its type, mode, size and hash, and where its content begins."""
    lines: list[bytes] = []
    offset = 0
    for path in _in_order(source):
        entry = source.entries[path]
        parts = (
            _quote_path(path),
            entry.kind.value.encode(),
            entry.mode,
            entry.size,
            entry.digest.encode(),
            offset,
        )
        lines.append(b"%s\t%s\t%o\t%d\t%s\t%d\n" % parts)
        offset += entry.size
    return b"".join(lines)


def store_baseline(source: FolderBaseline, folder: str) -> str:
    """Write a baseline into a new folder. Returns the hash of its manifest."""
    os.makedirs(folder)
    with open(f"{folder}/{CONTENTS}", "xb") as contents:
        for path in _in_order(source):
            if _append(contents, source, path) != source.entries[path].size:
                raise MeasurementError(f"{source.root}/{path} changed while it was recorded")
    manifest = manifest_of(source)
    with open(f"{folder}/{MANIFEST}", "xb") as file:
        file.write(manifest)
    return hashlib.sha256(manifest).hexdigest()


def load_baseline(folder: str, manifest_hash: str) -> StoredBaseline:
    """Read a stored baseline. Raises ``InputError`` if its hash is another one."""
    try:
        with open(f"{folder}/{MANIFEST}", "rb") as file:
            manifest = file.read()
    except OSError as error:
        raise InputError(f"{folder}/{MANIFEST} can't be read: {error.strerror}") from error
    if hashlib.sha256(manifest).hexdigest() != manifest_hash:
        raise InputError(f"{folder}/{MANIFEST} was changed since the task was seeded")
    return StoredBaseline(folder, manifest)


def _quote_path(path: str) -> bytes:
    """A path on one line, without tabs: a name may hold any bytes."""
    return quote_from_bytes(os.fsencode(path), _PLAIN).encode()


def _in_order(source: FolderBaseline) -> list[str]:
    return sorted(source.entries, key=_quote_path)


def _append(contents: IO[bytes], source: FolderBaseline, path: str) -> int:
    kind = source.entries[path].kind
    if kind is EntryKind.LINK:
        return contents.write(source.read(path) or b"")
    if kind is not EntryKind.FILE:
        return 0
    with open(f"{source.root}/{path}", "rb") as file:
        shutil.copyfileobj(file, contents, 1 << 20)
        return file.tell()
