"""Unpack an archive that somebody else made: tar, compressed or not, or zip.

Nothing is written outside of the target.
"""

import os
import posixpath
import shutil
import stat
import tarfile
import zipfile
from typing import IO

from assay.core.errors import InputError

MAX_BYTES = 8 * 2**30


def unpack_archive(archive: str, target: str, strip: int = 0) -> None:
    """Unpack files, folders and links, without so many leading folders of each name. Raises ``InputError``."""
    try:
        if zipfile.is_zipfile(archive):
            _unpack_zip(archive, target, strip)
        else:
            _unpack_tar(archive, target, strip)
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, RuntimeError) as error:
        raise InputError(f"{archive} is no archive that can be unpacked: {error}") from error


def _unpack_tar(archive: str, target: str, strip: int) -> None:
    with tarfile.open(archive) as tar:
        if sum(member.size for member in tar) > MAX_BYTES:
            raise InputError(f"{archive} holds more than {MAX_BYTES} bytes")
        for member in tar:
            path = _place(archive, target, member.name, strip)
            if path is None:
                continue
            if member.isdir():
                os.makedirs(path, exist_ok=True)
            elif member.issym():
                os.symlink(member.linkname, path)
            elif member.isreg() or member.islnk():
                # A hard link becomes a file of its own, with the content of the one it names.
                content = tar.extractfile(member)
                _write(path, content, member.mode)
            else:
                raise InputError(f"{archive} holds something that is neither file, folder nor link: {member.name}")


def _unpack_zip(archive: str, target: str, strip: int) -> None:
    with zipfile.ZipFile(archive) as packed:
        if sum(member.file_size for member in packed.infolist()) > MAX_BYTES:
            raise InputError(f"{archive} holds more than {MAX_BYTES} bytes")
        for member in packed.infolist():
            path = _place(archive, target, member.filename, strip)
            mode = member.external_attr >> 16
            if path is None:
                continue
            if member.is_dir():
                os.makedirs(path, exist_ok=True)
            elif stat.S_ISLNK(mode):
                os.symlink(os.fsdecode(packed.read(member)), path)
            else:
                _write(path, packed.open(member), mode or 0o644)


def _place(archive: str, target: str, name: str, strip: int) -> str | None:
    """Where a member goes; None where nothing of its name is left. A way through a link is refused."""
    parts = [part for part in name.split("/") if part not in ("", ".")][strip:]
    if posixpath.isabs(name) or ".." in parts or "\0" in name:
        raise InputError(f"{archive} holds a name that leaves its folder: {name!r}")
    if not parts:
        return None
    folder = target
    for part in parts[:-1]:
        folder = f"{folder}/{part}"
        if os.path.islink(folder):
            raise InputError(f"{archive} leads through a link: {name!r}")
    os.makedirs(folder, exist_ok=True)
    path = f"{folder}/{parts[-1]}"
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    return path


def _write(path: str, content: IO[bytes] | None, mode: int) -> None:
    with open(path, "xb") as file:
        if content is not None:
            with content:
                shutil.copyfileobj(content, file)
    os.chmod(path, 0o755 if mode & 0o100 else 0o644)
