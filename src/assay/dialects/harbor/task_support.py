"""Fields of a task.toml that have an effect here. A task with an unsupported field can't be run, only read.

Unknown fields have no effect, as in harbor, so that published tasks can be run. Each is mentioned, because a
mistyped time-out would have no effect either. Where one may decide about the reward, the task is refused.
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from pydantic import BaseModel

from assay.dialects.harbor.task_config import (
    AgentConfig,
    ArtifactConfig,
    EnvironmentConfig,
    NetworkMode,
    TaskConfig,
    VerifierConfig,
)

SCHEMA_VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4")
_LIKE = 0.8
"""How alike an unknown and a known name must be for a slip."""
_DECIDING = ("environment", "verifier", "multi_step_reward_strategy")


def unknown_fields(config: TaskConfig) -> list[str]:
    """A sentence about each field that has no effect, because this version doesn't know it."""
    found = [f"the field {place} is unknown and has no effect{meant}" for place, meant in _unknown_in(config, "")]
    if config.schema_version not in SCHEMA_VERSIONS:
        found.append(f"schema_version {config.schema_version} is not one of {', '.join(SCHEMA_VERSIONS)}")
    return found


def unknown_deciding_field(config: TaskConfig) -> str | None:
    """The first unknown field that may decide about the reward, in a sentence: one of, or like, those that do."""
    for place, meant in _unknown_in(config, ""):
        top, _, below = place.partition(".")
        near = get_close_matches(top.lower(), _DECIDING, n=1)
        within_step = top == "steps" and any(part in _DECIDING for part in below.split("."))
        if near or within_step or "reward" in place.lower():
            return f"{place} is unknown here, and may decide about the reward{meant}"
    return None


def _unknown_in(model: BaseModel, place: str) -> Iterator[tuple[str, str]]:
    """The place of each unknown field, and the known one that it's like."""
    known = list(type(model).model_fields)
    for name in model.model_extra or ():
        near = get_close_matches(name.lower(), known, n=1, cutoff=_LIKE)
        yield f"{place}{name}", f" (did you mean {near[0]}?)" if near else ""
    for name, value in model:
        inner = {f"{name}.{number}": one for number, one in enumerate(value)} if isinstance(value, list) else {}
        for where, part in {name: value, **inner}.items():
            if isinstance(part, BaseModel):
                yield from _unknown_in(part, f"{place}{where}.")


def why_unsupported(config: TaskConfig) -> str | None:
    """Why a task can't be run: the first field that Assay doesn't support. None if there is no such field."""
    return next((f"{field}: {why}" for field, why in _unsupported(config)), None)


def _unsupported(config: TaskConfig) -> Iterator[tuple[str, str]]:
    yield from _unsupported_in_environment("environment", config.environment)
    yield from _unsupported_in_phase("agent", config.agent)
    yield from _unsupported_in_verifier("verifier", config.verifier)
    yield from _unsupported_artifacts("artifacts", config.artifacts)
    for step in config.steps or ():
        place = f"steps.{step.name}"
        if step.healthcheck is not None:
            yield f"{place}.healthcheck", "health checks are not supported"
        yield from _unsupported_in_phase(f"{place}.agent", step.agent)
        yield from _unsupported_in_verifier(f"{place}.verifier", step.verifier)
        yield from _unsupported_artifacts(f"{place}.artifacts", step.artifacts)


def _unsupported_in_environment(place: str, environment: EnvironmentConfig) -> Iterator[tuple[str, str]]:
    checks = (
        ("os", environment.os == "windows", "Windows containers are not supported"),
        ("gpus", bool(environment.gpus), "GPUs are not supported"),
        ("gpu_types", environment.gpu_types is not None, "GPUs are not supported"),
        ("tpu", environment.tpu is not None, "TPUs are not supported"),
        ("mcp_servers", bool(environment.mcp_servers), "MCP servers are not supported"),
        ("skills_dir", environment.skills_dir is not None, "skills are not supported"),
        ("healthcheck", environment.healthcheck is not None, "health checks are not supported"),
    )
    yield from ((f"{place}.{field}", why) for field, asked, why in checks if asked)
    yield from _unsupported_in_phase(place, environment)


def _unsupported_in_verifier(place: str, verifier: VerifierConfig) -> Iterator[tuple[str, str]]:
    yield from _unsupported_in_phase(place, verifier)
    if verifier.environment is not None:
        yield from _unsupported_in_environment(f"{place}.environment", verifier.environment)
    if verifier.collect:
        yield f"{place}.collect", "no command can be run beside the agent's processes, which end with the agent"


def _unsupported_in_phase(
    place: str, phase: EnvironmentConfig | AgentConfig | VerifierConfig
) -> Iterator[tuple[str, str]]:
    if phase.network_mode is NetworkMode.ALLOWLIST or phase.allowed_hosts is not None:
        yield f"{place}.network_mode", "allow-lists of hosts are not supported"


def _unsupported_artifacts(place: str, artifacts: Sequence[str | ArtifactConfig]) -> Iterator[tuple[str, str]]:
    if any(isinstance(one, ArtifactConfig) and one.service not in (None, "main") for one in artifacts):
        yield f"{place}.service", "a task must have a single container, whose service is main"
