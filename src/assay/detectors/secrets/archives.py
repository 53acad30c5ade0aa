"""Unpacks archives and compressed data, up to a cap: zip and all that is one, gzip, bzip2, xz, zlib.

A tar file needs no reader: what it holds lies in it as it is.
"""

import bz2
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator

MAX_MEMBERS = 500
MAX_BYTES = 4 * 1024 * 1024
_ZLIB = (b"\x1f\x8b", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
_MEMORY = 64 * 1024 * 1024
_BROKEN = (OSError, EOFError, ValueError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def is_packed(data: bytes) -> bool:
    """True if it begins as archives and compressed files do."""
    return data.startswith((b"PK\x03\x04", *_ZLIB, b"BZh", b"\xfd7zXZ\0"))


def unpacked(data: bytes) -> Iterator[bytes]:
    """The contents of an archive, and the names in it; nothing for anything else. What is broken ends early."""
    if data.startswith(b"PK\x03\x04"):
        yield from _zipped(data)
    elif (found := decompressed(data)) is not None:
        yield found


def decompressed(data: bytes, limit: int = MAX_BYTES) -> bytes | None:
    """The decompressed data, up to a limit; None where nothing was."""
    try:
        if data.startswith(_ZLIB):
            return zlib.decompressobj(wbits=47).decompress(data, limit)
        if data.startswith(b"BZh"):
            return bz2.BZ2Decompressor().decompress(data, limit)
        if data.startswith(b"\xfd7zXZ\0"):
            return lzma.LZMADecompressor(memlimit=_MEMORY).decompress(data, limit)
    except _BROKEN:
        pass
    return None


def _zipped(data: bytes) -> Iterator[bytes]:
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = packed.infolist()[:MAX_MEMBERS]
            yield "\n".join(member.filename for member in members).encode("utf-8", "replace")
            for member in members:
                with packed.open(member) as file:
                    content = file.read(left)
                left -= len(content)
                yield content
                if left <= 0:
                    return
    except (*_BROKEN, NotImplementedError):
        return
