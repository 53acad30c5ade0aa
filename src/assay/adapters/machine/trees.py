"""Copy, pack, unpack and remove trees of files that an agent may have made.

No link is ever followed: links are packed as links, and skipped in copies. Anything that isn't a file, a folder or
a link is left out. Caps limit how much is kept, and files that were left out are counted. Holes
in files aren't read.
"""

import contextlib
import errno
import fnmatch
import gzip
import os
import shutil
import stat
import subprocess
import tarfile
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from assay.adapters.machine.tree_walk import WalkReach, copy_pieces, pack_pieces, pieces_of, unpack_file, walk
from assay.core.errors import MeasurementError

MAX_FILES = 200_000
MAX_BYTES = 4 * 2**30
GZIP_LEVEL = 1
_NOT_THE_TREES_FAULT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})


@dataclass(slots=True)
class KeptTree:
    """How much of a tree was kept, and how many files weren't; ``too_much`` of those were above the caps.

    ``why`` has the caps that were too low for something, in words. ``most_mb`` is a lower one than usual.
    """

    files: int = 0
    bytes: int = 0
    left_out: int = 0
    too_much: int = 0
    why: list[str] = field(default_factory=list, compare=False)
    most_mb: int | None = field(default=None, compare=False)

    def takes(self, size: int) -> bool:
        """Whether one more file with so much content fits below the caps. Counts it either way."""
        if self.files >= MAX_FILES:
            return self.refuses(f"more than {MAX_FILES:,} files")
        if self.most_mb is not None and self.bytes + size > self.most_mb * 2**20:
            return self.refuses(f"more than {self.most_mb} MiB")
        if self.bytes + size > MAX_BYTES:
            return self.refuses(f"more than {MAX_BYTES // 2**30} GiB")
        self.files += 1
        self.bytes += size
        return True

    def refuses(self, why: str) -> bool:
        """Count something that is above a cap."""
        self.left_out += 1
        self.too_much += 1
        if why not in self.why:
            self.why.append(why)
        return False

    def complaint(self, what: str) -> str:
        """A sentence about what isn't kept."""
        return f"{what} has {', '.join(self.why)}: {self.too_much} of its files are not kept"

    def add_left(self, reach: WalkReach) -> None:
        """Count the folders that a walk didn't go into."""
        for _, why in reach.left:
            self.refuses(why)


def copy_tree(
    source: str,
    target: str,
    *,
    exclude: Sequence[str] = (),
    without: Container[str] = (),
    only: str | None = None,
    links: bool = False,
    most_mb: int | None = None,
) -> KeptTree:
    """Copy the regular files below a folder with their modes, and with ``links`` its links as links.

    The target may exist and may be an agent's: anything in the way of a file or a folder, links above all, is
    replaced and never followed. ``exclude`` has patterns of names to leave out, ``without`` has paths of the
    source to leave out with everything below them, and ``only`` is the one name to take.
    """
    kept, reach = KeptTree(most_mb=most_mb), WalkReach()
    skipped: set[str] = set()
    os.makedirs(target, exist_ok=True)
    for path, found in walk(source, reach):
        full = os.path.join(source, path)
        if full in without or os.path.dirname(full) in skipped:
            skipped.add(full)
            continue
        if only not in (None, path) or is_excluded(path, exclude):
            continue
        try:
            goal = os.path.join(target, path)
            if links and stat.S_ISLNK(found.st_mode):
                clear_the_way(goal)
                os.symlink(os.readlink(full), goal)
            else:
                _copy_entry(full, goal, found, kept)
        except OSError as error:
            if error.errno in _NOT_THE_TREES_FAULT:
                raise
            kept.left_out += 1  # Longer than a path can be, or gone in the meantime.
    kept.add_left(reach)
    return kept


def copy_whole(source: str, target: str, *, without: Container[str] = ()) -> None:
    """Copy the files of a task, links included. With a part of them it would be another task.

    Raises ``MeasurementError``.
    """
    kept = copy_tree(source, target, without=without, links=True)
    if kept.left_out:
        raise MeasurementError(
            f"can't copy {source}: {kept.left_out} of its files are too many, too large or not regular files"
        )


def _copy_entry(source: str, goal: str, found: os.stat_result, kept: KeptTree) -> None:
    if stat.S_ISDIR(found.st_mode):
        _make_folder(goal)
    elif not stat.S_ISREG(found.st_mode):
        kept.left_out += 1
    else:
        _copy_file(source, goal, found, kept)


