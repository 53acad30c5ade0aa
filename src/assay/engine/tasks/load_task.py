"""Load a task from its folder. An error names the file and the field.

What a task declares about its output, in the [metadata.output] table of task.toml.

A task with steps has such a table for each step that declares something: [metadata.output.<step>].
"""

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from assay.core.errors import InputError
from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.evaluation.output import Declared, Format, format_of, schema_complaint
from assay.dialects.harbor.task_config import (
    FILE_NAME,
    AgentConfig,
    EnvironmentConfig,
    NetworkMode,
    StepConfig,
    TaskConfig,
    VerifierConfig,
    first_complaint,
    load_task_config,
)
from assay.dialects.harbor.task_support import unknown_deciding_field, unknown_fields, why_unsupported
from assay.engine.tasks.dockerfile_environment import beyond_one_container, normal_path, read_environment
from assay.engine.tasks.task import (
    DEFAULT_WORKDIR,
    DETAILS_PATH,
    LOGS,
    REWARD_PATH,
    SOLUTION,
    Copy,
    LoadedTask,
    OwnEnvironment,
    TaskEnvironment,
    TaskPhase,
    TaskStep,
    asks_for_shared,
    choose_output,
    own_config,
)
from assay.engine.tasks.task_reading import TaskFolder
from assay.formats.dockerfile import parse_dockerfile

# The only name that harbor knows. A file with another name is data of the task.
COMPOSE_FILE = "environment/docker-compose.yaml"


def load_task(folder: TaskFolder, path: str) -> LoadedTask:
    """The task in a folder. ``path`` is how the user named it. Raises ``InputError``."""
    config = load_task_config(folder.text(FILE_NAME), f"{path}/{FILE_NAME}")
    environment = replace(_environment(folder, config), shared=asks_for_shared(config))
    reader = _StepReader(folder, config, environment)
    steps = tuple(reader.steps())
    environment = replace(environment, published=_published_folders(steps))
    unknown = [f"{path}/{FILE_NAME}: {said}" for said in unknown_fields(config)]
    return LoadedTask(
        name=config.task.name if config.task is not None else posixpath.basename(folder.root),
        path=path,
        config=config,
        steps=steps,
        environment=environment,
        checksum=folder.checksum(),
        harbor_checksums=folder.harbor_checksums(),
        warnings=(*unknown, *reader.warnings),
        unsupported=_why_unsupported(folder, config, path),
        unknown=unknown_deciding_field(config),
    )


def _why_unsupported(folder: TaskFolder, config: TaskConfig, path: str) -> str | None:
    """Why the task can be read but not run."""
    why = why_unsupported(config)
    if why is not None:
        return f"{path}/{FILE_NAME}: {why}"
    # Verifiers with an environment of their own may have compose files.
    apart = (step for step in config.steps or (None,) if own_config(config, step) is not None)
    names = (f"{tests}/docker-compose.yaml" for step in apart for tests in _tests_folders(step))
    composed = next(filter(folder.is_file, names), None)
    if composed is not None:
        return f"{folder.root}/{composed}: a verifier must have a single container, with a Dockerfile of its own"
    if not folder.is_file(COMPOSE_FILE):
        return None
    beyond = beyond_one_container(folder.text(COMPOSE_FILE))
    return None if beyond is None else f"{folder.root}/{COMPOSE_FILE}: {beyond}"


def _tests_folders(step: StepConfig | None) -> list[str]:
    """The folders with tests, that of the step first."""
    return ["tests"] if step is None else [f"steps/{step.name}/tests", "tests"]


def _published_folders(steps: Iterable[TaskStep]) -> tuple[str, ...]:
    """The folders of the artifacts that verifiers with images of their own get."""
    sources = {one for step in steps if step.own is not None for one in step.own.artifacts}
    outside = {one for one in sources if not any(f"{one}/".startswith(f"{folder}/") for folder in LOGS)}
    return tuple(sorted({folder if (folder := posixpath.dirname(one)) != "/" else one for one in outside}))


