"""The two commands of a trial, agent and verifier: what they run, what they can see, and their limits."""

from collections.abc import Mapping

from assay.dialects.harbor.env_template import resolve_env
from assay.engine.machine import Site
from assay.engine.run.job_plan import Agent
from assay.engine.run.ports import Bench
from assay.engine.sandbox import BASE_ENV, Command, Limits
from assay.engine.tasks.task import Task, TaskStep

INSTRUCTION_FILE = "/logs/agent/instruction.md"
INSTRUCTION_ENV_LIMIT = 64 * 1024
DEFAULT_AGENT_TIMEOUT_SEC = 3600.0
DEFAULT_VERIFIER_TIMEOUT_SEC = 600.0
_SHARED_HOME = "/root"
DEFAULT_FILE_MB, DEFAULT_DISK_MB = 4096, 10240


def agent_command(site: Site, bench: Bench, task: Task, step: TaskStep, agent: Agent) -> Command | None:
    """The command of the agent; None for an agent that does nothing."""
    if agent.oracle:
        argv = step.solve
    elif agent.command is not None:
        argv = ("/bin/sh", "-c", agent.command)
    else:
        return None
    solution_env = task.config.solution.env if agent.oracle else {}
    command = Command(
        argv=argv,
        workdir=task.environment.workdir,
        limits=_limits(task, step.agent.timeout_sec or DEFAULT_AGENT_TIMEOUT_SEC),
        mounts=(*bench.agent_mounts(step.solution if agent.oracle else None), *agent.mounts),
        env={**_env(site, task, {**solution_env, **agent.env}), **agent.private, **_instruction_env(step)},
        network=step.agent.network,
        stdin=step.instruction.encode(),
        user=step.agent.user,
        image=task.environment.image,
    )
    return command if site.model is None else site.model.through(command)


def verifier_command(site: Site, bench: Bench, task: Task, step: TaskStep) -> Command:
    """The command of the verifier."""
    return Command(
        argv=step.verify,
        workdir=task.environment.workdir,
        limits=_limits(task, step.verifier_phase.timeout_sec or DEFAULT_VERIFIER_TIMEOUT_SEC),
        mounts=tuple(bench.verifier_mounts(step)),
        env=_env(site, task, step.verifier_phase.env),
        network=step.verifier_phase.network,
        user=step.verifier_phase.user,
        image=task.environment.image,
    )


def _limits(task: Task, timeout_sec: float) -> Limits:
    environment = task.config.environment
    return Limits(
        timeout_sec=timeout_sec,
        memory_mb=environment.memory_mb,
        cpus=environment.cpus,
        file_mb=environment.storage_mb or DEFAULT_FILE_MB,
        disk_mb=environment.storage_mb or DEFAULT_DISK_MB,
    )


def _env(site: Site, task: Task, own: Mapping[str, str]) -> dict[str, str]:
    """The environment variables. An image has its own basic ones; otherwise they are Assay's, never the host's."""
    base = {**BASE_ENV, "HOME": _home(task)} if task.environment.image is None else {}
    asked = resolve_env({**task.config.environment.env, **own}, site.host.env)
    return {**base, **task.environment.env, **asked}


def _home(task: Task) -> str:
    """A home folder that is empty at every start. Programs read settings there, so an agent could plant code.

    In a shared environment, the verifier is meant to find what the agent left there.
    """
    if task.environment.kept:
        return _SHARED_HOME
    return BASE_ENV["HOME"] if BASE_ENV["HOME"] not in task.environment.places else "/var/tmp"  # noqa: S108


def _instruction_env(step: TaskStep) -> dict[str, str]:
    size = len(step.instruction.encode(errors="surrogateescape"))
    fits = size <= INSTRUCTION_ENV_LIMIT and "\0" not in step.instruction
    text = {"ASSAY_INSTRUCTION": step.instruction} if fits else {}
    return {"ASSAY_INSTRUCTION_FILE": INSTRUCTION_FILE, **text}
