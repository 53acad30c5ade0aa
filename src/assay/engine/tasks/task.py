"""A loaded task: the instruction, the environment, and the verifier.

A declared output that is there before the agent starts is an input. Of the others, the output is the first that
the agent is told to write, save, create or output; if there is none, the first.

A verifier has an environment of its own, or shares what the agent left outside of its workspace. Shared means
files: folders in which programs and users keep their own things are kept for the verifier, and for grading again.
It never means processes: those of the agent are ended before the verifier starts.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.evaluation.output import Declared
from assay.dialects.harbor.rewards import Strategy
from assay.dialects.harbor.task_config import EnvironmentConfig, StepConfig, TaskConfig
from assay.engine.ports import DEFAULT_RULES, GradingRules
from assay.engine.sandbox import NO_ENVIRONMENT, CommandEnvironment

_WORKSPACE_PATH = re.compile(r"(?<![\w.~/$}-])/workspace/[\w./+@-]*[\w+@-]")


_WRITING = re.compile(r"\b(?:writ|sav|creat|output|produc|generat|stor)\w*\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s*\n|\n\s*[-*\d]")
# What comes before a path that something is taken from.
_TAKEN_FROM = re.compile(r"\b(?:of|from|in|using|with|read|reads|reading|load|parse|at)\s+\S*$", re.IGNORECASE)
_PUT_IN = re.compile(r"\b(?:in|at)\s+\S*$", re.IGNORECASE)


class Origin(Enum):
    """Where the path of an output comes from."""

    DECLARED = "task.toml"
    INSTRUCTION = "the instruction"
    WORKDIR = "the working folder"


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A path below /workspace in an instruction, whether it is there before the agent starts, and whether the
    agent is told to write it.
    """

    path: str
    is_input: bool
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class OutputChoice:
    """The path of the output, where it comes from, and all paths that the instruction names."""

    path: str
    origin: Origin
    named: tuple[NamedPath, ...] = ()

    @property
    def others(self) -> list[str]:
        """Paths that could have been the output as well."""
        return [one.path for one in self.named if not one.is_input and one.path != self.path]

    @property
    def inputs(self) -> list[str]:
        return [one.path for one in self.named if one.is_input]


def choose_output(
    declared: str | None, instruction: str, workdir: str, is_given: Callable[[str], bool] = lambda _: False
) -> OutputChoice:
    """The declared path, the first path of the instruction that is to be written, or the working folder."""
    written: dict[str, bool] = {}
    for match in _WORKSPACE_PATH.finditer(instruction):
        written[match[0]] = written.get(match[0], False) or _is_to_be_written(instruction[: match.start()])
    named = tuple(NamedPath(path, is_given(posixpath.normpath(path)), told) for path, told in written.items())
    if declared is not None:
        return OutputChoice(declared, Origin.DECLARED, named)
    outputs = [one for one in named if not one.is_input]
    inferred = next((one for one in outputs if one.is_written), next(iter(outputs), None))
    if inferred is not None:
        return OutputChoice(inferred.path, Origin.INSTRUCTION, named)
    return OutputChoice(workdir, Origin.WORKDIR, named)


def _is_to_be_written(before: str) -> bool:
    """Whether the words before a path, in its sentence, say that the agent writes it."""
    sentence = _SENTENCE_END.split(before)[-1]
    told = list(_WRITING.finditer(sentence))
    if not told:
        return False
    after = sentence[told[-1].end() :]
    taken = _TAKEN_FROM.search(after) is not None
    # "save it in X" puts something there, "write the sum of X" and "write what you find in X" take it from there.
    return not taken or (_PUT_IN.search(after) is not None and len(after.split()) <= 4)


WORKSPACE = "/workspace"
DEFAULT_WORKDIR = WORKSPACE
REWARD_PATH = "/logs/verifier/reward.json"
DETAILS_PATH = "/logs/verifier/details.json"
SOLUTION = "/solution/solve.sh"
WHOLE_WORKSPACE = OutputChoice(DEFAULT_WORKDIR, Origin.WORKDIR)
LOGS = ("/logs/agent", "/logs/artifacts")

