"""Check that a task can run here, before anything starts."""

from collections.abc import Collection, Mapping

from assay.core.errors import InputError
from assay.dialects.harbor.env_template import resolve_env, variables_in
from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.task import Task

NO_USER = 2**32 - 1


def check_task(task: Task, host_env: Mapping[str, str], *, in_image: bool = False) -> None:
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


def refuse_asking(task: Task, kept: Collection[str]) -> None:
    """Refuse a task that asks for a variable that is kept from tasks. Raises ``InputError``."""
    tables: list[Mapping[str, str]] = [task.config.environment.env, task.config.solution.env]
    tables += [phase.env for step in task.steps for phase in (step.agent, step.verifier_phase)]
    name = next((name for table in tables for name in variables_in(table) if name in kept), None)
    if name is not None:
        raise InputError(
            f"{task.path}/{FILE_NAME} must not ask for ${{{name}}}, because the options of this run keep it for "
            "the agent or its model; pass it with --agent-env-file, or give it another name in your environment"
        )


def _check_env(task: Task, table: str, env: Mapping[str, str], host_env: Mapping[str, str]) -> None:
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