def is_excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern matches a path, or the name of anything on the way to it."""
    parts = path.split("/")
    return any(fnmatch.fnmatch(path, one) or any(fnmatch.fnmatch(part, one) for part in parts) for one in patterns)


def pack_tree(source: str, archive: str, *, exact: bool = False) -> KeptTree:
    """Pack a tree into a compressed archive: names, modes, contents and links, without owners or times.

    With ``exact``, times are kept, and files that are one file under several names stay one.
    """
    kept, reach = KeptTree(), WalkReach()
    twins: dict[tuple[int, int], str] = {}
    with (
        open(archive, "wb") as file,
        # Without a time and a name in the header, equal trees give equal archives.
        gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path, found in walk(source, reach):
            entry = tarfile.TarInfo(path)
            entry.mode = stat.S_IMODE(found.st_mode)
            full = os.path.join(source, path)
            if exact:
                entry.pax_headers = {"mtime": f"{found.st_mtime_ns // 10**9}.{found.st_mtime_ns % 10**9:09d}"}
            if stat.S_ISDIR(found.st_mode):
                entry.type = tarfile.DIRTYPE
                tar.addfile(entry)
            elif stat.S_ISLNK(found.st_mode):
                entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(full)
                tar.addfile(entry)
            elif exact and (found.st_dev, found.st_ino) in twins and kept.takes(0):
                entry.type, entry.linkname = tarfile.LNKTYPE, twins[found.st_dev, found.st_ino]
                tar.addfile(entry)
            elif stat.S_ISREG(found.st_mode):
                if _pack_file(tar, entry, full, kept) and found.st_nlink > 1:
                    twins[found.st_dev, found.st_ino] = path
            else:
                kept.left_out += 1
    kept.add_left(reach)
    return kept


def unpack_tree(archive: str, target: str) -> None:
    """Unpack an archive as of ``pack_tree`` into an empty folder. Raises ValueError if a name would leave it."""
    folders: list[tuple[str, int]] = []
    times: list[tuple[str, int]] = []
    with tarfile.open(archive) as tar:
        for entry in tar:
            # Other programs begin names at the folder itself.
            entry.name = entry.name.removeprefix("./")
            if entry.name in ("", "."):
                continue
            path = _unpack(tar, entry, target)
            if entry.isdir():
                folders.append((path, entry.mode & 0o777))
            if "mtime" in entry.pax_headers and os.path.lexists(path):
                times.append((path, _nanoseconds(entry.pax_headers["mtime"])))
    # The time of a folder changes with its content.
    for path, when in reversed(times):
        os.utime(path, ns=(when, when), follow_symlinks=False)
    # Read-only folders become so last, when their content is in them.
    for path, mode in reversed(folders):
        os.chmod(path, mode)


def own_tree(root: str, owner: tuple[int, int] | None) -> None:
    """Give a tree to another user. Does nothing for None."""
    if owner is None:
        return
    os.chown(root, *owner, follow_symlinks=False)
    for path, _ in walk(root):
        os.chown(os.path.join(root, path), *owner, follow_symlinks=False)


def remove_tree(root: str) -> None:
    """Remove a tree, including folders that are closed to us."""

    def open_and_retry(_function: object, path: str, _error: object) -> None:
        with contextlib.suppress(OSError):
            # The folder around the tree isn't ours to open: it may be everybody's.
            if path != root:
                os.chmod(os.path.dirname(path), 0o700)
            if os.path.islink(path) or not os.path.isdir(path):
                os.unlink(path)
            else:
                os.chmod(path, 0o700)
                os.rmdir(path)

    with contextlib.suppress(RecursionError):
        for _ in range(2):
            shutil.rmtree(root, onerror=open_and_retry)
            if not os.path.lexists(root):
                return
    # Deeper than Python reaches, or longer than a path can be. rm goes down without either limit.
    subprocess.run(["/bin/chmod", "-R", "u+rwx", "--", root], capture_output=True, check=False)
    subprocess.run(["/bin/rm", "-rf", "--", root], capture_output=True, check=False)


def real_folder(root: str, path: str) -> None:
    """Make a folder below ``root``, and all on the way to it, open to their owner.

    A link on the way is replaced, not followed.
    """
    here = root
    for part in path.strip("/").split("/"):
        here = os.path.join(here, part)
        if not _is_open_folder(here):
            _make_folder(here)
            os.chmod(here, stat.S_IMODE(os.lstat(here).st_mode) | 0o700)


def _is_open_folder(path: str) -> bool:
    with contextlib.suppress(OSError):
        mode = os.lstat(path).st_mode
        return stat.S_ISDIR(mode) and mode & 0o700 == 0o700
    return False


def clear_the_way(path: str) -> None:
    """Remove whatever is in the way of a new file: an agent may have put a folder or a link there."""
    if os.path.isdir(path) and not os.path.islink(path):
        remove_tree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _make_folder(path: str) -> None:
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
        os.unlink(path)
    os.makedirs(path, exist_ok=True)


def _copy_file(source: str, target: str, found: os.stat_result, kept: KeptTree) -> None:
    """Copy one file, if it can be read and fits below the caps."""
    clear_the_way(target)
    with _open_regular_file(source) as fd:
        pieces = _pieces_to_keep(fd, kept)
        if fd is None or pieces is None:
            return
        with open(target, "xb") as output:
            copy_pieces(fd, output, pieces, os.fstat(fd).st_size)
    os.chmod(target, stat.S_IMODE(found.st_mode) & 0o777 | 0o600)


def _pack_file(tar: tarfile.TarFile, entry: tarfile.TarInfo, path: str, kept: KeptTree) -> bool:
    """Pack one file, if it can be read and fits below the caps; says whether it was."""
    with _open_regular_file(path) as fd:
        pieces = _pieces_to_keep(fd, kept)
        if fd is None or pieces is None:
            return False
        entry.size = os.fstat(fd).st_size
        if pieces == [(0, entry.size)]:
            with open(fd, "rb", closefd=False) as content:
                tar.addfile(entry, content)
        elif entry.size:
            pack_pieces(tar, entry, fd, pieces)
        else:
            tar.addfile(entry)
    return True


def _pieces_to_keep(fd: int | None, kept: KeptTree) -> list[tuple[int, int]] | None:
    """The pieces of an open file; None if it isn't kept, which is counted."""
    if fd is None:
        kept.left_out += 1
        return None
    pieces = pieces_of(fd)
    if pieces is None:
        kept.refuses("a file in too many pieces")
        return None
    return pieces if kept.takes(sum(length for _, length in pieces)) else None


