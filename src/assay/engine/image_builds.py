"""Build the images of a job's tasks side by side, before its trials run. A failure is that of its task alone."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from assay.core.errors import AssayError
from assay.engine.job_plan import Planned
from assay.engine.prepare_task import needs_build, with_image
from assay.engine.sandbox import StoppedError
from assay.engine.site import Site
from assay.engine.task import Task


def with_images(
    planned: Sequence[Planned],
    site: Site,
    folder: str,
    concurrent: int,
    note: Callable[[str], None],
    stop: Callable[[], None],
) -> list[Planned]:
    """The planned trials, with the images of their tasks. Logs go to ``folder``, progress to ``note``.

    A task whose image can't be built stays in the plan: its trials say why they have no reward. At Ctrl-C,
    ``stop`` ends the builds.
    """
    tasks = {one.task.path: one.task for one in planned if needs_build(one.task, site)}
    if not tasks:
        return list(planned)
    logs = dict(zip(tasks, _log_names(tasks.values()), strict=True))
    with ThreadPoolExecutor(min(concurrent, len(tasks))) as pool:
        building = {
            path: pool.submit(_built, task, site, posixpath.join(folder, logs[path]))
            for path, task in tasks.items()
        }
        try:
            built = {
                path: _noted(future, note, f"{done}/{len(tasks)}")
                for done, (path, future) in enumerate(building.items(), start=1)
            }
        except KeyboardInterrupt:
            stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [replace(one, task=built.get(one.task.path, one.task)) for one in planned]


def _noted(future: "Future[Task]", note: Callable[[str], None], count: str) -> Task:
    task = future.result()
    broken = task.environment.broken
    note(f"image {count}  {task.name}  " + ("ready" if broken is None else broken))
    return task


def _built(task: Task, site: Site, log: str) -> Task:
    try:
        return with_image(task, site, log)
    except StoppedError:
        raise
    except AssayError as error:
        why = f"the image of {task.path} couldn't be built; {log} has what the engine said: {error}"
        return replace(task, environment=replace(task.environment, broken=why))


def _log_names(tasks: Iterable[Task]) -> Iterator[str]:
    """A file name for each task, with a number if two tasks have the same name."""
    seen: dict[str, int] = {}
    for task in tasks:
        stem = posixpath.basename(task.name) or "task"
        seen[stem] = seen.get(stem, 0) + 1
        yield f"build-{stem}.log" if seen[stem] == 1 else f"build-{stem}-{seen[stem]}.log"
