"""All fields of task.toml of harbor 0.25 (schema 1.4).

Find values in a task.toml whose type doesn't match their field, but which harbor converts without an error.

``timeout_sec = true`` means one second in harbor, so it does here, but the author hardly meant that.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from assay.core.errors import InputError
from assay.dialects.harbor.rewards import Strategy

_TEMPLATE = re.compile(r"\$\{([^}:]+)(?::-(.*))?\}", re.DOTALL)


def resolve_env(env: Mapping[str, str], host: Mapping[str, str]) -> dict[str, str]:
    """Replace templates by their values. A template must be the whole value; one without a value is an error."""
    return {name: _resolve(name, value, host) for name, value in env.items()}


def variables_in(env: Mapping[str, str]) -> list[str]:
    """The variables of the host that templates ask for."""
    return [found[1] for value in env.values() if (found := _TEMPLATE.fullmatch(value)) is not None]


def _resolve(name: str, value: str, host: Mapping[str, str]) -> str:
    match = _TEMPLATE.fullmatch(value)
    if match is None:
        return value
    variable, default = match[1], match[2]
    found = host.get(variable, default)
    if found is None:
        raise InputError(f"the environment variable {variable} must be set, because the task uses it for {name}")
    return found


FILE_NAME = "task.toml"
_KINDS = {"float_type": "a number", "int_type": "a whole number"}
# For a field with several possible types, pydantic adds the name of the type to the path.
_ALTERNATIVES = frozenset({"float", "int", "dict[str,float]"})


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


Seconds = Annotated[FiniteFloat, Field(gt=0)]


class NetworkMode(Enum):
    """Whether a phase may use the network."""

    NO_NETWORK = "no-network"
    PUBLIC = "public"
    ALLOWLIST = "allowlist"


class Author(_Model):
    """A task's author."""

    name: str
    email: str | None = None


class PackageInfo(_Model):
    """The [task] section: the name under which a task is registered."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$")
    version: str | None = None
    description: str = ""
    authors: list[Author] = Field(default_factory=list)
    keywords: list[str] = Field(default_factory=list)


class Healthcheck(_Model):
    """A [healthcheck] section: a command that must succeed before the agent starts."""

    command: str
    interval_sec: float = 5.0
    timeout_sec: float = 30.0
    start_period_sec: float = 0.0
    start_interval_sec: float = 5.0
    retries: int = 3


def _whole_if_possible(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


class EnvironmentConfig(_Model):
    """The [environment] section: where the agent and the verifier run."""

    build_timeout_sec: Seconds = 600.0
    docker_image: str | None = None
    os: Annotated[str, BeforeValidator(_lower)] = Field(default="linux", pattern="^(linux|windows)$")
    cpus: Annotated[FiniteFloat, Field(gt=0), AfterValidator(_whole_if_possible)] | None = None
    memory_mb: int | None = Field(default=None, ge=1)
    storage_mb: int | None = Field(default=None, ge=1)
    gpus: int | None = Field(default=None, ge=0)
    gpu_types: list[str] | None = None
    tpu: dict[str, Any] | None = None
    mcp_servers: list[dict[str, Any]] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    skills_dir: str | None = None
    healthcheck: Healthcheck | None = None
    workdir: str | None = Field(default=None, pattern="^/")
    network_mode: NetworkMode | None = None
    allowed_hosts: list[str] | None = None

    @model_validator(mode="before")
    @classmethod
    def _translate_older_names(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        allow = data.pop("allow_internet", None)
        if allow is not None and "network_mode" not in data and "allowed_hosts" not in data:
            data["network_mode"] = "public" if _boolean(allow) else "no-network"
        for old, new in (("memory", "memory_mb"), ("storage", "storage_mb")):
            if isinstance(data.get(old), str):
                size = _megabytes(old, data.pop(old))
                if data.setdefault(new, size) != size:
                    raise ValueError(f"{old} and {new} must agree, but they contradict each other")
        return data


class AgentConfig(_Model):
    """The [agent] section. Without a time limit, that of the runner applies."""

    timeout_sec: Seconds | None = None
    user: str | int | None = None
    network_mode: NetworkMode | None = None
    allowed_hosts: list[str] | None = None


class CollectConfig(_Model):
    """A [[verifier.collect]] entry: a command beside the agent's processes, once the agent has ended."""

    command: str
    service: str = "main"
    timeout_sec: float = 60.0
    user: str | int | None = None


class VerifierConfig(_Model):
    """The [verifier] section."""

    timeout_sec: Seconds = 600.0
    env: dict[str, str] = Field(default_factory=dict)
    user: str | int | None = None
    network_mode: NetworkMode | None = None
    allowed_hosts: list[str] | None = None
    environment_mode: str | None = Field(default=None, pattern="^(shared|separate)$")
    environment: EnvironmentConfig | None = None
    collect: list[CollectConfig] = Field(default_factory=list)

    @model_validator(mode="after")
    def _modes_agree(self) -> Self:
        if self.environment_mode == "shared" and self.environment is not None:
            raise ValueError(
                "environment_mode must not be shared where the verifier has an environment of its own"
            )
        return self


