"""Unpack an archive that somebody else made: tar, compressed or not, or zip.

Nothing is written outside the target, and never more than the caps allow, whatever the archive claims. A device, a
socket or a pipe becomes a pipe: it shows as neither file, folder nor link, and nobody opens it.
"""

import errno
import lzma
import os
import posixpath
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from assay.core.errors import InputError

MAX_BYTES = 8 * 2**30
MAX_MEMBERS = 1_000_000
MAX_ATTRIBUTES = 1 << 20
_CHUNK = 1 << 20
_ATTRIBUTES = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_LONGEST_LINK = 4096
_UTF_8 = 0x800
# Where the end of a zip says how large the list of members is and where it ends; between the two may be records of
# 76 bytes for large archives.
_DIRECTORY_SIZE, _DIRECTORY_END, _DIRECTORY_GAP = 5, 9, 76
_DIRECTORY_ENTRY = b"PK\x01\x02"
_BROKEN = (
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    ValueError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)


@dataclass(frozen=True, slots=True)
class Caps:
    """How much an archive may hold. ``called`` is how errors name it instead of its path."""

    bytes: int = MAX_BYTES
    members: int = MAX_MEMBERS
    called: str | None = None


ALL = Caps()


def unpack_archive(archive: str, target: str, strip: int = 0, caps: Caps = ALL) -> None:
    """Unpack files, folders and links, without ``strip`` leading folders of each name. Raises ``InputError``."""
    _unpack(_ArchiveUnpacking(archive, target, strip, caps), archive, caps)


def check_archive(archive: str, caps: Caps) -> None:
    """Raises ``InputError`` for an archive that can't be unpacked within the caps. Nothing is written."""
    _unpack(_Looking(archive, "", 0, caps), archive, caps)


def _unpack(unpacking: "_ArchiveUnpacking", archive: str, caps: Caps) -> None:
    try:
        if zipfile.is_zipfile(archive):
            unpacking.zip()
        else:
            unpacking.tar()
    except _BROKEN as error:
        raise InputError(f"{caps.called or archive} can't be unpacked: {_why(error)}") from error


def _why(error: Exception) -> str:
    if isinstance(error, tarfile.ReadError) and "\n" in str(error):
        return "it is neither tar nor zip"
    return str(error.strerror if isinstance(error, OSError) and error.strerror else error)


def _zip_name(member: zipfile.ZipInfo) -> str:
    """Programs on Linux write UTF-8 and often don't say so; zipfile then reads the name as code page 437."""
    if member.flag_bits & _UTF_8:
        return member.filename
    try:
        return member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename


