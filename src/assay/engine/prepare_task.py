"""Prepare a task for a site: build its image if the sandbox runs containers, or check that it needs none."""

from dataclasses import replace

from assay.core.errors import InputError
from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.dockerfile_environment import in_system
from assay.engine.sandbox import Images
from assay.engine.site import Site
from assay.engine.task import DEFAULT_WORKDIR, Environment, Task
from assay.engine.task_check import check_task
from assay.engine.verifier_environment import with_kept_folders


def prepare_task(task: Task, site: Site, *, no_image: bool = False, build: bool = True) -> Task:
    """The task, ready for this site. Raises ``InputError`` if it needs something that the site doesn't have.

    Without ``build``, a task whose image has to be built isn't ready yet: ``with_image`` does the rest.
    """
    if task.unsupported is not None:
        raise InputError(task.unsupported)
    if task.environment.broken is not None:
        raise InputError(task.environment.broken)
    if site.sandbox.images is None:
        _check_without_image(task, no_image)
    elif not needs_build(task, site) and task.environment.image is None:
        raise InputError(
            f"{task.path}: to run in a container, the task must have environment/Dockerfile or [environment] "
            "docker_image, but it has neither"
        )
    check_task(task, site.host.env, in_image=site.sandbox.images is not None)
    return task if needs_build(task, site) and not build else with_image(task, site)


def needs_build(task: Task, site: Site) -> bool:
    """Whether the task's image has to be built, or looked up, before the task can run."""
    environment = task.environment
    return site.sandbox.images is not None and environment.image is None and environment.dockerfile is not None


def with_image(task: Task, site: Site, log: str | None = None) -> Task:
    """The task with its image, in a sandbox that has images. Raises ``InputError`` or ``MeasurementError``."""
    environment = task.environment
    if site.sandbox.images is not None:
        environment = _built(task, site.sandbox.images, log)
    return replace(task, environment=with_kept_folders(environment, site.sandbox.isolation.backend))


def _check_without_image(task: Task, no_image: bool) -> None:
    environment = task.environment
    if environment.needs_image is not None and not no_image:
        hint = "this needs an image; pass --isolation container, or --no-image to run without one"
        where = f"{task.path}/{FILE_NAME}: " if environment.needs_image.startswith("environment.") else ""
        raise InputError(f"{where}{environment.needs_image}: {hint}")
    if any(in_system(place) for place in environment.places):
        place = next(place for place in environment.places if in_system(place))
        raise InputError(
            f"{task.path}: the task works in {place}, a system folder, so it needs an image; pass "
            "--isolation container"
        )


def _built(task: Task, images: Images, log: str | None) -> Environment:
    environment, config = task.environment, task.config.environment
    image = environment.image
    if image is None:
        folder = (environment.dockerfile or "").rpartition("/")[0]
        image = images.build(folder, config.build_timeout_sec, log)
    workdir = config.workdir or images.workdir_of(image) or DEFAULT_WORKDIR
    return replace(environment, image=image, workdir=workdir, copies=(), env={})