@contextlib.contextmanager
def _open_regular_file(path: str) -> Iterator[int | None]:
    """A regular file, opened without following a link; None if it is gone or has become something else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield fd if stat.S_ISREG(os.fstat(fd).st_mode) else None
    finally:
        os.close(fd)


def _unpack(tar: tarfile.TarFile, entry: tarfile.TarInfo, target: str) -> str:
    path = _place_of(entry.name, target)
    if entry.isdir():
        os.mkdir(path)
    elif entry.issym():
        os.symlink(entry.linkname, path)
    elif entry.isreg():
        unpack_file(tar, entry, path)
        os.chmod(path, entry.mode & 0o777)
    elif entry.islnk():
        _link_twin(_place_of(entry.linkname, target), path)
    return path


def _link_twin(twin: str, path: str) -> None:
    """Give a file that was unpacked before a second name."""
    if os.path.islink(twin) or not os.path.isfile(twin):
        raise ValueError(f"{path} must be another name of a file in the archive")
    os.link(twin, path, follow_symlinks=False)


def _nanoseconds(said: str) -> int:
    """A time as a PAX header has it: seconds with a fraction."""
    seconds, _, fraction = said.partition(".")
    try:
        return int(seconds) * 10**9 + int((fraction + "0" * 9)[:9])
    except ValueError as error:
        raise ValueError(f"a time must be a number of seconds, got {said[:40]!r}") from error


def _place_of(name: str, target: str) -> str:
    """Where an entry of this name belongs. Raises ``ValueError`` if that is outside of the target."""
    parts = name.split("/")
    if name.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"the archive has a name that leaves its folder: {name!r}")
    folder = target
    for part in parts[:-1]:
        folder = os.path.join(folder, part)
        if os.path.islink(folder) or not os.path.isdir(folder):
            raise ValueError(f"the archive has a name below something that isn't a folder: {name!r}")
    return os.path.join(folder, parts[-1])