# Folders of every system in which programs and users have folders of their own.
_SHARED_FOLDERS = frozenset({"/home", "/media", "/mnt", "/srv", "/tmp", "/var"})  # noqa: S108 - in the sandbox


@dataclass(frozen=True, slots=True)
class TaskPhase:
    """How the agent or the verifier is run. ``field`` is its table in task.toml, for errors."""

    field: str
    timeout_sec: float | None
    user: str | int | None
    network: bool
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One step of a task. A task without steps has a single step whose name is None.

    The folders are paths on the host, or None if the task doesn't have them. ``declared`` is None if the output is
    the working folder itself. ``verify`` and ``solve`` are the commands that run the verifier and the solution.
    """

    name: str | None
    instruction: str
    verifier: VerifierSpec
    verify: tuple[str, ...]
    tests: tuple[str, ...]
    solve: tuple[str, ...]
    solution: str | None
    workdir_files: str | None
    declared: Declared | None
    agent: TaskPhase
    verifier_phase: TaskPhase
    min_reward: float | Mapping[str, float] | None = None
    output: OutputChoice = WHOLE_WORKSPACE
    own: "OwnEnvironment | None" = None


def with_network(step: TaskStep, *, agent: bool | None = None, verifier: bool | None = None) -> TaskStep:
    """The step, with the network granted or taken away; None leaves what the task says."""
    return replace(
        step,
        agent=step.agent if agent is None else replace(step.agent, network=agent),
        verifier_phase=step.verifier_phase if verifier is None else replace(step.verifier_phase, network=verifier),
    )


@dataclass(frozen=True, slots=True)
class Copy:
    """A COPY or ADD of the environment: files on the host, their target, and the mode that they get there.

    ``ignored`` are paths on the host that are left out when a folder is copied.
    """

    sources: tuple[str, ...]
    target: str
    mode: int | None = None
    ignored: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """The folder that the files are copied to; the file itself if that folder is the root."""
        folder = self.target.rstrip("/") if self.target.endswith("/") else posixpath.dirname(self.target)
        return folder if folder not in ("", "/") else self.target.rstrip("/")


@dataclass(frozen=True, slots=True)
class TaskEnvironment:
    """Where agent and verifier run. ``needs_image`` names an instruction that works only in an image.

    ``env`` has the literal values that the Dockerfile sets. Values in task.toml may refer to those of the host.
    ``broken`` says why no image can be built. ``archive`` is unpacked into the working folder, and ``around`` is
    what a seeded task shows beside it. ``shared`` is true if the verifier gets what the agent left outside of its
    workspace, too, in the folders ``kept``. ``published`` are folders with artifacts that the verifier gets.
    """

    workdir: str
    env: Mapping[str, str] = field(default_factory=dict)
    copies: tuple[Copy, ...] = ()
    needs_image: str | None = None
    broken: str | None = None
    dockerfile: str | None = None
    image: str | None = None
    archive: str | None = None
    around: CommandEnvironment = NO_ENVIRONMENT
    shared: bool = False
    kept: tuple[str, ...] = ()
    published: tuple[str, ...] = ()

    @property
    def places(self) -> list[str]:
        """The paths that belong to the agent: its working folder with the folder around it, /workspace, and the
        targets of copied files. In an image, the folder around the working folder has the files of the image.
        """
        own = _uppermost(self.workdir) if self.image is None else self.workdir
        wanted = {own, WORKSPACE, *self.kept, *self.published, *(copy.place for copy in self.copies)} - {"/", ""}
        return [path for path in sorted(wanted) if not any(path.startswith(f"{other}/") for other in wanted)]


@dataclass(frozen=True, slots=True)
class OwnEnvironment:
    """The environment of a verifier that doesn't run in its agent's: limits and variables, and perhaps an image.

    ``environment`` is None if only the limits are its own. An image of its own has the tests. Then the verifier
    gets the artifacts that the task declares, as in harbor; where it declares none, the agent's folders ``shown``.
    """

    config: EnvironmentConfig
    environment: TaskEnvironment | None = None
    artifacts: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HarborChecksums:
    """The checksums that harbor records of a task: of the whole folder, and of the files of a published task."""

    tree: str
    package: str


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """A loaded task. ``checksum`` covers every file of its folder with its mode; gradings record it.

    ``seeded`` is true for a coding task, which has scorers in the place of a verifier. ``unsupported`` is why the
    task can be read but not run, and ``unknown`` an unknown field that may decide about the reward.
    """

    name: str
    path: str
    config: TaskConfig
    steps: tuple[TaskStep, ...]
    environment: TaskEnvironment
    checksum: str
    harbor_checksums: HarborChecksums
    warnings: tuple[str, ...] = ()
    rules: GradingRules = DEFAULT_RULES
    seeded: bool = False
    unsupported: str | None = None
    unknown: str | None = None

    @property
    def multi_step(self) -> bool:
        return self.steps[0].name is not None

    @property
    def strategy(self) -> Strategy | None:
        return self.config.multi_step_reward_strategy


def _uppermost(path: str) -> str:
    """The folder right below the root, or one level deeper in a folder that every system has."""
    parts = path.split("/")
    return "/".join(parts[:3] if f"/{parts[1]}" in _SHARED_FOLDERS else parts[:2])


# Nothing of the system lies in these.
KEPT = ("/home", "/root", "/srv", "/tmp", "/var/tmp")  # noqa: S108 - in the sandbox
KEPT_IN_IMAGE = (*KEPT, "/opt")
SHARED = "shared"
SEPARATE = "separate"


def asks_for_shared(config: TaskConfig) -> bool:
    """Whether a task, or one of its steps, says that its verifier shares the agent's environment."""
    modes = [config.verifier.environment_mode, *(step.verifier.environment_mode for step in config.steps or ())]
    return SHARED in modes


