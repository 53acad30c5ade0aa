"""What is in a task's workspace before the agent starts. What a RUN of a Dockerfile makes isn't known."""

import posixpath

from assay.engine.task import Copy, Environment
from assay.engine.task_ports import TaskFolder


def is_brought_along(path: str, environment: Environment, workdir_files: str | None, folder: TaskFolder) -> bool:
    """Whether the Dockerfile copies something to this path, or a step brings it into the working folder."""
    if any(_copies(copy, source, path, folder) for copy in environment.copies for source in copy.sources):
        return True
    found = None if workdir_files is None else _inside(path, environment.workdir, workdir_files)
    return found is not None and _exists(found, folder)


def _copies(copy: Copy, source: str, path: str, folder: TaskFolder) -> bool:
    target = copy.target.rstrip("/")
    if not folder.is_folder(_name(source, folder)):
        return path in (target, f"{target}/{posixpath.basename(source)}")
    found = _inside(path, target, source)
    return found is not None and found not in copy.ignored and _exists(found, folder)


def _inside(path: str, target: str, source: str) -> str | None:
    """The path on the host of what a copied folder brings to a path; None if that isn't below the copy."""
    return posixpath.normpath(source + path.removeprefix(target)) if f"{path}/".startswith(f"{target}/") else None


def _exists(path: str, folder: TaskFolder) -> bool:
    name = _name(path, folder)
    return folder.is_file(name) or folder.is_folder(name)


def _name(path: str, folder: TaskFolder) -> str:
    return posixpath.relpath(path, folder.root)
