"""Walk a tree of files that an agent may have made, copy files by their pieces, and hash files and folders.

No link is followed, and a walk ends: an agent can nest folders so that every look at the lowest one takes as many
steps, or make more files than anybody wants to wait for. So a walk goes only so deep and looks at only so many.
``Reach.left`` has what it left out. A hole in a file is never read, however large the file says it is.
"""

import errno
import hashlib
import itertools
import os
import shutil
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, cast

from assay.adapters.machine.safe_read import open_below
from assay.core.errors import check_stopped

MAX_DEPTH = 128
MAX_ENTRIES = 2_000_000


@dataclass(slots=True)
class WalkReach:
    """How far a walk goes; and afterwards, the folders that it didn't go into, each with the reason."""

    depth: int = MAX_DEPTH
    entries: int = MAX_ENTRIES
    left: list[tuple[str, str]] = field(default_factory=list)

    def leaves(self, path: str, why: str) -> None:
        self.left.append((path, why))


def walk(
    root: str, reach: WalkReach | None = None, *, in_order: bool = True
) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below a folder, parents before children, names sorted; a folder that can't be read is skipped."""
    reach = reach or WalkReach()
    pending = [("", 1)]
    room = reach.entries
    while pending:
        check_stopped()
        folder, depth = pending.pop()
        if depth > reach.depth:
            reach.leaves(folder, f"more than {reach.depth} folders deep")
            continue
        found, whole = _list_folder(f"{root}/{folder}", room, in_order=in_order)
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


def _list_folder(folder: str, most: int, *, in_order: bool) -> tuple[list["os.DirEntry[str]"], bool]:
    """Up to ``most`` entries of a folder, and whether that is all."""
    try:
        with os.scandir(folder) as entries:
            found = list(itertools.islice(entries, most))
            whole = len(found) < most or next(entries, None) is None
    except OSError:
        return [], True
    if in_order:
        found.sort(key=lambda entry: entry.name)
    return found, whole


# Smaller holes are read as the zeros that they are.
SMALLEST_HOLE = 64 * 1024
MAX_PIECES = 10_000
_CHUNK = 1 << 20


def pieces_of(fd: int) -> list[tuple[int, int]] | None:
    """Where a file has content, as pairs of an offset and a length; None if it is in too many pieces."""
    found = os.fstat(fd)
    if found.st_blocks * 512 >= found.st_size:
        return [(0, found.st_size)] if found.st_size else []
    pieces: list[tuple[int, int]] = []
    end = 0
    while (start := _seek(fd, end, os.SEEK_DATA)) is not None and start < found.st_size:
        end = _seek(fd, start, os.SEEK_HOLE) or found.st_size
        if pieces and start - sum(pieces[-1]) < SMALLEST_HOLE:
            start = pieces.pop()[0]
        pieces.append((start, end - start))
        if len(pieces) > MAX_PIECES:
            return None
    return pieces


def copy_pieces(source: int, target: IO[bytes], pieces: list[tuple[int, int]], size: int) -> None:
    """Copy the pieces of an open file to the same places of another, which then has the same size."""
    for start, length in pieces:
        target.seek(start)
        copy_piece(source, target, start, length)
    target.truncate(size)


def copy_piece(source: int, target: IO[bytes], start: int, length: int) -> None:
    """Copy one piece to where the target is now. What is missing in the end becomes zeros."""
    while length > 0:
        chunk = os.pread(source, min(length, _CHUNK), start) or bytes(min(length, _CHUNK))
        target.write(chunk)
        start += len(chunk)
        length -= len(chunk)


def pack_pieces(tar: tarfile.TarFile, entry: tarfile.TarInfo, fd: int, pieces: list[tuple[int, int]]) -> None:
    """Add a file with holes in the form of GNU tar 1.0, which tar and Python read: a map, then the pieces."""
    numbers = [len(pieces), *(number for piece in pieces for number in piece)]
    head = "".join(f"{number}\n" for number in numbers).encode()
    head += bytes(-len(head) % tarfile.BLOCKSIZE)
    entry.pax_headers = {
        **entry.pax_headers,
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": entry.name,
        "GNU.sparse.realsize": str(entry.size),
    }
    entry.size = len(head) + sum(length for _, length in pieces)
    with tempfile.TemporaryFile() as content:
        content.write(head)
        for start, length in pieces:
            copy_piece(fd, content, start, length)
        content.seek(0)
        tar.addfile(entry, content)


def unpack_file(tar: tarfile.TarFile, entry: tarfile.TarInfo, path: str) -> None:
    """Unpack a file, with its holes if it was packed by its pieces."""
    pieces = cast("list[tuple[int, int]] | None", entry.sparse)
    content = tar.extractfile(entry)
    with open(path, "xb") as output:
        if content is not None and pieces is None:
            shutil.copyfileobj(content, output)
        elif content is not None:
            for start, length in pieces or ():
                content.seek(start)
                output.seek(start)
                _copy_some(content, output, length)
            output.truncate(entry.size)


def _copy_some(content: IO[bytes], output: IO[bytes], length: int) -> None:
    while length > 0 and (chunk := content.read(min(length, 1 << 20))):
        output.write(chunk)
        length -= len(chunk)


def _seek(fd: int, offset: int, whence: int) -> int | None:
    try:
        return os.lseek(fd, offset, whence)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return None


def file_checksum(path: str) -> str:
    """The hash of a file's content."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except NotADirectoryError:
        found, digest = open_below(os.path.dirname(path), (os.path.basename(path),)), hashlib.sha256()
        for start in range(0, 0 if found is None else found.size, _CHUNK):
            digest.update(b"" if found is None else found.read(start, _CHUNK))
        return digest.hexdigest()


def checksum(root: str) -> str:
    """One hash over the names, modes and contents of all files below a folder."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(root):
        folders.sort()
        linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*files, *linked]):
            file = os.path.join(folder, name)
            found = os.lstat(file)
            digest.update(os.fsencode(f"{os.path.relpath(file, root)}\0{stat.S_IMODE(found.st_mode):o}\0"))
            if stat.S_ISLNK(found.st_mode):
                digest.update(os.fsencode(os.readlink(file)))
            elif stat.S_ISREG(found.st_mode):
                with open(file, "rb") as content:
                    digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()
