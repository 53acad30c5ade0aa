"""The description of a task, as text for people."""

from collections.abc import Iterator

from assay.cli.table import clean, render_table
from assay.engine.describe_task import EnvironmentDescription, PhaseDescription, StepDescription, TaskDescription


def task_text(task: TaskDescription) -> str:
    """A table for each step, and one for the environment."""
    return "\n\n".join(_parts(task))


def _parts(task: TaskDescription) -> Iterator[str]:
    strategy = "" if task.reward_strategy is None else f" · reward of steps: {task.reward_strategy}"
    yield f"{clean(task.name)} · {clean(task.path)} · sha256 {task.checksum[:12]}{strategy}"
    for step in task.steps:
        title = "the task" if step.name is None else f"step {step.name}"
        yield render_table((title, ""), _step_rows(step))
    yield render_table(("environment", ""), _environment_rows(task.environment))
    if task.warnings:
        yield "\n".join(f"warning: {clean(warning)}" for warning in task.warnings)


def _step_rows(step: StepDescription) -> Iterator[tuple[str, str]]:
    spec, output = step.verifier, step.output
    yield "verifier", spec.script
    yield "expected output", f"{spec.expected_output_path} (from {output.inferred_from})"
    if output.other_paths:
        yield "also named", ", ".join(output.other_paths)
    if output.inputs:
        yield "inputs", ", ".join(output.inputs)
    asked = [output.format or "", "schema" if output.schema_given else "", *output.sections]
    yield "output must be", ", ".join(filter(None, asked)) or "anything"
    yield "reward", spec.reward_path
    yield "details", spec.details_path or "none"
    yield "agent", _phase(step.agent_phase)
    yield "verifier runs", _phase(step.verifier_phase)
    yield "solution", "yes" if step.has_solution else "none"
    if step.min_reward is not None:
        yield "stops below", str(step.min_reward)


def _phase(phase: PhaseDescription) -> str:
    limit = "no time limit" if phase.timeout_sec is None else f"at most {phase.timeout_sec:g} s"
    user = "" if phase.user is None else f", as user {phase.user}"
    names = f", variables {', '.join(phase.env)}" if phase.env else ""
    return f"{limit}, {'with' if phase.network else 'without'} network{user}{names}"


def _environment_rows(environment: EnvironmentDescription) -> Iterator[tuple[str, str]]:
    yield "working folder", environment.workdir
    yield "image", environment.image or environment.needs_image or "none needed"
    limits = {
        "CPUs": environment.cpus,
        "MB of memory": environment.memory_mb,
        "MB of disk": environment.storage_mb,
    }
    yield "limits", ", ".join(f"{value} {unit}" for unit, value in limits.items() if value is not None) or "none"
    if environment.env:
        yield "variables", ", ".join(environment.env)
