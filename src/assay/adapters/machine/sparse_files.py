"""Files with holes, by their pieces: a hole is never read, however large the file says it is."""

import errno
import os
import shutil
import tarfile
import tempfile
from typing import IO, cast

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
