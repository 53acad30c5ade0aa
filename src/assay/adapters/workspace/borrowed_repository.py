"""Read the commits of a repository without ever running git in it.

An agent that works in a repository can write to its ``.git``, and git would read the configuration there. So git
runs in an empty repository of Assay's own that borrows the other one's objects, and the names of branches are read
by us.
"""

import contextlib
import fnmatch
import glob
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.adapters.machine.safe_read import read_below, read_file
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.sandbox.view_sandbox import is_shown
from assay.adapters.workspace.git_export import git
from assay.core.errors import InputError, MeasurementError
from assay.evidence.files import Content

_NAMES = (".venv", "venv", "env")
# Where a toolchain keeps what it needs beside its programs, relative to the user's home.
_HOMES = {"cargo": (".cargo", ".rustup"), "go": ("go",)}


@dataclass(frozen=True, slots=True)
class HostTools:
    """For a project whose working tree is at ``root``."""

    root: str

    def virtual_environment(self) -> str | None:
        """One in the repository, the active one, that of the PATH's ``pytest``, or Assay's own with pytest."""
        found = [name for name in _NAMES if os.path.isfile(f"{self.root}/{name}/pyvenv.cfg")]
        around = [path for path in _around() if os.path.isfile(f"{path}/pyvenv.cfg")]
        candidates = (*found, *around)
        with_pytest = (path for path in candidates if self.has_module(path, "pytest"))
        return next(with_pytest, found[0] if found else None)

    def has_module(self, venv: str | None, name: str) -> bool:
        if venv is not None:
            packages = glob.glob(f"{glob.escape(os.path.join(self.root, venv))}/lib/python*/site-packages")
        else:
            packages = [
                *glob.glob("/usr/lib/python3*/dist-packages"),
                *glob.glob("/usr/local/lib/python3*/*-packages"),
            ]
        return any(
            os.path.exists(f"{folder}/{name}") or os.path.exists(f"{folder}/{name}.py") for folder in packages
        )

    def folders(self, names: Iterable[str]) -> list[str]:
        paths = ((name, os.path.expanduser(name)) for name in names)
        found = ((name, path) for name, path in paths if os.path.isdir(os.path.join(self.root, path)))
        return [path if os.path.isabs(path) else name for name, path in found]

    def files(self, patterns: Iterable[str]) -> list[str]:
        wanted, found = list(patterns), []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [one for one in folders if one[0] != "." and one != "node_modules"]
            if "pyvenv.cfg" in names:
                folders.clear()
                continue
            hits = (name for name in names if any(fnmatch.fnmatchcase(name, one) for one in wanted))
            found += [os.path.relpath(f"{folder}/{name}", self.root) for name in hits]
        return sorted(found)

    def has_program(self, name: str) -> bool:
        return shutil.which(name) is not None or os.path.exists(f"{self.root}/node_modules/.bin/{name}")

    def toolchain(self, program: str) -> list[str]:
        found = shutil.which(program)
        if found is None:
            return []
        prefix = os.path.dirname(os.path.dirname(os.path.realpath(found)))
        if is_shown(prefix):
            return []
        home = os.path.expanduser("~")
        besides = (f"{home}/{name}" for name in _HOMES.get(program, ()))
        return list(dict.fromkeys(path for path in (prefix, *besides) if os.path.isdir(path)))


def _around() -> Iterator[str]:
    """Virtual environments that the user seems to be using."""
    if os.environ.get("VIRTUAL_ENV"):
        yield os.path.normpath(os.environ["VIRTUAL_ENV"])
    pytest = shutil.which("pytest")
    if pytest is not None:
        yield os.path.dirname(os.path.dirname(os.path.abspath(pytest)))
    if sys.prefix != sys.base_prefix:
        yield sys.prefix


_LIMIT = 16 * 2**20
_REFERENCES = 100_000
_LINKS = 5
_HASHES = {40: "sha1", 64: "sha256"}


@dataclass(frozen=True, slots=True)
class BorrowedRepository:
    """``folder`` is a repository of Assay's own with the same commits; ``references`` are the names of the other.

    ``root`` is the folder of the working tree, and ``head`` the reference that is checked out; None if none is.
    """

    folder: str
    root: str
    references: dict[str, str]
    head: str | None

    def commit(self, *names: str) -> str | None:
        """The commit of the first of some references that exists."""
        return next((self.references[name] for name in names if name in self.references), None)

    def merge_base(self, commit: str, *others: str) -> str | None:
        """The newest commit that a commit has in common with some others; None if there is none."""
        try:
            found = git(["-C", self.folder, "merge-base", "--", commit, *others])
        except MeasurementError:
            return None
        return found.decode().split("\n", 1)[0].strip() or None

    def file(self, commit: str, path: str) -> bytes | None:
        """A file at the top of a commit; None if there is none."""
        try:
            return git(["-C", self.folder, "cat-file", "blob", f"{commit}:{path}"])
        except MeasurementError:
            return None


