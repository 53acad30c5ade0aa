"""Load a task from its folder. What can't be used is refused in one sentence that names the file and the field."""

import os
from collections.abc import Iterator, Mapping

from assay.adapters.checksums import checksum
from assay.adapters.declared_output import declared_output
from assay.adapters.declared_output import read_task_text as _text
from assay.adapters.environment import DEFAULT_WORKDIR, normal_path, read_environment
from assay.core.errors import InputError
from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.harbor.task_config import (
    FILE_NAME,
    AgentConfig,
    NetworkMode,
    StepConfig,
    TaskConfig,
    VerifierConfig,
    load_task_config,
)
from assay.engine.task import DETAILS_PATH, REWARD_PATH, Environment, Phase, Step, Task, infer_output_path
from assay.formats.dockerfile import parse_dockerfile

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
        text = _text(dockerfile)
        if not any(instruction.keyword == "FROM" for instruction in parse_dockerfile(text)):
            raise InputError(f"{dockerfile} has no FROM, so no image can be made of it")
        base = read_environment(text, folder, dockerfile)
    elif config.environment.docker_image is not None:
        base = Environment(
            DEFAULT_WORKDIR, needs_image=f"environment.docker_image {config.environment.docker_image}"
        )
    return Environment(
        workdir=normal_path(config.environment.workdir or base.workdir),
        env=base.env,
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
        name = None if step is None else step.name
        declared = declared_output(config, self._root, name)
        workdir = self._environment.workdir
        output = declared.path or infer_output_path(instruction) or workdir
        spec = VerifierSpec(
            script=script, expected_output_path=output, reward_path=REWARD_PATH, details_path=DETAILS_PATH
        )
        solution, files = f"{folder}/solution", f"{folder}/workdir"
        own = step or StepConfig(name="only")
        prefix = "" if name is None else f"steps.{name}."
        return Step(
            name=name,
            instruction=instruction,
            verifier=spec,
            tests=tests,
            solution=solution if os.path.isdir(solution) else None,
            workdir_files=files if step is not None and os.path.isdir(files) else None,
            declared=declared.of(output, self._environment, self._root),
            agent=self._phase(f"{prefix}agent", own.agent, config.agent, {}),
            verifier_phase=self._phase(
                f"{prefix}verifier", own.verifier, config.verifier, {**config.verifier.env, **own.verifier.env}
            ),
            min_reward=own.min_reward,
        )

    def _phase(
        self,
        field: str,
        own: AgentConfig | VerifierConfig,
        task: AgentConfig | VerifierConfig,
        env: Mapping[str, str],
    ) -> Phase:
        """What the step says, then the task, then the environment. Only who asks for the network has it."""
        mode = own.network_mode or task.network_mode or self._config.environment.network_mode
        return Phase(
            field=field,
            timeout_sec=own.timeout_sec or task.timeout_sec,
            user=own.user if own.user is not None else task.user,
            network=mode is NetworkMode.PUBLIC,
            env=env,
        )


def _script(root: str, folder: str, warnings: list[str]) -> tuple[str, tuple[str, ...]]:
    """The verifier's path in the sandbox, and the folders that make up /tests: the task's, then the step's."""
    tests = tuple(dict.fromkeys(path for path in (f"{root}/tests", f"{folder}/tests") if os.path.isdir(path)))
    for name in ("test.sh", "verify.py"):
        for path in reversed(tests):
            script = f"{path}/{name}"
            if not os.path.isfile(script):
                continue
            if os.path.islink(script):
                raise InputError(
                    f"{script} is the verifier, and it is a link; it must be a file of the task's own"
                )
            if name == "verify.py":
                warnings.append(f"{script} is the verifier, for want of a test.sh")
            elif not os.access(script, os.X_OK) or not os.stat(script).st_mode & 0o111:
                raise InputError(f"{script} is the verifier, and it is not executable: chmod +x it")
            return f"/tests/{name}", tests
    raise InputError(f"{folder} has no verifier: there is neither tests/test.sh nor tests/verify.py")
