"""Whether a verifier has an environment of its own, or shares what the agent left outside of its workspace.

Shared means files: folders in which programs and users keep their own things are kept for the verifier, and for
grading again. It never means processes: those of the agent are ended before the verifier starts.
"""

from dataclasses import replace

from assay.dialects.harbor.task_config import TaskConfig
from assay.engine.tasks.task import Environment, Task

# Nothing of the system lies in these.
KEPT = ("/home", "/root", "/srv", "/tmp", "/var/tmp")  # noqa: S108 - in the sandbox
KEPT_IN_IMAGE = (*KEPT, "/opt")
SHARED = "shared"
SEPARATE = "separate"


def asks_for_shared(config: TaskConfig) -> bool:
    """Whether a task, or one of its steps, says that its verifier shares the agent's environment."""
    modes = [config.verifier.environment_mode, *(step.verifier.environment_mode for step in config.steps or ())]
    return SHARED in modes


def with_verifier_environment(task: Task, mode: str | None) -> Task:
    """The task with this mode; with its own if the mode is None."""
    shared = asks_for_shared(task.config) if mode is None else mode == SHARED
    said = (f"{task.path}: its verifier shares the agent's environment, which isolates less",) if shared else ()
    environment = replace(task.environment, shared=shared)
    return replace(task, environment=environment, warnings=(*task.warnings, *said))


def with_kept_folders(environment: Environment, backend: str) -> Environment:
    """The environment, with the folders that are kept if it is shared.

    Plain processes run on the host's own system, so that there is nothing to keep.
    """
    if not environment.shared or backend == "process":
        return replace(environment, kept=())
    return replace(environment, kept=KEPT if environment.image is None else KEPT_IN_IMAGE)


def mode_of(environment: Environment) -> str:
    """The word for it in records."""
    return SHARED if environment.shared else SEPARATE