def find_root(start: str) -> str | None:
    """The folder of the working tree that a folder is in; None if it is in none."""
    folder = os.path.realpath(start)
    while not os.path.lexists(f"{folder}/.git"):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return folder


@contextlib.contextmanager
def borrow_repository(root: str) -> Iterator[BorrowedRepository]:
    """The repository of a working tree, for the time of the block. Raises ``InputError`` if it can't be read."""
    own, common = _git_folders(root)
    references = dict(_references(common))
    references |= {name: commit for name in ("HEAD",) if (commit := _commit(own, name, references)) is not None}
    if not references:
        raise InputError(f"{root} must be a git repository with a commit, but it has none")
    with temporary_folder(0o700) as folder:
        form = _HASHES.get(len(next(iter(references.values()))), "sha1")
        git(["init", "-q", "--bare", "--template=", f"--object-format={form}", folder])
        os.makedirs(f"{folder}/objects/info", exist_ok=True)
        with open(f"{folder}/objects/info/alternates", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{common}/objects\n")
        shallow = read_below(common, ("shallow",), _LIMIT)
        if isinstance(shallow, Content):
            with open(f"{folder}/shallow", "wb") as copy:
                copy.write(shallow.data)
        yield BorrowedRepository(
            folder, root, references, _text(own, "HEAD").removeprefix("ref: ").strip() or None
        )


def _git_folders(root: str) -> tuple[str, str]:
    """The folder with HEAD, and the one with objects and branches: a worktree shares those with others."""
    place = f"{root}/.git"
    if not os.path.isdir(place):
        found = read_file(place, _LIMIT)
        written = found.data.decode(errors="surrogateescape").strip() if isinstance(found, Content) else ""
        if not written.startswith("gitdir: "):
            raise InputError(f"{root} must be a git repository, but {place} can't be read")
        place = os.path.normpath(os.path.join(root, written.removeprefix("gitdir: ")))
    common = _text(place, "commondir").strip()
    shared = os.path.normpath(os.path.join(place, common)) if common else place
    if not os.path.isdir(f"{shared}/objects"):
        raise InputError(f"{root} must be a git repository, but {shared} has no objects")
    return place, shared


def _references(common: str) -> Iterator[tuple[str, str]]:
    for line in _text(common, "packed-refs").splitlines()[:_REFERENCES]:
        commit, _, name = line.partition(" ")
        if name and _is_commit(commit):
            yield name, commit
    names = [name for below in ("heads", "remotes", "pull", "tags") for name in _loose(common, f"refs/{below}")]
    for name in names[:_REFERENCES]:
        commit = _text(common, name).strip()
        if _is_commit(commit):
            yield name, commit
    # A remote's HEAD is the name of its main branch.
    for name in (name for name in names if name.endswith("/HEAD")):
        target = _text(common, name).strip()
        if target.startswith("ref: "):
            yield from ((name, one[1]) for one in _packed_or_loose(common, target.removeprefix("ref: ")))


def _packed_or_loose(common: str, name: str) -> Iterator[tuple[str, str]]:
    loose = _text(common, name).strip()
    if _is_commit(loose):
        yield name, loose
        return
    rows = (line.partition(" ") for line in _text(common, "packed-refs").splitlines())
    yield from ((name, commit) for commit, _, packed in rows if packed == name and _is_commit(commit))


def _loose(common: str, below: str) -> Iterator[str]:
    for folder, _, files in os.walk(f"{common}/{below}"):
        yield from (f"{os.path.relpath(folder, common)}/{name}" for name in files)


def _commit(own: str, name: str, references: dict[str, str]) -> str | None:
    """The commit that a reference leads to, through others if need be."""
    written = _text(own, name).strip()
    for _ in range(_LINKS):
        if not written.startswith("ref: "):
            break
        written = references.get(written.removeprefix("ref: ").strip(), "")
    return written if _is_commit(written) else None


def _is_commit(text: str) -> bool:
    return len(text) in _HASHES and all(character in "0123456789abcdef" for character in text)


def _text(folder: str, name: str) -> str:
    found = read_below(folder, name.split("/"), _LIMIT)
    return found.data.decode(errors="surrogateescape") if isinstance(found, Content) else ""