class StepVerifierConfig(VerifierConfig):
    """The [steps.verifier] section. Without a time limit, that of the task applies."""

    timeout_sec: Seconds | None = None  # type: ignore[assignment]


class SolutionConfig(_Model):
    """The [solution] section."""

    env: dict[str, str] = Field(default_factory=dict)


class ArtifactConfig(_Model):
    """A path that is kept after the agent ends."""

    source: str
    destination: str | None = None
    exclude: list[str] = Field(default_factory=list)
    service: str | None = None


class StepConfig(_Model):
    """One [[steps]] entry."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    agent: AgentConfig = AgentConfig()
    verifier: StepVerifierConfig = StepVerifierConfig()
    min_reward: float | dict[str, float] | None = None
    healthcheck: Healthcheck | None = None
    artifacts: list[str | ArtifactConfig] = Field(default_factory=list)


class TaskConfig(_Model):
    """A whole task.toml."""

    schema_version: str = "1.3"
    task: PackageInfo | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    verifier: VerifierConfig = VerifierConfig()
    agent: AgentConfig = AgentConfig()
    environment: EnvironmentConfig = EnvironmentConfig()
    solution: SolutionConfig = SolutionConfig()
    source: str | None = None
    multi_step_reward_strategy: Strategy | None = None
    steps: list[StepConfig] | None = None
    artifacts: list[str | ArtifactConfig] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _translate_version(cls, data: Any) -> Any:
        if isinstance(data, dict) and "version" in data:
            data = dict(data)
            data.setdefault("schema_version", data.pop("version"))
        return data

    @model_validator(mode="after")
    def _steps_differ(self) -> Self:
        names = [step.name for step in self.steps or ()]
        if len(set(names)) != len(names):
            raise ValueError(f"steps must have different names, got {', '.join(names)}")
        return self


def load_task_config(text: str, path: str) -> TaskConfig:
    """The task.toml in ``text``. Raises ``InputError`` that names the file and the field."""
    try:
        config = TaskConfig.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path} must be TOML: {error}") from error
    except ValidationError as error:
        raise InputError(f"{path}: {first_complaint(error)}") from error
    return config


def first_complaint(error: ValidationError, prefix: str = "") -> str:
    """The first mistake in a few words, with its field."""
    first = error.errors(include_url=False)[0]
    field = prefix + ".".join(str(part) for part in first["loc"]) or "the file"
    if first["type"] == "extra_forbidden":
        return f"unknown field {field}"
    if first["type"] == "missing":
        return f"missing field {field}"
    if first["type"] == "value_error":
        return f"{field}: {first['msg'].removeprefix('Value error, ')}"
    given = first["input"]
    got = "" if isinstance(given, dict | list) else f", got {json.dumps(given, default=str)}"
    return f"{field} {_SHOULD.sub('must', first['msg'])}{got}"


def _boolean(value: Any) -> bool:
    """A boolean. Harbor also accepts words such as "no"."""
    try:
        return _BOOLEAN.validate_python(value)
    except ValidationError as error:
        raise ValueError(f"allow_internet must be true or false, got {value!r}") from error


_BOOLEAN = TypeAdapter(bool)
_SHOULD = re.compile(r"^\w+ should\b")
_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([GMK])\s*$", re.IGNORECASE)


def _megabytes(field: str, size: str) -> int:
    match = _SIZE.match(size)
    if match is None:
        raise ValueError(f"{field} must be a size such as 2G or 512M, got {size!r}")
    factor = {"G": 1024.0, "M": 1.0, "K": 1 / 1024}[match[2].upper()]
    return int(float(match[1]) * factor)


def converted_values(text: str) -> list[str]:
    """A message for each such value of a task.toml that can be loaded."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    data.pop("metadata", None)
    messages = list(_booleans(data))
    try:
        # As JSON, because in strict mode only JSON accepts a string for a value of an enumeration.
        TaskConfig.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        for mistake in error.errors(include_url=False):
            field = ".".join(str(part) for part in mistake["loc"] if part not in _ALTERNATIVES)
            if mistake["type"] in _KINDS and not isinstance(mistake["input"], dict | list):
                messages.append(_message(field, mistake["input"], _KINDS[mistake["type"]]))
    return messages


def _booleans(data: dict[str, Any]) -> Iterator[str]:
    """Check the older name of a setting, which is translated before the fields are validated."""
    environment = data.get("environment")
    allow = environment.get("allow_internet", True) if isinstance(environment, dict) else True
    if not isinstance(allow, bool):
        yield _message("environment.allow_internet", allow, "true or false")


def _message(field: str, value: object, kind: str) -> str:
    return f"{field} should be {kind}, got {json.dumps(value, default=str)}, which harbor converts"