def _environment(folder: TaskFolder, config: TaskConfig) -> TaskEnvironment:
    """The environment of the Dockerfile, with the settings of task.toml on top."""
    base = TaskEnvironment(workdir=DEFAULT_WORKDIR)
    if folder.is_file("environment/Dockerfile"):
        base = _dockerfile(folder, "environment/Dockerfile")
    image = config.environment.docker_image
    if image is not None:
        # The image is used as it is, even beside a Dockerfile, which then tells only what it is like.
        base = replace(base, image=image, needs_image=f"environment.docker_image {image}", broken=None)
    return replace(base, workdir=normal_path(config.environment.workdir or base.workdir))


def _dockerfile(folder: TaskFolder, name: str, tests: str | None = None) -> TaskEnvironment:
    path, text = f"{folder.root}/{name}", folder.text(name)
    if not any(instruction.keyword == "FROM" for instruction in parse_dockerfile(text)):
        raise InputError(f"{path} must have a FROM instruction, but it has none")
    return read_environment(text, folder.build_context(posixpath.dirname(name)), path, tests)


def _own_environment(folder: TaskFolder, config: TaskConfig, step: StepConfig | None) -> OwnEnvironment | None:
    """The environment of a verifier that has one of its own, found in harbor's order."""
    own = own_config(config, step)
    if own is None:
        return None
    artifacts = tuple(dict.fromkeys(_artifact_paths(config, step)))
    levels = [config.verifier] if step is None else [step.verifier, config.verifier]
    for level, tests in zip(levels, _tests_folders(step), strict=True):
        image = None if level.environment is None else level.environment.docker_image
        if image is not None:
            needs = f"verifier.environment.docker_image {image}"
            found = TaskEnvironment(own.workdir or DEFAULT_WORKDIR, image=image, needs_image=needs)
            return OwnEnvironment(own, found, artifacts)
        if folder.is_file(f"{tests}/Dockerfile"):
            found = _dockerfile(folder, f"{tests}/Dockerfile", tests="/tests")
            return OwnEnvironment(own, replace(found, workdir=own.workdir or found.workdir), artifacts)
    return OwnEnvironment(own) if any(level.environment is not None for level in levels) else None


def _artifact_paths(config: TaskConfig, step: StepConfig | None) -> Iterator[str]:
    for one in (*config.artifacts, *(() if step is None else step.artifacts)):
        source = one if isinstance(one, str) else one.source
        if source.startswith("/"):
            yield normal_path(source)


