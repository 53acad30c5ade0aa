"""Prepare a task for a site: build its image if the sandbox runs containers, or check that it needs none."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from assay.core.errors import InputError
from assay.dialects.harbor.task_config import FILE_NAME, EnvironmentConfig, resolve_env, variables_in
from assay.engine.machine import TrialSite
from assay.engine.sandbox import Images
from assay.engine.tasks.dockerfile_environment import in_system
from assay.engine.tasks.task import (
    DEFAULT_WORKDIR,
    LoadedTask,
    TaskEnvironment,
    TaskStep,
    all_environments,
    with_kept_folders,
)

NO_USER = 2**32 - 1


def prepare_task(
    task: LoadedTask, site: TrialSite, *, no_image: bool = False, build: bool = True, any_fields: bool = False
) -> LoadedTask:
    """The task, ready for this site. Raises ``InputError`` if it needs something that the site doesn't have.

    Without ``build``, a task whose image has to be built isn't ready yet: ``with_image`` does the rest. With
    ``any_fields``, unknown fields have no effect, wherever they are.
    """
    if task.unsupported is not None:
        raise InputError(task.unsupported)
    if task.unknown is not None and not any_fields:
        raise InputError(f"{task.path}/{FILE_NAME}: {task.unknown}; pass --allow-unknown-fields to leave it out")
    broken = next((one.broken for one in all_environments(task) if one.broken is not None), None)
    if broken is not None:
        raise InputError(broken)
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
    to_build = any(one.image is None and one.dockerfile is not None for one in all_environments(task))
    return site.sandbox.images is not None and to_build


def with_image(task: LoadedTask, site: TrialSite, log: str | None = None) -> LoadedTask:
    """The task with its image, in a sandbox that has images. Raises ``InputError`` or ``MeasurementError``."""
    environment, steps, images = task.environment, task.steps, site.sandbox.images
    if images is not None:
        environment = _build_environment(environment, task.config.environment, images, log)
        steps = tuple(_with_verifier_image(step, environment, images, log) for step in steps)
    environment = with_kept_folders(environment, site.sandbox.isolation.backend)
    return replace(task, environment=environment, steps=steps)


def _with_verifier_image(step: TaskStep, agents: TaskEnvironment, images: Images, log: str | None) -> TaskStep:
    """The step with the image of its verifier, if it has one of its own."""
    own = step.own
    if own is None or own.environment is None:
        return step
    log = None if log is None else f"{log.removesuffix('.log')}-verifier.log"
    found = _build_environment(own.environment, own.config, images, log, otherwise="/")
    # The files of the image come first: an agent must not be able to replace them.
    shown = () if own.artifacts else tuple(one for one in agents.places if not images.has(found.image or "", one))
    return replace(step, own=replace(own, environment=found, shown=shown))


def _check_without_image(task: LoadedTask, no_image: bool) -> None:
    environment = task.environment
    needs = next((one.needs_image for one in all_environments(task) if one.needs_image is not None), None)
    if needs is not None and not no_image:
        hint = "this needs an image; pass --isolation container, or --no-image to run without one"
        where = f"{task.path}/{FILE_NAME}: " if "environment." in needs.partition(" ")[0] else ""
        raise InputError(f"{where}{needs}: {hint}")
    place = next(filter(in_system, environment.places), None)
    if place is not None:
        raise InputError(
            f"{task.path}: the task works in {place}, a system folder, so it needs an image; pass "
            "--isolation container"
        )


def _build_environment(
    environment: TaskEnvironment,
    config: EnvironmentConfig,
    images: Images,
    log: str | None,
    otherwise: str = DEFAULT_WORKDIR,
) -> TaskEnvironment:
    """The environment with its image, in the working folder that task or image name, or ``otherwise``."""
    image = environment.image
    if image is None:
        folder = (environment.dockerfile or "").rpartition("/")[0]
        image = images.build(folder, config.build_timeout_sec, log)
    workdir = config.workdir or images.workdir_of(image) or otherwise
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
        _check_env(task, "verifier.environment", {} if step.own is None else step.own.config.env, host_env)
    for step in task.steps:
        for phase in (step.agent, step.verifier_phase):
            _check_env(task, phase.field, phase.env, host_env)
            user = phase.user
            field = f"{task.path}/{FILE_NAME}: {phase.field}.user"
            if isinstance(user, str) and user != "root" and not in_image:
                raise InputError(
                    f"{field} must be root or a number, unless the task runs in an image, got {user!r}"
                )
            if isinstance(user, int) and not 0 <= user < NO_USER:
                raise InputError(f"{field} must be from 0 to {NO_USER - 1}, got {user}")


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