def own_config(config: TaskConfig, step: StepConfig | None) -> EnvironmentConfig | None:
    """The settings of the verifier's own environment; None if it runs in, or shares, that of the agent.

    A step's mode comes before the task's, and an environment of its own means ``separate``.
    """
    levels = [config.verifier] if step is None else [step.verifier, config.verifier]
    given = next((level.environment for level in levels if level.environment is not None), None)
    for level in levels:
        if level.environment_mode is not None or level.environment is not None:
            shared = level.environment_mode == SHARED
            return None if shared else given or config.environment.model_copy(update={"docker_image": None})
    return None


def published_artifacts(task: LoadedTask, step: TaskStep) -> list[str] | None:
    """The paths that are all that harbor gives the verifier of a step; None where it gets everything."""
    own = next((one for one in task.config.steps or () if one.name == step.name), None)
    if own_config(task.config, own) is None:
        return None
    declared = (*task.config.artifacts, *(() if own is None else own.artifacts))
    return [one if isinstance(one, str) else one.source for one in declared]


def with_verifier_environment(task: LoadedTask, mode: str | None) -> LoadedTask:
    """The task with this mode; with its own if the mode is None."""
    shared = asks_for_shared(task.config) if mode is None else mode == SHARED
    said = (f"{task.path}: its verifier shares the agent's environment, which isolates less",) if shared else ()
    environment = replace(task.environment, shared=shared)
    if shared:
        task = replace(task, steps=tuple(replace(step, own=None) for step in task.steps))
    return replace(task, environment=environment, warnings=(*task.warnings, *said))


def with_kept_folders(environment: TaskEnvironment, backend: str) -> TaskEnvironment:
    """The environment, with the folders that are kept if it is shared.

    Plain processes run on the host's own system, so that there is nothing to keep.
    """
    if not environment.shared or backend == "process":
        return replace(environment, kept=())
    return replace(environment, kept=KEPT if environment.image is None else KEPT_IN_IMAGE)


def all_environments(task: LoadedTask) -> list[TaskEnvironment]:
    """That of the agent, and those that verifiers have of their own."""
    own = (step.own.environment for step in task.steps if step.own is not None)
    return [task.environment, *(one for one in own if one is not None)]


def verified_in(task: LoadedTask, step: TaskStep) -> TaskEnvironment:
    """The environment that the verifier of a step runs in."""
    return task.environment if step.own is None or step.own.environment is None else step.own.environment


def mode_of(environment: TaskEnvironment) -> str:
    """The word for it in records."""
    return SHARED if environment.shared else SEPARATE
