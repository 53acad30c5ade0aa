"""The image of a task's environment, where the sandbox runs containers; elsewhere what can be done without one."""

from dataclasses import replace

from assay.adapters.environment import DEFAULT_WORKDIR
from assay.adapters.sandbox.container import Container
from assay.core.errors import InputError
from assay.engine.sandbox import Sandbox
from assay.engine.task import Environment, Task


def prepare(task: Task, sandbox: Sandbox, *, no_image: bool = False) -> Task:
    """The task, ready for this sandbox. Raises ``InputError`` where it needs an image and can't have one."""
    if isinstance(sandbox, Container):
        return replace(task, environment=_built(task, sandbox))
    needs = task.environment.needs_image
    if needs is not None and not no_image:
        raise InputError(f"{needs}: this needs an image; use --isolation container, or --no-image to do without")
    return task


def _built(task: Task, container: Container) -> Environment:
    environment, config = task.environment, task.config.environment
    if environment.dockerfile is not None:
        image = container.build(environment.dockerfile.rpartition("/")[0], config.build_timeout_sec)
    elif environment.image is not None:
        image = environment.image
    else:
        raise InputError(f"{task.path}: a container needs environment/Dockerfile or environment.docker_image")
    workdir = config.workdir or container.workdir_of(image) or DEFAULT_WORKDIR
    return replace(environment, image=image, workdir=workdir, copies=(), env=dict(config.env))
