"""Read the files of a task for the linter."""

import os
import stat

from assay.adapters.safe_read import read_file
from assay.adapters.task_folder import read_task_text
from assay.adapters.tree_walk import walk
from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.task import LOGS, Step, Task
from assay.engine.task_reading import TaskFiles
from assay.evidence.files import Content

LIMIT = 1024 * 1024


def task_files(task: Task, step: Step) -> TaskFiles:
    """The files of one step of a task."""
    tests: dict[str, str] = {}
    writable: set[str] = set()
    for folder in step.tests:
        tests |= _texts(folder)
        writable |= {f"tests/{name}" for name in _writable(folder)}
    return TaskFiles(
        tests=tests,
        solution=_texts(step.solution) if step.solution is not None else {},
        environment=_texts(os.path.join(task.path, "environment")),
        writable=frozenset(writable),
        settings=read_task_text(os.path.join(task.path, FILE_NAME)),
        instruction=step.instruction,
        places=(*task.environment.places, *LOGS),
        network=step.verifier_phase.network,
    )


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