class _StepReader:
    """Reads the steps of one task, and collects warnings on the way."""

    def __init__(self, folder: TaskFolder, config: TaskConfig, environment: TaskEnvironment) -> None:
        self._folder = folder
        self._config = config
        self._environment = environment
        self.warnings: list[str] = []

    def steps(self) -> Iterator[TaskStep]:
        if self._config.steps is None:
            yield self._step("", None)
            return
        if not self._config.steps:
            raise InputError(
                f"{self._folder.root}/{FILE_NAME}: steps must not be empty; leave it out for a task with one step"
            )
        for step in self._config.steps:
            yield self._step(f"steps/{step.name}/", step)

    def _step(self, below: str, step: StepConfig | None) -> TaskStep:
        """One step, whose files are below a path of the task's folder."""
        config, folder = self._config, self._folder
        instruction = folder.text(f"{below}instruction.md")
        script, verify, tests = _verifier(folder, below, self.warnings)
        name = None if step is None else step.name
        declared = declared_output(config, folder.root, name)
        workdir = self._environment.workdir
        files = f"{below}workdir"
        brought = f"{folder.root}/{files}" if step is not None and folder.is_folder(files) else None
        choice = choose_output(
            declared.path,
            instruction,
            workdir,
            lambda path: is_brought_along(path, self._environment, brought, folder),
        )
        output = choice.path
        spec = VerifierSpec(
            script=script, expected_output_path=output, reward_path=REWARD_PATH, details_path=DETAILS_PATH
        )
        solution = f"{below}solution"
        own = step or StepConfig(name="only")
        prefix = "" if name is None else f"steps.{name}."
        return TaskStep(
            name=name,
            instruction=instruction,
            verifier=spec,
            verify=verify,
            tests=tests,
            solve=_command(folder, f"{solution}/solve.sh", SOLUTION),
            solution=f"{folder.root}/{solution}" if folder.is_folder(solution) else None,
            workdir_files=brought,
            declared=declared.of(output, self._environment, folder),
            agent=self._phase(f"{prefix}agent", own.agent, config.agent, {}, config.environment),
            verifier_phase=self._phase(
                f"{prefix}verifier",
                own.verifier,
                config.verifier,
                {**config.verifier.env, **own.verifier.env},
                own_config(config, step) or config.environment,
            ),
            min_reward=own.min_reward,
            output=choice,
            own=_own_environment(folder, config, step),
        )

    def _phase(
        self,
        field: str,
        own: AgentConfig | VerifierConfig,
        task: AgentConfig | VerifierConfig,
        env: Mapping[str, str],
        environment: EnvironmentConfig,
    ) -> TaskPhase:
        """The step's own setting, then the task's, then the environment's. There is no network by default."""
        mode = own.network_mode or task.network_mode or environment.network_mode
        return TaskPhase(
            field=field,
            timeout_sec=own.timeout_sec or task.timeout_sec,
            user=own.user if own.user is not None else task.user,
            network=mode is NetworkMode.PUBLIC,
            env=env,
        )


def _command(folder: TaskFolder, name: str, path: str) -> tuple[str, ...]:
    """The command that runs a shell script at a path of the sandbox. Without ``#!``, it is one for bash."""
    script = folder.script(name)
    return (path,) if script is None or script.names_program else ("bash", path)


