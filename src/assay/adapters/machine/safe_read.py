"""Open and read files that an agent may have made, without following links, blocking, or reading too much.

A path is opened once, without following a final link and without blocking. The checks then use the descriptor, so
nothing can be swapped between the check and the read.
"""

import errno
import os
import stat
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.evidence.files import Absent, ByteSource, Content, File, Refusal, Refused

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY

_KINDS = (
    (stat.S_ISDIR, Refusal.FOLDER),
    (stat.S_ISFIFO, Refusal.FIFO),
    (stat.S_ISSOCK, Refusal.SOCKET),
    (stat.S_ISCHR, Refusal.DEVICE),
    (stat.S_ISBLK, Refusal.DEVICE),
)


def read_file(path: str, limit: int, dir_fd: int | None = None) -> File:
    """Read a regular file of at most ``limit`` bytes. Never raises for what it finds at ``path``."""
    try:
        fd = os.open(path, _FLAGS, dir_fd=dir_fd)
    except OSError as error:
        return _not_opened(path, error, dir_fd)
    except ValueError:  # A NUL in the name: no such file can exist.
        return Absent(path)
    try:
        return _read_open(fd, path, limit)
    except OSError as error:
        return Refused(path, Refusal.UNREADABLE, f" ({os.strerror(error.errno or errno.EIO)})")
    finally:
        os.close(fd)


def read_below(root: str, parts: Sequence[str], limit: int) -> File:
    """Read a file some folders below ``root``, following no link on the way. The parts may come from anybody."""
    path = "/".join((root, *parts))
    fd = None
    try:
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in parts[:-1]:
            if stat.S_ISLNK(os.lstat(_plain(part), dir_fd=fd).st_mode):
                return Refused(path, Refusal.LINK, " on the way")
            deeper = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd = deeper
        return replace(read_file(_plain(parts[-1]), limit, dir_fd=fd), path=path)
    except NotADirectoryError:
        from assay.adapters.machine.packs import read_packed  # noqa: PLC0415 - few paths lead into a pack

        return (read_packed(root, parts, limit) if fd is None else None) or Absent(path)
    except (FileNotFoundError, ValueError):
        return Absent(path)
    except OSError as error:
        return Refused(path, Refusal.UNREADABLE, f" ({os.strerror(error.errno or errno.EIO)})")
    finally:
        if fd is not None:
            os.close(fd)


class FileBytes:
    """A regular file below ``root``, read in pieces. Fulfils ``ByteSource``."""

    def __init__(self, fd: int, size: int) -> None:
        self._fd = fd
        self.size = size
        weakref.finalize(self, os.close, fd)

    def read(self, start: int, length: int) -> bytes:
        try:
            return os.pread(self._fd, max(0, min(length, self.size - start)), start)
        except OSError:
            return b""


def open_below(root: str, parts: Sequence[str]) -> ByteSource | None:
    """A file some folders below ``root``, opened as ``read_below`` does; None if it can't be read."""
    opened: list[int] = []
    try:
        opened.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for part in parts[:-1]:
            opened.append(os.open(_plain(part), _FLAGS | os.O_DIRECTORY, dir_fd=opened[-1]))
        fd = os.open(_plain(parts[-1]), _FLAGS, dir_fd=opened[-1])
    except NotADirectoryError:
        from assay.adapters.machine.packs import open_packed  # noqa: PLC0415 - as above

        return None if opened else open_packed(root, parts)
    except (OSError, ValueError):
        return None
    finally:
        for one in opened:
            os.close(one)
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        return None
    return FileBytes(fd, found.st_size)


def names_in(folder: str, ending: str | None = None) -> list[str]:
    """The folders in a folder or, with an ending, its other entries that have it; none if it can't be read."""
    try:
        found = [name for name, is_folder in entries_of(folder) if is_folder == (ending is None)]
    except OSError:
        return []
    return sorted(name for name in found if ending is None or name.endswith(ending))


def entries_of(folder: str) -> Iterator[tuple[str, bool]]:
    """The names in a folder on disk or in a pack, and whether each is a folder. Raises ``OSError``."""
    try:
        with os.scandir(folder) as entries:
            yield from ((one.name, one.is_dir(follow_symlinks=False)) for one in entries)
    except NotADirectoryError:
        from assay.adapters.machine.packs import find_place  # noqa: PLC0415 - as above

        place = find_place(folder)
        if place is None or (place.entry is not None and not place.entry.is_folder):
            raise
        if place.entry is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder) from None
        yield from ((os.fsdecode(one.name), one.is_folder) for one in place.pack.inside(place.entry.id))


