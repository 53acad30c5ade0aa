"""The image of a task's environment, where the sandbox runs containers; elsewhere what can be done without one."""

from dataclasses import replace

from assay.adapters.environment import DEFAULT_WORKDIR, in_system
from assay.adapters.sandbox.container import Container
from assay.core.errors import InputError
from assay.engine.task import Environment, Task
from assay.engine.task_check import check_task
from assay.engine.trial_run import Site


def prepare(task: Task, site: Site, *, no_image: bool = False) -> Task:
    """The task, ready for this site. Raises ``InputError`` where it wants what it can't have here."""
    if isinstance(site.sandbox, Container):
        task = replace(task, environment=_built(task, site.sandbox))
    else:
        _check_without_image(task, no_image)
    check_task(task, site.host_env)
    return task


def _check_without_image(task: Task, no_image: bool) -> None:
    environment = task.environment
    if environment.needs_image is not None and not no_image:
        hint = "this needs an image; use --isolation container, or --no-image to do without"
        raise InputError(f"{environment.needs_image}: {hint}")
    if any(in_system(place) for place in environment.places):
        place = next(place for place in environment.places if in_system(place))
        raise InputError(f"{task.path}: {place} is a folder of the system's: to work there needs an image")


def _built(task: Task, container: Container) -> Environment:
    environment, config = task.environment, task.config.environment
    if environment.dockerfile is not None:
        image = container.build(environment.dockerfile.rpartition("/")[0], config.build_timeout_sec)
    elif environment.image is not None:
        image = environment.image
    else:
        raise InputError(f"{task.path}: a container needs environment/Dockerfile or environment.docker_image")
    workdir = config.workdir or container.workdir_of(image) or DEFAULT_WORKDIR
    return replace(environment, image=image, workdir=workdir, copies=(), env={})
