"""The folder of a task on disk."""

import glob
import os
from collections.abc import Iterator
from functools import cached_property

from assay.adapters.checksums import checksum
from assay.adapters.safe_read import read_file
from assay.adapters.seeded_names import is_seeded
from assay.adapters.shared_copies import names_program
from assay.adapters.task_checksums import harbor_checksums
from assay.adapters.tree_walk import walk
from assay.core.errors import InputError
from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine import load_task as loading
from assay.engine.task import HarborChecksums, Task
from assay.engine.task_ports import Script
from assay.evidence.files import Content, Refused
from assay.formats import dockerignore

TEXT_LIMIT = 16 * 1024 * 1024


def load_task(path: str) -> Task:
    """The task in a folder. Raises ``InputError``."""
    return loading.load_task(DiskTaskFolder(path), path)


def load_task_if_there(path: str) -> Task | None:
    """The task in a folder; None if the folder doesn't exist or isn't a task."""
    return load_task(path) if is_task(path) and not is_seeded(path) else None


class DiskTaskFolder:
    """Reads the folder of one task."""

    def __init__(self, path: str) -> None:
        self.root = os.path.abspath(path)

    def text(self, name: str) -> str:
        return read_task_text(f"{self.root}/{name}")

    def is_file(self, name: str) -> bool:
        return os.path.isfile(f"{self.root}/{name}")

    def is_folder(self, name: str) -> bool:
        return os.path.isdir(f"{self.root}/{name}")

    def script(self, name: str) -> Script | None:
        path = f"{self.root}/{name}"
        if not os.path.isfile(path):
            return None
        return Script(is_link=os.path.islink(path), names_program=names_program(path))

    def build_context(self, name: str) -> "DiskBuildContext":
        return DiskBuildContext(f"{self.root}/{name}")

    def checksum(self) -> str:
        return checksum(self.root)

    def harbor_checksums(self) -> HarborChecksums:
        return harbor_checksums(self.root)


class DiskBuildContext:
    """The folder that a Dockerfile copies from."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    @cached_property
    def ignored(self) -> frozenset[str]:
        names = (name for name in dockerignore.NAMES if os.path.isfile(f"{self.folder}/{name}"))
        name = next(names, None)
        if name is None:
            return frozenset()
        paths = [path for path, _ in walk(self.folder)]
        kept_out = dockerignore.ignored_paths(read_task_text(f"{self.folder}/{name}"), paths)
        return frozenset(os.path.join(self.folder, path) for path in kept_out)

    def find(self, pattern: str) -> list[str]:
        """The paths that match. Paths outside the folder never do, not even through links."""
        root = os.path.realpath(self.folder)
        whole = os.path.normpath(os.path.join(glob.escape(self.folder), pattern.lstrip("/")))
        return [
            path
            for path in sorted(glob.glob(whole, include_hidden=True))
            if _is_inside(path, root) and path not in self.ignored
        ]


def find_tasks(paths: list[str]) -> list[str]:
    """The task folders at the given paths: a folder with a task.toml, or every such folder below it."""
    found: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            raise InputError(f"the folder {path} doesn't exist")
        inside = list(_tasks_below(path.rstrip("/") or "/"))
        if not inside:
            raise InputError(
                f"{path} must be a task or a folder of tasks, but neither it nor a folder below has a {FILE_NAME}"
            )
        found += inside
    return found


def _tasks_below(path: str) -> Iterator[str]:
    """The tasks at or below a folder, sorted. Nothing in a task is a task. A link is followed only to a task."""
    if is_task(path):
        yield path
        return
    for name in sorted(os.listdir(path)):
        inside = f"{path}/{name}"
        if is_task(inside) or (os.path.isdir(inside) and not os.path.islink(inside) and name[0] != "."):
            yield from _tasks_below(inside)


def is_task(path: str) -> bool:
    """Whether a folder is a task: harbor's, or one that 'assay seed' made."""
    return os.path.isfile(f"{path}/{FILE_NAME}") or is_seeded(path)


def read_task_text(path: str) -> str:
    """The text of one of a task's files. Raises ``InputError``."""
    file = read_file(path, TEXT_LIMIT)
    if not isinstance(file, Content):
        why = f"{path} can't be read: it is {file.why.value}{file.detail}" if isinstance(file, Refused) else None
        raise InputError(why or f"the file {path} doesn't exist")
    try:
        return file.data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} must be UTF-8 text, but it isn't") from error


def _is_inside(path: str, root: str) -> bool:
    real = os.path.realpath(path)
    return real == root or real.startswith(f"{root}/")
