"""Prepare a task for a site: build its image if the sandbox runs containers, or check that it needs none."""

from dataclasses import replace

from assay.core.errors import InputError
from assay.engine.dockerfile_environment import in_system
from assay.engine.sandbox import Images
from assay.engine.site import Site
from assay.engine.task import DEFAULT_WORKDIR, Environment, Task
from assay.engine.task_check import check_task
from assay.engine.verifier_environment import with_kept_folders


def prepare_task(task: Task, site: Site, *, no_image: bool = False) -> Task:
    """The task, ready for this site. Raises ``InputError`` if it needs something that the site doesn't have."""
    if task.unsupported is not None:
        raise InputError(task.unsupported)
    if task.environment.broken is not None:
        raise InputError(task.environment.broken)
    if site.sandbox.images is not None:
        task = replace(task, environment=_built(task, site.sandbox.images))
    else:
        _check_without_image(task, no_image)
    check_task(task, site.host.env)
    return replace(task, environment=with_kept_folders(task.environment, site.sandbox.isolation.backend))


def _check_without_image(task: Task, no_image: bool) -> None:
    environment = task.environment
    if environment.needs_image is not None and not no_image:
        hint = "this needs an image; pass --isolation container, or --no-image to run without one"
        raise InputError(f"{environment.needs_image}: {hint}")
    if any(in_system(place) for place in environment.places):
        place = next(place for place in environment.places if in_system(place))
        raise InputError(
            f"{task.path}: the task works in {place}, a system folder, so it needs an image; pass "
            "--isolation container"
        )


def _built(task: Task, images: Images) -> Environment:
    environment, config = task.environment, task.config.environment
    if environment.image is not None:
        image = environment.image
    elif environment.dockerfile is not None:
        image = images.build(environment.dockerfile.rpartition("/")[0], config.build_timeout_sec)
    else:
        raise InputError(
            f"{task.path}: to run in a container, the task must have environment/Dockerfile or [environment] "
            "docker_image, but it has neither"
        )
    workdir = config.workdir or images.workdir_of(image) or DEFAULT_WORKDIR
    return replace(environment, image=image, workdir=workdir, copies=(), env={})
