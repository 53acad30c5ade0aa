"""The folder of a task on disk.

The two checksums that harbor records of a task, so that its tools recognise what Assay ran.

``tree`` is task_checksum in a trial's result.json: one hash over the whole folder, by name and content, with links
followed. ``package`` is the digest in lock.json: one hash over the files that a published task consists of.
"""

import glob
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice

from assay.adapters.machine.safe_read import read_file
from assay.adapters.machine.tree_walk import checksum, file_checksum, walk
from assay.adapters.sandbox import hide
from assay.adapters.tasks.seeded_names import is_seeded
from assay.adapters.workspace.shared_copies import names_program
from assay.core.errors import InputError
from assay.dialects.harbor.task_config import FILE_NAME, NetworkMode
from assay.engine.tasks import load_task as loading
from assay.engine.tasks.task import LOGS, HarborChecksums, LoadedTask, TaskStep
from assay.engine.tasks.task_reading import Script, TaskFiles
from assay.evidence.files import Content, Refused
from assay.formats.globs import DOCKERIGNORES, ignored_paths

TEXT_LIMIT = 16 * 1024 * 1024
_SINGLE_FILES = ("task.toml", "instruction.md", "README.md")
_FOLDERS = ("environment", "tests", "solution", "steps")
# Harbor ignores these where a task has no .gitignore.
_IGNORED_FOLDER = "__pycache__"
_IGNORED_NAMES = ("*.pyc", ".DS_Store", "*.swp", "*.swo", "*~")
LIMIT = 1024 * 1024
_MOST_SIBLINGS = 200
_MOST_LEVELS = 4
_ENOUGH_SIBLINGS = 3


def load_task(path: str) -> LoadedTask:
    """The task in a folder, which no sandbox shows from now on. Raises ``InputError``."""
    hide(path)
    return loading.load_task(DiskTaskFolder(path), path)


