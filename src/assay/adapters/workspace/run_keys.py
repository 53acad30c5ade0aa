"""What the result of a command follows from, as one hash: files, command, surroundings, sandbox, machine, Assay.

The files of a workspace and of its baseline go in by their content. The folders of an environment and the programs
of the machine are the user's own, and large: they go in by names, sizes and times.
"""

import functools
import hashlib
import os
import platform
import stat
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from glob import glob

import msgspec

import assay
from assay.adapters.machine.tree_walk import Reach, file_checksum, walk
from assay.adapters.machine.trees import MAX_BYTES
from assay.adapters.workspace.walk import digest_below
from assay.engine.sandbox import PATH, CommandEnvironment, Sandbox
from assay.evidence.workspace import Baseline, Tree

_PACKAGES = ("/var/lib/dpkg/status", "/lib/apk/db/installed", "/var/lib/rpm", "/usr/lib/sysimage/rpm")
_LIBRARIES = ("/usr/lib/python3*/*-packages", "/usr/local/lib/python3*/*-packages", "/usr/local/lib/node_modules")


def hashed(*parts: object) -> str:
    """One hash of parts that JSON can hold, each apart from the others."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def key_of(around: str, command: str, tree: Tree, collect: tuple[str, ...], time: int) -> str:
    """The key of a run: what is around it, and what it is asked. ``time`` counts repetitions."""
    files = [(_text(path), hashlib.sha256(data).hexdigest()) for path, data in tree.files.items()]
    seen = (tree.side.value, tree.swapped, tree.without, sorted(files))
    return hashed(around, _text(command), seen, [_text(path) for path in collect], time)


def content_of(root: str, without: Iterable[str]) -> str | None:
    """The hash of a folder's files, modes and links; None if something can't be read, or is too large to copy."""
    digest, reach = hashlib.sha256(), Reach()
    skipped, room = set(without), MAX_BYTES
    for path, found in walk(root, reach):
        if path in skipped or os.path.dirname(path) in skipped:
            skipped.add(path)
            continue
        room -= found.st_size
        told = _told(root, path, found) if room >= 0 else None
        if told is None:
            return None
        digest.update(f"{_text(path)}\0{found.st_mode:o}\0{told}\0".encode())
    return None if reach.left else digest.hexdigest()


def baseline_content(baseline: Baseline) -> str:
    """The hash of a baseline's files, which know their own hashes."""
    digest = hashlib.sha256()
    for path in sorted(baseline.paths()):
        entry = baseline.entry(path)
        if entry is not None:
            digest.update(f"{_text(path)}\0{entry.kind.value}\0{entry.mode:o}\0{entry.digest}\0".encode())
    return digest.hexdigest()


def surroundings(around: CommandEnvironment, sandbox: Sandbox) -> str | None:
    """The hash of all that a command sees beside the workspace; None if it may change without a sign."""
    if not _keeps_apart(sandbox) or (around.image is not None and "sha256:" not in around.image):
        return None
    settings = {name: value for name, value in asdict(sandbox.isolation).items() if name != "measured"}
    mounts = [(mount.target, mount.writable, _signs(mount.source)) for mount in around.mounts]
    home = None if around.home is None else file_checksum(around.home)
    linked = [(folder.path, folder.target, folder.names) for folder in around.linked]
    shown = (around.image, mounts, linked, around.variables(), home)
    return hashed(settings, shown, None if around.image else machine(), own_code())


def _keeps_apart(sandbox: Sandbox) -> bool:
    """Whether a command can't write where results are kept: it has a view of its own, or is another user."""
    return sandbox.isolation.pid_namespace or sandbox.owner is not None


@functools.cache
def own_code() -> str:
    """The hash of Assay's own code: whatever changes there may change which files a command sees."""
    here = os.path.dirname(assay.__file__)
    paths = (path for path, found in walk(here) if path.endswith(".py") and stat.S_ISREG(found.st_mode))
    return hashed(assay.__version__, [(path, file_checksum(f"{here}/{path}")) for path in paths])


@functools.cache
def machine() -> str:
    """The programs and packages of this machine, by name, size and time."""
    folders = [*PATH.split(":"), *sorted(path for pattern in _LIBRARIES for path in glob(pattern))]
    listed = [(folder, list(_listed(folder))) for folder in folders]
    packages = [(path, *_size_and_time(path)) for path in _PACKAGES if os.path.exists(path)]
    return hashed(platform.machine(), platform.release(), listed, packages)


def _listed(folder: str) -> Iterator[tuple[str, int, int]]:
    if os.path.isdir(folder):
        yield from ((_text(name), *_size_and_time(f"{folder}/{name}")) for name in sorted(os.listdir(folder)))


def _size_and_time(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_size, found.st_mtime_ns


def _signs(source: str) -> str:
    """Names, sizes and times below a folder. Compiled files follow from the others."""
    rows = (
        f"{_text(path)}\0{found.st_mode:o}\0{found.st_size}\0{found.st_mtime_ns}"
        for path, found in walk(source)
        if "__pycache__" not in path and stat.S_ISREG(found.st_mode)
    )
    return hashed(list(rows)) if os.path.isdir(source) else hashed(*_size_and_time(source))


def _told(root: str, path: str, found: os.stat_result) -> str | None:
    """What is at a path: the hash of a file, the target of a link, nothing for anything else."""
    if stat.S_ISREG(found.st_mode):
        return digest_below(root, path)
    try:
        return _text(os.readlink(f"{root}/{path}")) if stat.S_ISLNK(found.st_mode) else ""
    except OSError:
        return None


def _text(name: str) -> str:
    """A file name may be any bytes, and JSON holds only text."""
    return name.encode(errors="backslashreplace").decode()
