"""Describes a task: its verifier, output, limits and environment, declared or inferred."""

from collections.abc import Mapping
from typing import Any

from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.harbor.task_config import EnvironmentConfig
from assay.engine.tasks.task import (
    DEFAULT_WORKDIR,
    LoadedTask,
    Origin,
    OwnEnvironment,
    TaskEnvironment,
    TaskPhase,
    TaskStep,
)
from assay.engine.tasks.task_reading import LintFinding
from assay.formats.strict_model import StrictModel

INSTRUCTION = "instruction.md"
# A finding that isn't a mistake.
NOTE = "note"


class OutputDescription(StrictModel):
    """The output: where it is, how that is known, and what is asked of it."""

    path: str
    inferred_from: str
    format: str | None
    schema_given: bool
    sections: list[str]
    other_paths: list[str]
    inputs: list[str]


class PhaseDescription(StrictModel):
    """How the agent or the verifier is run. Of its variables only the names are told."""

    timeout_sec: float | None
    user: str | int | None
    network: bool
    env: list[str]


class OwnEnvironmentDescription(StrictModel):
    """The environment that a verifier has of its own. Without an image or Dockerfile it's like the agent's."""

    image: str | None
    dockerfile: str | None
    needs_image: str | None
    artifacts: list[str]
    env: list[str]
    cpus: int | float | None
    memory_mb: int | None
    storage_mb: int | None


class StepDescription(StrictModel):
    """One step of a task; a task without steps has a single one without a name."""

    name: str | None
    verifier: VerifierSpec
    output: OutputDescription
    agent_phase: PhaseDescription
    verifier_phase: PhaseDescription
    verifier_environment: OwnEnvironmentDescription | None
    has_solution: bool
    min_reward: float | dict[str, float] | None


class EnvironmentDescription(StrictModel):
    """Where agent and verifier run, and the limits that task.toml sets."""

    workdir: str
    image: str | None
    needs_image: str | None
    dockerfile: str | None
    env: list[str]
    cpus: int | float | None
    memory_mb: int | None
    storage_mb: int | None


class TaskDescription(StrictModel):
    """A task as it is run."""

    name: str
    path: str
    checksum: str
    reward_strategy: str | None
    steps: list[StepDescription]
    environment: EnvironmentDescription
    warnings: list[str]


def describe_task(task: LoadedTask) -> TaskDescription:
    """The description of a loaded task."""
    settings, environment = task.config.environment, task.environment
    strategy = "mean" if task.strategy is None else task.strategy.value
    return TaskDescription(
        name=task.name,
        path=task.path,
        checksum=task.checksum,
        reward_strategy=strategy if task.multi_step else None,
        steps=[_step(step) for step in task.steps],
        environment=EnvironmentDescription(
            workdir=environment.workdir,
            env=sorted({*environment.env, *settings.env}),
            **_image(environment),
            **_limits(settings),
        ),
        warnings=list(task.warnings),
    )


def output_findings(step: TaskStep) -> list[LintFinding]:
    """Name the path taken for the output, if an instruction names several.

    It is a mere note if all others are inputs, or if task.toml says it.
    """
    choice = step.output
    place = INSTRUCTION if step.name is None else f"steps/{step.name}/{INSTRUCTION}"
    if len(choice.named) < 2:
        return []
    if choice.others and choice.origin is Origin.INSTRUCTION:
        why = f"it names several paths, and {choice.path} is taken for the output, not {', '.join(choice.others)}"
        return [LintFinding("output", place, f"{why}; declare metadata.output.path in task.toml")]
    inputs = f"; there before the agent starts: {', '.join(choice.inputs)}" if choice.inputs else ""
    return [LintFinding(NOTE, place, f"the output is {choice.path}, from {choice.origin.value}{inputs}")]


def _step(step: TaskStep) -> StepDescription:
    declared, choice, least = step.declared, step.output, step.min_reward
    return StepDescription(
        name=step.name,
        verifier=step.verifier,
        output=OutputDescription(
            path=step.verifier.expected_output_path,
            inferred_from=choice.origin.value,
            format=None if declared is None or declared.format is None else declared.format.value,
            schema_given=declared is not None and declared.schema is not None,
            sections=[] if declared is None else list(declared.sections),
            other_paths=choice.others,
            inputs=choice.inputs,
        ),
        agent_phase=_phase(step.agent),
        verifier_phase=_phase(step.verifier_phase),
        verifier_environment=None if step.own is None else _own_environment(step.own),
        has_solution=step.solution is not None,
        min_reward=dict(least) if isinstance(least, Mapping) else least,
    )


def _own_environment(own: OwnEnvironment) -> OwnEnvironmentDescription:
    place = own.environment or TaskEnvironment(DEFAULT_WORKDIR)
    env, artifacts = sorted({*own.config.env, *place.env}), list(own.artifacts)
    return OwnEnvironmentDescription(artifacts=artifacts, env=env, **_image(place), **_limits(own.config))


def _image(place: TaskEnvironment) -> dict[str, Any]:
    return {name: getattr(place, name) for name in ("image", "needs_image", "dockerfile")}


def _limits(config: EnvironmentConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in ("cpus", "memory_mb", "storage_mb")}


def _phase(phase: TaskPhase) -> PhaseDescription:
    env = sorted(phase.env)
    return PhaseDescription(timeout_sec=phase.timeout_sec, user=phase.user, network=phase.network, env=env)
