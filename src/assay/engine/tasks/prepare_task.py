"""Prepare a task for a site: build its image if the sandbox runs containers, or check that it needs none."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from assay.core.errors import InputError
from assay.dialects.harbor.task_config import FILE_NAME, resolve_env, variables_in
from assay.engine.machine import TrialSite
from assay.engine.sandbox import Images
from assay.engine.tasks.dockerfile_environment import in_system
from assay.engine.tasks.task import DEFAULT_WORKDIR, LoadedTask, TaskEnvironment, with_kept_folders

NO_USER = 2**32 - 1


def prepare_task(task: LoadedTask, site: TrialSite, *, no_image: bool = False, build: bool = True) -> LoadedTask:
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


def needs_build(task: LoadedTask, site: TrialSite) -> bool:
    """Whether the task's image has to be built, or looked up, before the task can run."""
    environment = task.environment
    return site.sandbox.images is not None and environment.image is None and environment.dockerfile is not None


def with_image(task: LoadedTask, site: TrialSite, log: str | None = None) -> LoadedTask:
    """The task with its image, in a sandbox that has images. Raises ``InputError`` or ``MeasurementError``."""
    environment = task.environment
    if site.sandbox.images is not None:
        environment = _build_environment(task, site.sandbox.images, log)
    return replace(task, environment=with_kept_folders(environment, site.sandbox.isolation.backend))


def _check_without_image(task: LoadedTask, no_image: bool) -> None:
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


def _build_environment(task: LoadedTask, images: Images, log: str | None) -> TaskEnvironment:
    environment, config = task.environment, task.config.environment
    image = environment.image
    if image is None:
        folder = (environment.dockerfile or "").rpartition("/")[0]
        image = images.build(folder, config.build_timeout_sec, log)
    workdir = config.workdir or images.workdir_of(image) or DEFAULT_WORKDIR
    return replace(environment, image=image, workdir=workdir, copies=(), env={})


def check_task(task: LoadedTask, host_env: Mapping[str, str], *, in_image: bool = False) -> None:
    """Refuse a task that would fail later. Raises ``InputError``.

    Such a task needs an environment variable that isn't set, or a user that exists only in an image. ``in_image``
    says that the task runs in one.
    """
    in_image = in_image or task.environment.image is not None
    try:
        _check_settable(task.environment.env)
    except InputError as error:
        raise InputError(f"{task.environment.dockerfile}: ENV: {error}") from error
    _check_env(task, "environment", task.config.environment.env, host_env)
    _check_env(task, "solution", task.config.solution.env, host_env)
    for step in task.steps:
        for phase in (step.agent, step.verifier_phase):
            _check_env(task, phase.field, phase.env, host_env)
            if isinstance(phase.user, str) and phase.user != "root" and not in_image:
                raise InputError(
                    f"{task.path}/{FILE_NAME}: {phase.field}.user must be root or a number, unless the task "
                    f"runs in an image, got {phase.user!r}"
                )
            if isinstance(phase.user, int) and not 0 <= phase.user < NO_USER:
                raise InputError(
                    f"{task.path}/{FILE_NAME}: {phase.field}.user must be from 0 to {NO_USER - 1}, "
                    f"got {phase.user}"
                )


def refuse_asking(task: LoadedTask, kept: Collection[str]) -> None:
    """Refuse a task that asks for a variable that is kept from tasks. Raises ``InputError``."""
    tables: list[Mapping[str, str]] = [task.config.environment.env, task.config.solution.env]
    tables += [phase.env for step in task.steps for phase in (step.agent, step.verifier_phase)]
    name = next((name for table in tables for name in variables_in(table) if name in kept), None)
    if name is not None:
        raise InputError(
            f"{task.path}/{FILE_NAME} must not ask for ${{{name}}}, because the options of this run keep it for "
            "the agent or its model; pass it with --agent-env-file, or give it another name in your environment"
        )


def _check_env(task: LoadedTask, table: str, env: Mapping[str, str], host_env: Mapping[str, str]) -> None:
    try:
        _check_settable(resolve_env(env, host_env))
    except InputError as error:
        raise InputError(f"{task.path}/{FILE_NAME}: {table}.env: {error}") from error


def _check_settable(env: Mapping[str, str]) -> None:
    for name, value in env.items():
        if not name or "=" in name or "\0" in name or "\0" in value:
            raise InputError(
                f"{name!r} can't be set: a name must not be empty or contain '=', and neither name nor value may "
                "contain a NUL character"
            )
