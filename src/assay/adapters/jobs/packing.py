"""Put a folder of runs into one file, and take it out again as it was: contents, modes, times and links.

Owners and extended attributes aren't kept. What comes out of a pack goes nowhere but into its own new folder.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from assay.adapters.machine.packs import PIECE, ROOT, Entry, Pack, find_place, new_pack
from assay.adapters.machine.safe_read import is_pack
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import remove_tree
from assay.core.errors import InputError

_KEPT = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO)
_SETS_USER = stat.S_ISUID | stat.S_ISGID


def pack_folder(folder: str, target: str) -> int:
    """Write a folder as a pack; nothing may be there yet. Returns how many entries it has."""
    if not os.path.isdir(folder):
        raise InputError(f"{folder} must be a folder to be packed, but it {_is_what(folder)}")
    if os.path.lexists(target):
        raise InputError(f"{target} exists already; choose another file with -o")
    unfinished = f"{target}.unfinished"
    with suppress(FileNotFoundError):
        os.unlink(unfinished)
    try:
        pack = new_pack(unfinished)
        with pack.writing():
            count = _Packing(pack).put_all(os.path.abspath(folder))
        pack.close()
        os.rename(unfinished, target)
    except OSError as error:
        raise InputError(f"{folder} can't be packed: {error}") from error
    finally:
        with suppress(FileNotFoundError):
            os.unlink(unfinished)
    return count


def _is_what(path: str) -> str:
    return "is a pack already" if is_pack(path) else "is a file" if os.path.exists(path) else "doesn't exist"


class _Packing:
    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._linked: dict[tuple[int, int], int] = {}

    def put_all(self, folder: str) -> int:
        found = os.lstat(os.path.realpath(folder))
        self._pack.put(0, os.path.basename(os.path.realpath(folder)), found.st_mode, found.st_mtime_ns)
        return 1 + self._inside(folder, ROOT)

    def _inside(self, folder: str, parent: int) -> int:
        count = 0
        for name in sorted(os.listdir(folder), key=os.fsencode):
            path = f"{folder}/{name}"
            found = os.lstat(path)
            set_user = stat.S_ISREG(found.st_mode) and found.st_mode & _SETS_USER
            if set_user or stat.S_IFMT(found.st_mode) not in _KEPT:
                what = "runs with the rights of its owner" if set_user else "is a socket or a device"
                raise InputError(f"{path} can't be packed: it {what}")
            count += 1
            if stat.S_ISREG(found.st_mode):
                self._file(path, parent, name, found)
                continue
            target = os.fsencode(os.readlink(path)) if stat.S_ISLNK(found.st_mode) else None
            entry = self._pack.put(parent, name, found.st_mode, found.st_mtime_ns, target=target)
            if stat.S_ISDIR(found.st_mode):
                count += self._inside(path, entry)
        return count

    def _file(self, path: str, parent: int, name: str, found: os.stat_result) -> None:
        same = self._linked.get((found.st_dev, found.st_ino))
        entry = self._pack.put(parent, name, found.st_mode, found.st_mtime_ns, size=found.st_size, same=same)
        if same is not None:
            return
        if found.st_nlink > 1:
            self._linked[found.st_dev, found.st_ino] = entry
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            size = number = 0
            while data := file.read(PIECE):
                self._pack.put_piece(entry, number, data)
                size, number = size + len(data), number + 1
        if size != found.st_size:
            raise InputError(f"{path} was changed while it was packed")


def unpack(path: str, target: str | None) -> str:
    """Write the folder in a pack to a new folder, by default under its own name beside it. Returns its path."""
    if not is_pack(path):
        raise InputError(f"{path} must be a pack that 'assay pack' wrote, but it isn't one")
    pack = Pack(path)
    root = pack.root
    folder = target or os.path.join(os.path.dirname(path), _plain(path, root))
    if os.path.lexists(folder):
        raise InputError(f"{folder} exists already; choose another folder with -o")
    unfinished = f"{folder}.unfinished"
    [(size,)] = pack.rows("SELECT coalesce(sum(size), 0) FROM entry WHERE same IS NULL")
    if size > shutil.disk_usage(os.path.dirname(folder) or ".").free:
        raise InputError(f"{path} can't be unpacked: it takes {size:,} bytes, and the disk has fewer")
    try:
        os.mkdir(unfinished, 0o700)
        _Unpacking(pack).take_out(root, unfinished)
        os.rename(unfinished, folder)
    except OSError as error:
        raise InputError(f"{path} can't be unpacked: {error}") from error
    finally:
        pack.close()
        if os.path.lexists(unfinished):
            remove_tree(unfinished)
    return folder


@contextmanager
def on_disk(path: str) -> Iterator[str]:
    """A folder as one on disk: itself, or for the block a copy of one in a pack."""
    place = None if os.path.isdir(path) else find_place(path)
    if place is None or place.entry is None:
        yield path
        return
    with temporary_folder(0o700) as scratch:
        os.mkdir(f"{scratch}/copy")
        _Unpacking(place.pack).take_out(place.entry, f"{scratch}/copy")
        yield f"{scratch}/copy"


class _Unpacking:
    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._written: dict[int, str] = {}
        self._linked = {one for (one,) in pack.rows("SELECT DISTINCT same FROM entry WHERE same IS NOT NULL")}

    def take_out(self, entry: Entry, folder: str) -> None:
        """Write the entries of a folder into one on disk, and give that its mode and time."""
        if not entry.is_folder:
            raise InputError(
                f"the pack {self._pack.path} can't be unpacked: {os.fsdecode(entry.name)} isn't a folder"
            )
        self._inside(entry, folder)

    def _inside(self, entry: Entry, folder: str) -> None:
        for one in self._pack.inside(entry.id):
            path = f"{folder}/{_plain(self._pack.path, one)}"
            if one.is_folder:
                os.mkdir(path, 0o700)
                self._inside(one, path)
                continue
            if stat.S_ISLNK(one.mode):
                os.symlink(one.target or b"", os.fsencode(path))
            elif stat.S_ISFIFO(one.mode):
                os.mkfifo(path)
            elif stat.S_ISREG(one.mode) and not one.mode & _SETS_USER:
                self._file(one, path)
            else:
                raise InputError(f"the pack {self._pack.path} can't be unpacked: {path} has the mode {one.mode:o}")
            _settle(path, one)
        _settle(folder, entry)

    def _file(self, entry: Entry, path: str) -> None:
        if entry.same in self._written:
            os.link(self._written[entry.same], path, follow_symlinks=False)
            return
        fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:
            file.writelines(self._pack.read(entry, start, PIECE) for start in range(0, entry.size, PIECE))
        if entry.id in self._linked:
            self._written[entry.id] = path


def _settle(path: str, entry: Entry) -> None:
    if not stat.S_ISLNK(entry.mode):
        os.chmod(path, stat.S_IMODE(entry.mode))
    os.utime(path, ns=(entry.mtime, entry.mtime), follow_symlinks=False)


def _plain(path: str, entry: Entry) -> str:
    """The name of an entry, if it stays in its folder."""
    if entry.name in (b"", b".", b"..") or b"/" in entry.name or b"\0" in entry.name:
        raise InputError(f"the pack {path} can't be unpacked: {entry.name!r} isn't the name of a file")
    return os.fsdecode(entry.name)
