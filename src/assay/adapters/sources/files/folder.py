"""A local folder. No link is followed, neither a file's nor a folder's, and nothing but regular files counts.

What lies below is opened from folder to folder by its descriptor, so that nothing can be swapped on the way.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from assay.core.errors import MeasurementError
from assay.evidence.playground import StoredFile


def is_plain(path: str) -> bool:
    """Whether a path stays below its prefix, whoever reads it."""
    return "\0" not in path and not any(part in ("", ".", "..") for part in path.split("/"))


def plain_parts(path: str) -> list[str]:
    """The parts of a path. Raises ``FileNotFoundError`` for one that could lead elsewhere."""
    if not is_plain(path):
        raise missing(path)
    return path.split("/")


def missing(path: str) -> FileNotFoundError:
    """The error for a missing file."""
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def below(prefix: str, key: str) -> str | None:
    """The path of an object relative to the prefix; None for anything that isn't a file below it."""
    if not key.startswith(prefix):
        return None
    path = key[len(prefix) :]
    return path if is_plain(path) else None


MAX_FILES: Final = 1_000_000
CHUNK: Final = 1 << 20
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY

_GONE: Final = (errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EMLINK, errno.ENAMETOOLONG)
_CLOSED: Final = (errno.EACCES, errno.EPERM)


class LocalFolder:
    """The folder itself may be named by a link: that is its owner's to decide."""

    def __init__(self, root: str, max_files: int = MAX_FILES) -> None:
        self._root = os.path.realpath(root)
        self._max_files = max_files

    def close(self) -> None:
        """Nothing is kept open between questions."""

    def files(self) -> Iterator[StoredFile]:
        """Everything below it. A folder that can't be read, or is gone by then, has nothing in it."""
        count, pending = 0, [""]
        os.close(self._open_root())
        while pending:
            folder = pending.pop()
            for name, found in self._entries(folder):
                if stat.S_ISDIR(found.st_mode):
                    pending.append(f"{folder}{name}/")
                elif stat.S_ISREG(found.st_mode):
                    count += 1
                    yield StoredFile(f"{folder}{name}", found.st_size, moment(found.st_mtime))
            if count + len(pending) > self._max_files:
                raise MeasurementError(f"the folder of files has more than {self._max_files} files")

    def chunks(self, path: str) -> Iterator[bytes]:
        """The content as long as the file was when it was opened: one that grows does not go on for ever."""
        fd = self._open(plain_parts(path), _FILE)
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise missing(path)
            left = found.st_size
            while left and (chunk := _read(fd, min(CHUNK, left))):
                left -= len(chunk)
                yield chunk
        finally:
            os.close(fd)

    def _open_root(self) -> int:
        try:
            return os.open(self._root, _FOLDER)
        except OSError as error:
            raise MeasurementError(f"the folder of files can't be opened: {error.strerror}") from error

    def _open(self, parts: Sequence[str], flags: int) -> int:
        """The last of the parts. Raises ``OSError`` where one is not what it should be."""
        fd = self._open_root()
        for at, part in enumerate(parts):
            try:
                deeper = os.open(part, _FOLDER if at < len(parts) - 1 else flags, dir_fd=fd)
            except OSError as error:
                raise _of_file(error, "/".join(parts)) from error
            finally:
                os.close(fd)
            fd = deeper
        return fd

    def _entries(self, folder: str) -> list[tuple[str, os.stat_result]]:
        entries: list[tuple[str, os.stat_result]] = []
        try:
            fd = self._open(folder.split("/")[:-1], _FOLDER)
        except OSError:
            return entries
        try:
            for name in os.listdir(fd):
                try:
                    entries.append((name, os.stat(name, dir_fd=fd, follow_symlinks=False)))
                except FileNotFoundError:
                    # It was removed since it was listed.
                    continue
        except OSError as error:
            _of_file(error, folder)
        finally:
            os.close(fd)
        return entries


def _of_file(error: OSError, path: str) -> OSError:
    """An error as one about a file: a link, a socket or a file in place of a folder isn't one of ours.

    Raises ``MeasurementError`` for what is not the file's doing, such as a disk that fails or too many open files.
    """
    if error.errno in _GONE:
        return missing(path)
    if error.errno in _CLOSED:
        return OSError(error.errno, error.strerror, path)
    raise MeasurementError(f"the folder of files can't be read: {error.strerror}") from error


def _read(fd: int, size: int) -> bytes:
    try:
        return os.read(fd, size)
    except OSError as error:
        raise MeasurementError(f"the folder of files can't be read: {error.strerror}") from error


def moment(seconds: float) -> datetime:
    """A time that a file claims; one that no calendar has is the beginning of time, so it proves nothing."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)