def _verifier(folder: TaskFolder, below: str, warnings: list[str]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The verifier's path in the sandbox, its command, and the folders of /tests: the task's, then the step's."""
    tests = [name for name in dict.fromkeys(("tests", f"{below}tests")) if folder.is_folder(name)]
    for name in ("test.sh", "verify.py"):
        for found in reversed(tests):
            script = folder.script(f"{found}/{name}")
            if script is None:
                continue
            path = f"{folder.root}/{found}/{name}"
            if script.is_link:
                raise InputError(f"{path} must be a regular file, but it is a symbolic link")
            inside = f"/tests/{name}"
            command = _command(folder, f"{found}/{name}", inside)
            if name == "verify.py":
                warnings.append(f"using {path} as the verifier, because there is no test.sh")
                command = ("python3", inside)
            return inside, command, tuple(f"{folder.root}/{one}" for one in tests)
    where = f"{folder.root}/{below}".rstrip("/")
    raise InputError(f"{where} must have a verifier, tests/test.sh or tests/verify.py, but it has neither")


class DeclaredOutput(BaseModel):
    """The parsed table. All of its keys are optional."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str | None = Field(default=None, pattern="^/")
    format: Format | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    sections: list[str] = Field(default_factory=list)
    _field: str = PrivateAttr("metadata.output")
    """Its name in task.toml, for errors."""

    def of(self, output: str, environment: TaskEnvironment, folder: TaskFolder) -> Declared | None:
        """The demands on the output at this path. Without a declared format, the file's name decides.

        None if the output is the working folder, about which nothing can be declared.
        """
        asks = self.format is not None or self.schema_file is not None or bool(self.sections)
        if output != environment.workdir:
            self._check_place(environment, folder.root)
            schema = None if self.schema_file is None else _schema(folder, self.schema_file)
            loose = self.path is None and not asks and "." not in posixpath.basename(output)
            return Declared(self.format or format_of(output), schema, tuple(self.sections), may_be_folder=loose)
        if asks:
            raise InputError(
                f"{folder.root}/{FILE_NAME}: {self._field}.path must name a file, because a format, a schema or "
                f"sections are declared for it, got the working folder {output}"
            )
        return None

    def _check_place(self, environment: TaskEnvironment, root: str) -> None:
        """Refuse a path at which no agent's files are kept: every run would lose its reward."""
        places = [*environment.places, *LOGS]
        path = posixpath.normpath(self.path or places[0])
        if not any(path == place or path.startswith(f"{place}/") for place in places):
            raise InputError(
                f"{root}/{FILE_NAME}: {self._field}.path must lie below {', '.join(places)}, where an agent's "
                f"files are kept, got {self.path}"
            )


def declared_output(config: TaskConfig, root: str, step: str | None) -> DeclaredOutput:
    """The declared output of a step. ``step`` is None for a task without steps.

    Raises ``InputError``.
    """
    where = f"{root}/{FILE_NAME}"
    field, table = "metadata.output", config.metadata.get("output", {})
    if not isinstance(table, dict):
        raise InputError(f"{where}: {field} must be a table, got {type(table).__name__}")
    if step is not None:
        _check_steps(table, [one.name for one in config.steps or ()], where)
        field, table = f"{field}.{step}", table.get(step, {})
    try:
        found = DeclaredOutput.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{where}: {first_complaint(error, f'{field}.')}") from error
    found._field = field
    return found


def _check_steps(table: dict[str, Any], steps: list[str], where: str) -> None:
    """Refuse an entry that isn't a table with the name of a step."""
    for name, entry in table.items():
        field = f"{where}: metadata.output.{name}"
        if not isinstance(entry, dict):
            raise InputError(
                f"{field}: a task with steps must declare the output of each step in its own table, such as "
                f"[metadata.output.{steps[0]}]"
            )
        if name not in steps:
            raise InputError(f"{field}: the task has no step {name}; its steps are {', '.join(steps)}")


def _schema(folder: TaskFolder, name: str) -> dict[str, Any]:
    path = f"{folder.root}/{name}"
    try:
        schema = json.loads(folder.text(name))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} must be a JSON Schema, but it isn't JSON: {error}") from error
    if not isinstance(schema, dict):
        raise InputError(f"{path} must be a JSON Schema, which is an object, got {type(schema).__name__}")
    complaint = schema_complaint(schema)
    if complaint is not None:
        raise InputError(f"{path} must be a valid JSON Schema: {complaint}")
    return schema


def is_brought_along(
    path: str, environment: TaskEnvironment, workdir_files: str | None, folder: TaskFolder
) -> bool:
    """Whether the Dockerfile copies something to this path, or a step brings it into the working folder."""
    if any(_copies(copy, source, path, folder) for copy in environment.copies for source in copy.sources):
        return True
    found = None if workdir_files is None else _inside(path, environment.workdir, workdir_files)
    return found is not None and _exists(found, folder)


def _copies(copy: Copy, source: str, path: str, folder: TaskFolder) -> bool:
    target = copy.target.rstrip("/")
    if not folder.is_folder(_name(source, folder)):
        return path in (target, f"{target}/{posixpath.basename(source)}")
    found = _inside(path, target, source)
    return found is not None and found not in copy.ignored and _exists(found, folder)


def _inside(path: str, target: str, source: str) -> str | None:
    """The path on the host of what a copied folder brings to a path; None if that isn't below the copy."""
    return posixpath.normpath(source + path.removeprefix(target)) if f"{path}/".startswith(f"{target}/") else None


def _exists(path: str, folder: TaskFolder) -> bool:
    name = _name(path, folder)
    return folder.is_file(name) or folder.is_folder(name)


def _name(path: str, folder: TaskFolder) -> str:
    return posixpath.relpath(path, folder.root)
