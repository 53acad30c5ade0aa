"""Read the files of a task for the linter."""

import os
import stat
from collections.abc import Iterator
from itertools import islice

from assay.adapters.safe_read import read_file
from assay.adapters.task_folder import is_task, read_task_text
from assay.adapters.tree_walk import walk
from assay.dialects.harbor.task_config import FILE_NAME, NetworkMode
from assay.engine.task import LOGS, Step, Task
from assay.engine.task_reading import TaskFiles
from assay.evidence.files import Content

LIMIT = 1024 * 1024
_MOST_SIBLINGS = 200
_MOST_LEVELS = 4
_ENOUGH_SIBLINGS = 3


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
        instruction="\n\n".join(one.instruction for one in task.steps),
        places=(*task.environment.places, *LOGS),
        network=step.verifier_phase.network,
        says_no_network=_says_no_network(task),
        agent_is_ordinary=step.agent.user not in (None, "root", 0),
        solutions_withheld=step.solution is None and _solutions_withheld(task.path),
        is_one_of_several=task.multi_step,
        is_last=step is task.steps[-1],
        agent_limit=step.agent.timeout_sec,
        verifier_limit=step.verifier_phase.timeout_sec,
    )


def _says_no_network(task: Task) -> bool:
    config = task.config
    mode = config.verifier.network_mode or config.environment.network_mode
    return mode is NetworkMode.NO_NETWORK


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