def load_task_if_there(path: str) -> LoadedTask | None:
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
        names = (name for name in DOCKERIGNORES if os.path.isfile(f"{self.folder}/{name}"))
        name = next(names, None)
        if name is None:
            return frozenset()
        paths = [path for path, _ in walk(self.folder)]
        kept_out = ignored_paths(read_task_text(f"{self.folder}/{name}"), paths)
        return frozenset(os.path.join(self.folder, path) for path in kept_out)

    def find(self, pattern: str) -> list[str]:
        """The paths that match. Paths outside the folder never do, not even through links."""
        root = os.path.realpath(self.folder)
        whole = os.path.normpath(os.path.join(glob.escape(self.folder), pattern.lstrip("/")))
        return [
            path
            for path in sorted(glob.glob(whole, include_hidden=True))
            if f"{os.path.realpath(path)}/".startswith(f"{root}/") and path not in self.ignored
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


def harbor_checksums(root: str) -> HarborChecksums:
    """The checksums of a task's folder. Each file is read once."""
    hashes: dict[str, str] = {}

    def content(path: str) -> str:
        real = os.path.realpath(path)
        if real not in hashes:
            hashes[real] = file_checksum(real)
        return hashes[real]

    is_ignored = _ignoring(root)
    paths = sorted(path for path in _published_files(root) if not is_ignored(path))
    package = "".join(f"{path}\0{content(f'{root}/{path}')}\n" for path in paths)
    return HarborChecksums(_tree(root, content, frozenset()) or _sha256(""), _sha256(package))


def _tree(folder: str, content: Callable[[str], str], around: frozenset[str]) -> str | None:
    """The hash of a folder; None if there is no file in it, because empty folders don't count.

    A link to a folder around it is left out. Harbor refuses such a task.
    """
    real = os.path.realpath(folder)
    if real in around:
        return None
    entries: list[str] = []
    for entry in os.scandir(folder):
        if os.path.isdir(entry.path):
            inner = _tree(entry.path, content, around | {real})
            entries += [] if inner is None else [f"dirhash:{inner}\0name:{entry.name}"]
        elif os.path.isfile(entry.path):
            entries.append(f"data:{content(entry.path)}\0name:{entry.name}")
    return _sha256("\0\0".join(sorted(entries))) if entries else None


def _published_files(root: str) -> Iterator[str]:
    yield from (name for name in _SINGLE_FILES if os.path.exists(f"{root}/{name}"))
    for name in _FOLDERS:
        for folder, _, files in os.walk(f"{root}/{name}"):
            for file in files:
                if os.path.isfile(f"{folder}/{file}"):
                    yield os.path.relpath(f"{folder}/{file}", root)


def _ignoring(root: str) -> Callable[[str], bool]:
    if not os.path.exists(f"{root}/.gitignore"):
        return _ignored_by_default
    from pathspec import PathSpec  # noqa: PLC0415 - few tasks have a .gitignore

    with open(f"{root}/.gitignore", encoding="utf-8", errors="surrogateescape") as file:
        return PathSpec.from_lines("gitignore", file.read().splitlines()).match_file


def _ignored_by_default(path: str) -> bool:
    parts = path.split("/")
    return _IGNORED_FOLDER in parts[:-1] or any(
        fnmatchcase(part, pattern) for part in parts for pattern in _IGNORED_NAMES
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def task_files(task: LoadedTask, step: TaskStep) -> TaskFiles:
    """The files of one step of a task."""
    tests: dict[str, str] = {}
    writable: set[str] = set()
    for folder in step.tests:
        tests |= _texts(folder)
        writable |= {f"tests/{name}" for name in _writable(folder)}
    mode = task.config.verifier.network_mode or task.config.environment.network_mode
    return TaskFiles(
        tests=tests,
        solution=_texts(step.solution) if step.solution is not None else {},
        environment=_texts(os.path.join(task.path, "environment")),
        writable=frozenset(writable),
        settings=read_task_text(os.path.join(task.path, FILE_NAME)),
        instruction="\n\n".join(one.instruction for one in task.steps),
        places=(*task.environment.places, *LOGS),
        network=step.verifier_phase.network,
        says_no_network=mode is NetworkMode.NO_NETWORK,
        agent_is_ordinary=step.agent.user not in (None, "root", 0),
        solutions_withheld=step.solution is None and _solutions_withheld(task.path),
        is_one_of_several=task.multi_step,
        is_last=step is task.steps[-1],
        agent_limit=step.agent.timeout_sec,
        verifier_limit=step.verifier_phase.timeout_sec,
    )


def _solutions_withheld(path: str) -> bool:
    """Whether a task is one of several, none of which has a solution. They may lie some folders away."""
    folder = os.path.dirname(os.path.abspath(path))
    for _ in range(_MOST_LEVELS):
        tasks = list(islice(_tasks_around(folder, _MOST_LEVELS), _MOST_SIBLINGS))
        if len(tasks) >= _ENOUGH_SIBLINGS:
            return not any(os.path.isfile(f"{task}/solution/solve.sh") for task in tasks)
        folder = os.path.dirname(folder)
    return False


def _tasks_around(folder: str, levels: int) -> Iterator[str]:
    if is_task(folder):
        yield folder
    elif levels > 0:
        with os.scandir(folder) as entries:
            names = sorted(
                entry.path for entry in islice(entries, _MOST_SIBLINGS) if entry.is_dir(follow_symlinks=False)
            )
        for name in names:
            yield from _tasks_around(name, levels - 1)


def _texts(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, status in walk(folder):
        if stat.S_ISREG(status.st_mode):
            file = read_file(os.path.join(folder, path), LIMIT)
            if isinstance(file, Content):
                found[path] = file.data.decode(errors="replace")
    return found


def _writable(folder: str) -> list[str]:
    """The paths that everybody can write to. Links have no mode of their own."""
    files = ((path, status.st_mode) for path, status in walk(folder))
    return [path for path, mode in files if mode & stat.S_IWOTH and not stat.S_ISLNK(mode)]