def mode_of(path: str) -> int:
    """The mode of a path on disk, where links are followed, or in a pack, where they aren't; 0 if it is none."""
    try:
        return os.stat(path).st_mode
    except NotADirectoryError:
        from assay.adapters.machine.packs import find_place  # noqa: PLC0415 - as above

        place = find_place(path)
        return 0 if place is None or place.entry is None else place.entry.mode
    except (OSError, ValueError):
        return 0


def is_file(path: str) -> bool:
    """Whether a regular file is at a path, on disk or in a pack. A pack itself is a folder."""
    return stat.S_ISREG(mode_of(path)) and not is_pack(path)


def is_folder(path: str) -> bool:
    """Whether a folder is at a path: on disk, in a pack, or a pack itself."""
    mode = mode_of(path)
    return stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and is_pack(path))


def is_there(path: str) -> bool:
    """Whether anything is at a path, on disk or in a pack, be it a link that leads nowhere."""
    return os.path.lexists(path) or mode_of(path) != 0


def name_of(folder: str) -> str:
    """The name of a folder; of a pack, that of the folder that was packed."""
    if is_pack(folder):
        from assay.adapters.machine.packs import Pack  # noqa: PLC0415 - as above

        return os.fsdecode(Pack(folder).root.name)
    return os.path.basename(os.path.realpath(folder))


def add_packed(path: str, content: bytes) -> None:
    """Add a file at a path in a pack. Raises ``FileExistsError`` if there is one already."""
    from assay.adapters.machine.packs import find_place  # noqa: PLC0415 - as above

    place = find_place(path)
    if place is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    place.pack.add(place.parts, content)


PACK_ID = 0x41535359
"""The number in the head of a pack that says what kind of database it is."""


def is_pack(path: str) -> bool:
    """Whether a pack is at a path."""
    try:
        with open(path, "rb") as file:
            head = file.read(72)
    except (OSError, ValueError):
        return False
    return head.startswith(b"SQLite format 3\0") and head[68:72] == PACK_ID.to_bytes(4)


def _plain(part: str) -> str:
    """The name, if it stays in its folder. Raises ``ValueError`` otherwise."""
    if part in ("", ".", "..") or "/" in part or "\0" in part:
        raise ValueError(f"{part!r} isn't the name of a file")
    return part


def _read_open(fd: int, path: str, limit: int) -> File:
    found = os.fstat(fd)
    size = found.st_size
    if stat.S_IFMT(found.st_mode) != stat.S_IFREG:
        return Refused(path, _kind(found.st_mode))
    if size > limit:
        return _too_large(path, limit)
    data = os.read(fd, size + 1)
    if len(data) != size or not size:
        # It grows or shrinks while it is read, or doesn't know its size: only the limit ends it.
        data = _read_on(fd, data, limit)
    return _too_large(path, limit) if len(data) > limit else Content(path, data)


def _read_on(fd: int, data: bytes, limit: int) -> bytes:
    chunks = [data]
    size = len(data)
    while size <= limit and (chunk := os.read(fd, min(1 << 20, limit + 1 - size))):
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _not_opened(path: str, error: OSError, dir_fd: int | None) -> File:
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
        return Absent(path)
    if error.errno == errno.ELOOP:
        return Refused(path, Refusal.LINK) if _leads_somewhere(path, dir_fd) else Absent(path)
    if error.errno == errno.ENXIO:
        return Refused(path, Refusal.SOCKET)
    return Refused(path, Refusal.UNREADABLE, f" ({os.strerror(error.errno or errno.EIO)})")


def _leads_somewhere(path: str, dir_fd: int | None) -> bool:
    try:
        os.stat(path, dir_fd=dir_fd)
    except OSError:
        return False
    return True


def _kind(mode: int) -> Refusal:
    return next((refusal for is_kind, refusal in _KINDS if is_kind(mode)), Refusal.UNREADABLE)


def _too_large(path: str, limit: int) -> Refused:
    return Refused(path, Refusal.TOO_LARGE, f" of {limit} bytes")
