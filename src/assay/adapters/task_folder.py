"""Load a task from its folder. What can't be used is refused in one sentence that names the file and the field."""

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.adapters.checksums import checksum
from assay.adapters.environment import DEFAULT_WORKDIR, read_environment
from assay.adapters.safe_read import read_file
from assay.core.errors import InputError
from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.evaluation.output import Declared, Format, format_of, schema_complaint
from assay.dialects.harbor.task_config import FILE_NAME, StepConfig, TaskConfig, load_task_config
from assay.engine.task import DETAILS_PATH, REWARD_PATH, Environment, Step, Task, infer_output_path
from assay.evidence.files import Content

TEXT_LIMIT = 16 * 1024 * 1024
COMPOSE_FILES = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml")


def load_task(path: str) -> Task:
    """The task in a folder. Raises ``InputError``."""
    root = os.path.abspath(path)
    config = load_task_config(_text(f"{root}/{FILE_NAME}"), f"{path}/{FILE_NAME}")
    environment = _environment(root, config)
    reader = _StepReader(root, config, environment)
    steps = tuple(reader.steps())
    return Task(
        name=config.task.name if config.task is not None else os.path.basename(root),
        path=path,
        config=config,
        steps=steps,
        environment=environment,
        declared=_declared(root, config, steps[-1].verifier.expected_output_path, environment),
        checksum=checksum(root),
        warnings=tuple(reader.warnings),
    )


def find_tasks(paths: list[str]) -> list[str]:
    """The task folders that are named: a folder with a task.toml, or every such folder in it."""
    found: list[str] = []
    for path in paths:
        if os.path.isfile(f"{path}/{FILE_NAME}"):
            found.append(path)
            continue
        if not os.path.isdir(path):
            raise InputError(f"there is no folder {path}")
        inside = sorted(
            f"{path.rstrip('/')}/{name}"
            for name in os.listdir(path)
            if os.path.isfile(f"{path}/{name}/{FILE_NAME}")
        )
        if not inside:
            raise InputError(f"{path} holds no task: neither it nor a folder in it has a {FILE_NAME}")
        found += inside
    return found


def _environment(root: str, config: TaskConfig) -> Environment:
    """The Dockerfile's word, and task.toml's above it."""
    folder = f"{root}/environment"
    for name in COMPOSE_FILES:
        if os.path.exists(f"{folder}/{name}"):
            raise InputError(f"{folder}/{name}: environments of several containers are not supported")
    dockerfile = f"{folder}/Dockerfile"
    base = Environment(workdir=DEFAULT_WORKDIR)
    if os.path.isfile(dockerfile):
        base = read_environment(_text(dockerfile), folder, dockerfile)
    elif config.environment.docker_image is not None:
        base = Environment(
            DEFAULT_WORKDIR, needs_image=f"environment.docker_image {config.environment.docker_image}"
        )
    return Environment(
        workdir=config.environment.workdir or base.workdir,
        env={**base.env, **config.environment.env},
        copies=base.copies,
        needs_image=base.needs_image,
        dockerfile=base.dockerfile,
        image=config.environment.docker_image,
    )


class _StepReader:
    """Reads the steps of one task. Warnings gather on the way."""

    def __init__(self, root: str, config: TaskConfig, environment: Environment) -> None:
        self._root = root
        self._config = config
        self._environment = environment
        self.warnings: list[str] = []

    def steps(self) -> Iterator[Step]:
        if self._config.steps is None:
            yield self._step(self._root, None)
            return
        if not self._config.steps:
            raise InputError(f"{self._root}/{FILE_NAME}: steps is empty")
        for step in self._config.steps:
            yield self._step(f"{self._root}/steps/{step.name}", step)

    def _step(self, folder: str, step: StepConfig | None) -> Step:
        config = self._config
        instruction = _text(f"{folder}/instruction.md")
        script, tests = _script(self._root, folder, self.warnings)
        declared = _metadata(config).get("path") if step is None else None
        output = declared or infer_output_path(instruction) or self._environment.workdir
        spec = VerifierSpec(
            script=script, expected_output_path=str(output), reward_path=REWARD_PATH, details_path=DETAILS_PATH
        )
        solution, workdir = f"{folder}/solution", f"{folder}/workdir"
        own = step or StepConfig(name="only")
        return Step(
            name=None if step is None else step.name,
            instruction=instruction,
            verifier=spec,
            tests=tests,
            solution=solution if os.path.isdir(solution) else None,
            workdir_files=workdir if step is not None and os.path.isdir(workdir) else None,
            agent_timeout_sec=own.agent.timeout_sec or config.agent.timeout_sec,
            verifier_timeout_sec=own.verifier.timeout_sec or config.verifier.timeout_sec,
            verifier_env={**config.verifier.env, **own.verifier.env},
            min_reward=own.min_reward,
        )


def _script(root: str, folder: str, warnings: list[str]) -> tuple[str, tuple[str, ...]]:
    """The verifier's path in the sandbox, and the folders that make up /tests: the task's, then the step's."""
    tests = tuple(dict.fromkeys(path for path in (f"{root}/tests", f"{folder}/tests") if os.path.isdir(path)))
    for name in ("test.sh", "verify.py"):
        for path in reversed(tests):
            script = f"{path}/{name}"
            if not os.path.isfile(script):
                continue
            if name == "verify.py":
                warnings.append(f"{script} is the verifier, for want of a test.sh")
            elif not os.access(script, os.X_OK) or not os.stat(script).st_mode & 0o111:
                raise InputError(f"{script} is the verifier, and it is not executable: chmod +x it")
            return f"/tests/{name}", tests
    raise InputError(f"{folder} has no verifier: there is neither tests/test.sh nor tests/verify.py")


def _metadata(config: TaskConfig) -> Mapping[str, Any]:
    """The [metadata.output] table, in which a task may declare its output."""
    found = config.metadata.get("output", {})
    if not isinstance(found, dict):
        raise InputError(f"{FILE_NAME}: metadata.output is not a table")
    unknown = set(found) - {"path", "format", "schema", "sections"}
    if unknown:
        raise InputError(f"{FILE_NAME}: there is no field metadata.output.{min(unknown)}")
    return found


def _declared(root: str, config: TaskConfig, output: str, environment: Environment) -> Declared | None:
    """What the output must be; None where the working folder itself is the output."""
    found = _metadata(config)
    if output == environment.workdir:
        return None
    try:
        declared = Format(found["format"]) if "format" in found else format_of(output)
    except ValueError as error:
        names = ", ".join(one.value for one in Format)
        raise InputError(f"{root}/{FILE_NAME}: metadata.output.format: {error}; there are {names}") from error
    return Declared(declared, _schema(root, found.get("schema")), tuple(found.get("sections", ())))


def _schema(root: str, name: str | None) -> dict[str, Any] | None:
    if name is None:
        return None
    path = f"{root}/{name}"
    try:
        schema = tomllib.loads(_text(path)) if name.endswith(".toml") else json.loads(_text(path))
    except ValueError as error:
        raise InputError(f"{path} is not a JSON Schema: {error}") from error
    if not isinstance(schema, dict):
        raise InputError(f"{path} is not a JSON Schema: it is not an object")
    complaint = schema_complaint(schema)
    if complaint is not None:
        raise InputError(f"{path} is not a JSON Schema: {complaint}")
    return schema


def _text(path: str) -> str:
    file = read_file(path, TEXT_LIMIT)
    if not isinstance(file, Content):
        raise InputError(f"there is no file {path}" if not Path(path).exists() else f"{path} can't be read")
    try:
        return file.data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8") from error