class _Member(tarfile.TarInfo):
    """A member whose long name or other attributes are small enough to be read: tarfile takes them into memory."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _ATTRIBUTES and self.size > MAX_ATTRIBUTES:
            must = f"attributes of a file in an archive must have at most {MAX_ATTRIBUTES} bytes"
            raise InputError(f"{must}, got {self.size}")
        found: tarfile.TarInfo = super()._proc_member(tar)  # type: ignore[misc] # not among the stubs
        return found


def _most_members(archive: str) -> int:
    """As many members as a zip may have, before zipfile takes the whole list of them into memory."""
    with open(archive, "rb") as file:
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined] # not among the stubs
        size, place = int(end[_DIRECTORY_SIZE]), int(end[_DIRECTORY_END])
        file.seek(max(0, place - size - _DIRECTORY_GAP))
        return file.read(size + _DIRECTORY_GAP).count(_DIRECTORY_ENTRY)


class _ArchiveUnpacking:
    """One archive on its way into one folder."""

    def __init__(self, archive: str, target: str, strip: int, caps: Caps) -> None:
        self._archive, self._target, self._strip = archive, target, strip
        self._caps, self._called = caps, caps.called or archive
        self._bytes_left, self._members_left = caps.bytes, caps.members
        # Folders that are there, and no links. They stay: only what is no folder is replaced.
        self._folders = {target}

    def tar(self) -> None:
        with tarfile.open(self._archive, tarinfo=_Member) as tar:
            for member in tar:
                path = self._place(member.name)
                if path is None:
                    continue
                if member.isdir():
                    self._make_folder(path)
                elif member.issym():
                    self._link(member.linkname, path)
                elif member.isreg() or member.islnk():
                    # A hard link becomes a file of its own, with the content of the one it names.
                    self._write(path, tar.extractfile(member), member.mode)
                else:
                    self._pipe(path)

    def zip(self) -> None:
        if _most_members(self._archive) > self._caps.members:
            raise self._too_many()
        with zipfile.ZipFile(self._archive) as packed:
            for member in packed.infolist():
                path = self._place(_zip_name(member))
                mode = member.external_attr >> 16
                if path is None:
                    continue
                if member.is_dir():
                    self._make_folder(path)
                elif stat.S_ISLNK(mode):
                    with packed.open(member) as content:
                        # No link is longer, and the content of this one is taken into memory.
                        self._link(os.fsdecode(content.read(_LONGEST_LINK)), path)
                elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                    self._write(path, packed.open(member), mode or 0o644)
                else:
                    self._pipe(path)

    def _place(self, name: str) -> str | None:
        """Where a member goes; None if nothing of its name is left. A path through a link is refused."""
        self._members_left -= 1
        if self._members_left < 0:
            raise self._too_many()
        parts = self._parts(name)
        if not parts:
            return None
        path = f"{self._folder(parts[:-1], name)}/{parts[-1]}"
        self._make_room(path)
        return path

    def _make_room(self, path: str) -> None:
        if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path)):
            os.unlink(path)

    def _too_many(self) -> InputError:
        return InputError(f"{self._called} must hold at most {self._caps.members} files, got more")

    def _parts(self, name: str) -> list[str]:
        parts = [part for part in name.split("/") if part not in ("", ".")][self._strip :]
        if posixpath.isabs(name) or ".." in parts or "\0" in name:
            raise InputError(f"{self._called}: names must stay in the archive's folder, got {name!r}")
        return parts

    def _folder(self, parts: list[str], name: str) -> str:
        folder = self._target
        for part in parts:
            folder = f"{folder}/{part}"
            if folder not in self._folders:
                if self._is_link(folder):
                    raise InputError(f"{self._called}: names must not lead through a link, got {name!r}")
                self._make_folder(folder)
                self._folders.add(folder)
        return folder

    def _is_link(self, path: str) -> bool:
        return os.path.islink(path)

    def _make_folder(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    def _link(self, target: str, path: str) -> None:
        os.symlink(target, path)

    def _pipe(self, path: str) -> None:
        os.mkfifo(path, 0o600)

    def _write(self, path: str, content: IO[bytes] | None, mode: int) -> None:
        if content is None:  # A hard link to something without content.
            self._pipe(path)
            return
        with open(path, "xb") as file, content:
            file.writelines(self._chunks(content))
            os.fchmod(file.fileno(), 0o755 if mode & 0o100 else 0o644)

    def _chunks(self, content: IO[bytes]) -> Iterator[bytes]:
        while chunk := content.read(_CHUNK):
            self._bytes_left -= len(chunk)
            if self._bytes_left < 0:
                raise InputError(f"{self._called} must hold at most {self._caps.bytes} bytes, got more")
            yield chunk


class _Looking(_ArchiveUnpacking):
    """Goes through an archive as if it were unpacked, and remembers what would be where."""

    def __init__(self, *told: Any) -> None:
        super().__init__(*told)
        self._links: set[str] = set()
        self._others: set[str] = set()

    def _make_room(self, path: str) -> None:
        self._links.discard(path)
        self._others.discard(path)

    def _is_link(self, path: str) -> bool:
        return path in self._links

    def _make_folder(self, path: str) -> None:
        if path in self._others:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        self._folders.add(path)

    def _link(self, target: str, path: str) -> None:  # noqa: ARG002 - as the other
        self._put(path)
        self._links.add(path)

    def _pipe(self, path: str) -> None:
        self._put(path)

    def _write(self, path: str, content: IO[bytes] | None, mode: int) -> None:  # noqa: ARG002 - as the other
        self._put(path)
        if content is not None:
            with content:
                for _ in self._chunks(content):
                    pass

    def _put(self, path: str) -> None:
        if path in self._folders:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        self._others.add(path)
